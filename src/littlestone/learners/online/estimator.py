"""`OnlineLearner`: the online learner with the methods of river and scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone.classes import check_class
from littlestone.data import OUTSIDE
from littlestone.errors import (
    ParameterError,
    StateError,
    UnsupportedError,
    check_integer,
    parameter_error,
)
from littlestone.learners.base import warn_of_weakness
from littlestone.learners.online.algorithm import (
    MistakeBound,
    OnlineAlgorithm,
    RegretBound,
    Sources,
    algorithm_of,
    always,
    mistake_bound,
    numbered,
    regret_bound,
)
from littlestone.learners.online.journal import DurableStream, open_stream, terms_of
from littlestone.learners.online.plan import Adversary, Constants, plan_online
from littlestone.learners.online.state import (
    OnlineState,
    StateTransaction,
    label_of,
    labels_of,
    point_of,
    points_of,
    truth,
)
from littlestone.notebooks import Card
from littlestone.privacy import total
from littlestone.privacy.guarantee import NOT_PRIVATE
from littlestone.source import SecureSource

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.data import Domain
    from littlestone.learners.online.journal import Durability
    from littlestone.learners.online.plan import OnlinePlan
    from littlestone.privacy import Guarantee, Ledger
    from littlestone.types import Hypothesis


class OnlineLearner:
    """Learn from a stream, publish the model in use, make few mistakes; private for all time.

    Parameters
    ----------
    concept_class : ConceptClass
    epsilon : number > 0
    delta : number in [0, 1), default 0
        Of everything that is ever published about the stream. With 0, classes must be finite.
    horizon : int >= 1
        Expected length of the stream (public); privacy holds for any length.
    agnostic : bool, default False
        For streams that no concept explains, of finite classes: Hedge in batches, `regret_bound`.
    beta : number in (0, 1), default 0.05
    constants : {"practical", "theory"}, default "practical"
        Both prove a number of mistakes (`mistake_bound`): "theory" the least one, "practical" a
        larger one, and makes fewer mistakes as a rule. Privacy is the same.
    adversary, records_per_user : optional
        See `plan_online`.
    feature : str, optional
        Which entry of river's dicts is the point; not needed for rows of a schema.
    random_state : int, optional
        Reproducible draws: NOT PRIVATE.
    state : path or OnlineState, optional
        A folder that keeps the state durably: each call that learns returns when what it learned
        survives a kill, and another learner with the same parameters takes the stream up (see
        `open_stream`). Or an `OnlineState` to continue from, in memory: one learner can have it.
        Copies of it (by ``from_json``) cannot be distinguished: who continues two of them has spent
        the budget of the stream twice.

    Attributes
    ----------
    hypothesis_ : Hypothesis
        What is published now; it was published before the next label comes.
    published_ : tuple of (int, Hypothesis)
        All of them, with the number of records after which each was published.
    guarantee_ : Guarantee
    stopped_ : bool
        Whether the budget is spent; predictions continue with the last hypothesis.

    Notes
    -----
    *Guarantee.* See `OnlineAlgorithm`. ``predict_one(x)`` is the published hypothesis at x: it is
    private towards everybody but the owner of x. The number of mistakes is not public.

    *Cost.* Thresholds over 2**32: about 400,000 records per second one by one, millions by
    `learn_many`; memory does not grow with the stream, only with the mistakes.

    *Source.* After Lyu 2025 (003), Algorithm 3; docs/learners/online.md.

    Examples
    --------
    >>> import littlestone as ls
    >>> learner = ls.OnlineLearner(ls.Thresholds(1, 1000), epsilon=1.0, delta=1e-6,
    ...                            horizon=10_000, random_state=1)
    >>> for t in range(10_000):
    ...     x = 1 + t * 617 % 1000
    ...     guess = learner.predict_one(x)
    ...     learner.learn_one(x, x > 300)
    >>> 200 < learner.hypothesis_.above < 400, len(learner.published_) > 2
    (True, True)
    """

    def __init__(
        self,
        concept_class: Any,
        *,
        epsilon: Any,
        delta: Any = None,
        horizon: int,
        agnostic: bool = False,
        beta: Any = Fraction(1, 20),
        constants: Constants = "practical",
        adversary: Adversary | None = None,
        records_per_user: int | None = None,
        feature: str | None = None,
        random_state: int | None = None,
        state: str | os.PathLike[str] | OnlineState | None = None,
    ) -> None:
        self.concept_class = concept_class
        self.epsilon = epsilon
        self.delta = delta
        self.horizon = horizon
        self.agnostic = agnostic
        self.beta = beta
        self.constants = constants
        self.adversary = adversary
        self.records_per_user = records_per_user
        self.feature = feature
        self.random_state = random_state
        self.state = state
        self._started: tuple[OnlineAlgorithm, Sources, OnlineState] | None = None
        self._stream: DurableStream | None = None
        self._in_memory: StateTransaction | None = None
        self._durability: Durability = "kill"
        self._domain: Domain | None = None  # asked for once: making one is slow

    # -- what is published ----------------------------------------------------------------------

    @property
    def hypothesis_(self) -> Hypothesis:
        """The published hypothesis."""
        return self._start()[2].hypothesis

    @property
    def published_(self) -> tuple[tuple[int, Hypothesis], ...]:
        """All published hypotheses, with the time of each."""
        return tuple(self._start()[2].published)

    @property
    def stopped_(self) -> bool:
        """Whether the budget is spent."""
        return self._start()[2].stopped

    @property
    def guarantee_(self) -> Guarantee:
        """What is promised of all that is published: of the stream, and of learned columns."""
        return total(self._start()[0].parts(seeded=self.random_state is not None))

    def algorithm(self) -> OnlineAlgorithm:
        """Return the state machine underneath."""
        return self._start()[0]

    @property
    def plan(self) -> OnlinePlan:
        """All public numbers, from public parameters only: no stream begins.

        Whatever the learner would refuse is refused here; see `littlestone.learners.base.feasible`.
        """
        return plan_online(
            self.concept_class,
            epsilon=self.epsilon,
            delta=self.delta,
            horizon=self.horizon,
            beta=self.beta,
            constants=self.constants,
            adversary=self.adversary,
            records_per_user=self.records_per_user,
            agnostic=self.agnostic,
        )

    @property
    def state_(self) -> OnlineState:
        """The state, private part included: not for publication."""
        return self._start()[2]

    def mistake_bound(self) -> MistakeBound:
        """Return what is proved about the number of mistakes on realizable streams; of `plan`."""
        self._of_streams(agnostic=False)
        return mistake_bound(self.plan, self.concept_class)

    def regret_bound(self) -> RegretBound:
        """Return how many mistakes more than the best concept are proved on any stream; of `plan`.

        Records of a batch must be fixed before what is published for it is seen.
        """
        self._of_streams(agnostic=True)
        return regret_bound(self.plan, self.concept_class)

    def _of_streams(self, *, agnostic: bool) -> None:
        """Refuse a question about the other kind of streams."""
        if bool(self.agnostic) != agnostic:
            raise UnsupportedError(
                "regret_bound() is for agnostic streams: OnlineLearner(..., agnostic=True)."
                if agnostic
                else "An agnostic stream has no bound on its mistakes, which depend on the best "
                "concept. Use regret_bound()."
            )

    # -- predict --------------------------------------------------------------------------------

    def predict_one(self, x: Any, **kwargs: Any) -> int:
        """Return the label of the published hypothesis at a point; 0 outside the domain."""
        algorithm, _, state = self._started or self._start()
        return label_of(state.hypothesis, self._point(x), algorithm.concept_class)

    def predict_proba_one(self, x: Any, **kwargs: Any) -> dict[bool, float]:
        """Return the part of the published votes for each label (0 or 1 if they are one rule)."""
        algorithm, _, state = self._start()
        hypothesis, point = state.hypothesis, self._point(x)
        one = float(label_of(hypothesis, point, algorithm.concept_class))
        counted = getattr(hypothesis, "votes", ())  # of a majority
        if counted and point is not OUTSIDE:
            votes = [(label_of(h, point, algorithm.concept_class), n) for h, n in counted]
            one = sum(label * n for label, n in votes) / sum(n for _, n in votes)
        return {False: 1.0 - one, True: one}

    def predict(self, X: Any) -> npt.NDArray[np.int8]:
        """Return the labels of many points; 0 outside the domain."""
        algorithm, _, state = self._start()
        points, inside = points_of(algorithm.concept_class, X, self.feature)
        return (state.hypothesis.predict(points) & inside).astype(np.int8)

    # -- learn ----------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, user: str | None = None) -> None:
        """Learn one record; a label must be 0 or 1, a point may be anything.

        With ``records_per_user``, ``user`` says whose record it is; later ones than the first
        ``records_per_user`` take time, and teach nothing.
        """
        algorithm, sources, state = self._started or self._start()
        point, label = self._point(x), truth("OnlineLearner", y)
        if user is not None or self.records_per_user is not None:
            self._users(None if user is None else [user], 1)
        with self._in_memory or self._kept():
            if user is not None and not algorithm.admitted(state, [user])[0]:
                point, label = OUTSIDE, 0
            algorithm.step(state, point, label, sources)

    def learn_many(self, X: Any, y: Any, users: Any = None) -> None:
        """Learn many records in their order: the same draws as one by one, but fast.

        ``users``, one for each record, as for `learn_one`.
        """
        algorithm, sources, state = self._start()
        labels = labels_of(type(self).__name__, y)
        points, inside = points_of(algorithm.concept_class, X, self.feature)
        if len(labels) != len(inside):
            raise parameter_error(type(self).__name__, "y", "as long as X", len(labels))
        names = self._users(users, len(labels))
        with self._kept():
            if names is not None:
                kept = algorithm.admitted(state, names)
                inside, labels = inside & kept, np.where(kept, labels, 0).astype(np.int8)
            algorithm.step_many(state, points, inside, labels, sources)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn many records (scikit-learn's name); ``classes`` are 0 and 1."""
        if classes is not None and list(classes) != [0, 1]:
            raise parameter_error(type(self).__name__, "classes", "[0, 1]", list(classes))
        self.learn_many(X, y)
        return self

    def observe(self, x: Any) -> int:
        """Take a point whose label comes later; return the ticket for `reveal`.

        Predict with `predict_one`. The record takes part when its label comes; when that is must
        not depend on other people's records. Not for streams that protect users.
        """
        self._users(None, 1)
        state = self._start()[2]
        ticket, point = state.tickets, self._point(x)
        with self._kept():
            state.pending[ticket] = point
            state.tickets += 1
        return ticket

    def reveal(self, ticket: int, y: Any) -> None:
        """Learn the record of a ticket, now that its label is known."""
        algorithm, sources, state = self._start()
        label = truth(type(self).__name__, y)
        if ticket not in state.pending:
            raise parameter_error(
                "reveal", "ticket", "a ticket of observe, not yet revealed", ticket
            )
        with self._kept():
            algorithm.step(state, state.pending.pop(ticket), label, sources)

    # -- keep -----------------------------------------------------------------------------------

    def start(self, *, ledger: Ledger | None = None, durability: Durability = "kill") -> Self:
        """Begin now (or take a durable stream up); otherwise the first use does.

        Parameters
        ----------
        ledger : Ledger, optional
            Pays for the whole life of a durable stream, once, before its first draw.
        durability : {"kill", "power"}
            What a durable stream survives.
        """
        if self._started is not None or not isinstance(self.state, str | os.PathLike):
            raise StateError("start() is for a learner with a state folder, before its first use.")
        self._durability = durability
        self._start(ledger)
        return self

    def close(self) -> None:
        """Let go of the state folder; the next use takes the stream up again."""
        if self._stream is not None:
            self._stream.close()
            self._stream = self._started = None

    # -- inside ---------------------------------------------------------------------------------

    def _point(self, x: Any) -> Any:
        if self._domain is None:
            self._domain = check_class(type(self).__name__, self.concept_class).domain
        return point_of(self._domain, x, self.feature)

    def _users(self, users: Any, n: int) -> list[str] | None:
        """Return whose the records are; refuse names that are missing, or that nobody asked for."""
        if (users is None) != (self.records_per_user is None):
            raise ParameterError(
                f"{type(self).__name__} needs the user of each record exactly if it protects users "
                "(records_per_user): learn_one(x, y, user=...), learn_many(X, y, users=...)."
            )
        names = None if users is None else list(users)
        if names is not None and (len(names) != n or not all(isinstance(u, str) for u in names)):
            raise ParameterError(
                f"{type(self).__name__} needs one text for each record as its user."
            )
        return names

    def _kept(self) -> AbstractContextManager[None]:
        if self._stream is not None:
            return self._on_disk(self._stream)
        assert self._in_memory is not None
        return self._in_memory

    @contextmanager
    def _on_disk(self, stream: DurableStream) -> Iterator[None]:
        try:
            yield
            stream.journal.save(stream.state)
        except BaseException:
            self.close()  # what is on the disk counts: the next use reads it
            raise

    def _start(self, ledger: Ledger | None = None) -> tuple[OnlineAlgorithm, Sources, OnlineState]:
        if self._started is None:
            plan = self.plan
            if self.random_state is None:
                sources = always(SecureSource())
            else:
                low = check_integer(type(self).__name__, "random_state", self.random_state, low=0)
                sources = numbered(low)
            algorithm, state = algorithm_of(self.concept_class, plan), self.state
            warn_of_weakness(algorithm.guarantee(), plan.goal.horizon, stacklevel=3)
            terms = terms_of(algorithm, self.random_state)
            if state is None:
                state = algorithm.start(sources)
            elif not isinstance(state, OnlineState):
                stream = self._stream = open_stream(
                    state,
                    algorithm,
                    seed=self.random_state,
                    ledger=ledger,
                    durability=self._durability,
                )
                state, sources = stream.state, stream.sources
            elif state.terms != terms:
                raise ParameterError(
                    f"The 'state' parameter of {type(self).__name__} must be of a stream that was "
                    "begun with the same class, parameters and random_state. What it published "
                    "and spent was under those: give the same ones, or begin another stream."
                )
            if self._stream is None:
                state.take()
                self._in_memory = StateTransaction(state, seeded=self.random_state is not None)
            state.terms = terms
            self._started = algorithm, sources, state
        return self._started

    def __getstate__(self) -> dict[str, Any]:
        if self._started is not None:
            raise TypeError(
                "An OnlineLearner that has started cannot be copied or pickled: two copies would "
                "spend the budget of one stream twice. Save state_.public() and state_.private() "
                "instead, and continue a single learner from them."
            )
        return dict(self.__dict__)

    def _repr_html_(self) -> str:
        names = ("concept_class", "epsilon", "delta", "horizon", "random_state")
        lines = [(name, repr(getattr(self, name))) for name in names]
        title = type(self).__name__
        return Card(title if self.random_state is None else f"{title}: {NOT_PRIVATE}", lines).html()

    def __repr__(self) -> str:
        text = (
            f"{type(self).__name__}({self.concept_class!r}, epsilon={self.epsilon!r}, "
            f"delta={self.delta!r}, horizon={self.horizon!r})"
        )
        return text if self.random_state is None else f"{text}  # NOT PRIVATE (seeded)"
