"""What one line of the table of exact verifications is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from littlestone.audit.all_n import AllN, by_lemmas
from littlestone.audit.mechanism import MechanismVerification
from littlestone.audit.observe import Observer
from littlestone.audit.verify import Verification

Kind = Literal["mechanism", "learner"]
Result = MechanismVerification | Verification
#: A number of a claim that a verification could refute.
Part = Literal["epsilon", "delta"]
_NOTHING = 1e-9


@dataclass(frozen=True)
class Case:
    """One exact verification of the table."""

    name: str
    kind: Kind
    domain: str
    check: Callable[[Sequence[Observer]], Result]
    full: bool = False
    sharp: tuple[Part, ...] = ()
    all_n: Callable[[], AllN] = lambda: by_lemmas("", "", {})

    def row(self, observers: Sequence[Observer] = ()) -> Row:
        """Verify, and return the line."""
        start = time.perf_counter()
        result = self.check(observers)
        return Row(self.name, self.kind, self.domain, result, time.perf_counter() - start)


@dataclass(frozen=True)
class Row:
    """One finished line."""

    name: str
    kind: Kind
    domain: str
    result: Result
    seconds: float

    @property
    def says_something(self) -> bool:
        """Whether anything depends on the data: if not, every claim would hold."""
        return self.result.worst_delta > _NOTHING or self.result.tightest_epsilon > _NOTHING

    @property
    def sharp(self) -> tuple[Part, ...]:
        """Which numbers of the claim are nearly attained: half of them would be refuted."""
        found: list[Part] = []
        if 2 * self.result.tightest_epsilon > self.result.epsilon:
            found.append("epsilon")
        if 2 * self.result.worst_delta > self.result.delta > 0:
            found.append("delta")
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "domain": self.domain,
            "seconds": round(self.seconds, 3),
            "sharp": list(self.sharp),
            **self.result.to_dict(),
        }
