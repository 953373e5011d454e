"""Write admissions.csv: 8,000 made-up admissions to a hospital, and who came back within 30 days.

    python examples/hospital/make.py

Nothing in it is about a person: ages, stays and laboratory values are drawn from plausible laws,
and the risk is a logistic function of them, with a jump for long stays after an emergency.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

HERE = Path(__file__).parent
ROWS = 8_000
HEAD = "age,sex,ward,emergency,earlier,stay,sodium,readmitted"


def admission(rng: random.Random) -> str:
    """Return one line: a person, and whether the person was readmitted."""
    age = min(98, max(18, round(rng.gauss(63, 17))))
    sex = rng.choice(("female", "male"))
    ward = rng.choices(("internal", "surgery", "cardiology", "neurology"), (4, 3, 2, 1))[0]
    emergency = rng.random() < (0.55 if ward != "surgery" else 0.3)
    earlier = min(9, int(rng.expovariate(1.1) * (1.6 if age >= 70 else 0.9)))
    stay = max(1, min(40, round(rng.lognormvariate(1.2 + 0.25 * emergency + 0.004 * age, 0.6))))
    sodium = None if rng.random() < 0.08 else round(rng.gauss(138.5 - 0.6 * earlier, 3.2))
    odds = -3.9 + 0.018 * age + 0.5 * min(earlier, 4) + 0.4 * (ward == "cardiology")
    odds += 0.9 * (emergency and stay >= 7) + 0.7 * (sodium is not None and sodium < 135)
    again = rng.random() < 1 / (1 + math.exp(-odds))
    cells = (age, sex, ward, "yes" if emergency else "no", earlier, stay, sodium, int(again))
    return ",".join("" if cell is None else str(cell) for cell in cells)


def main() -> None:
    """Write the table."""
    rng = random.Random(2026)
    lines = [HEAD, *(admission(rng) for _ in range(ROWS))]
    (HERE / "admissions.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
