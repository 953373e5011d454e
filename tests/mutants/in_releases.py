"""Broken releases: counts, prints, pages and accounts around a hypothesis."""

from __future__ import annotations

import logging
import warnings
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal, localcontext
from fractions import Fraction

import numpy as np

from littlestone.errors import exact_value
from littlestone.privacy import Guarantee
from littlestone.privacy.compose import Price
from littlestone.source import SeededSource

from .mutant import mutant

_GENERIC = "generic on thresholds(1, 3)"
_RUN = "learners.running:run"
_ALLOWS = "privacy.compose:Filter.allows"


_EVALUATED = "a rule and its evaluation"
_GROUPS = "test_the_law_of_a_histogram_by_groups"


@mutant(
    "composition forgotten",
    "learners.running:promise",
    "test_the_pair_is_private_with_the_learners_epsilon",
)
def the_evaluation_is_free(original, learner, *, shares=None, **options):
    """The guarantee is that of the hypothesis alone."""
    part = exact_value(options.get("evaluate")) if shares is None else shares.evaluation
    made = original(learner, shares=shares, **options)
    return replace(made, epsilon=made.epsilon - (part or 0))


@mutant(
    "composition forgotten",
    "learners.running:Shares.learner",
    "test_the_pair_is_private_with_the_learners_epsilon",
)
def the_evaluation_comes_on_top(original, self, learner):
    """The learner spends all of epsilon, and the evaluation its part once more."""
    original(self, learner)
    return learner


@mutant(
    "composition forgotten",
    "learners.release:parts_of",
    "test_what_a_ledger_records_is_the_cost_of_the_record",
)
def the_columns_are_no_part(original, own, proposal, before=(), *, split=False):
    """A document says what its learner cost, and not what its columns did."""
    return original(own, None, before, split=split)


_COMPOSED = "test_every_document_states_the_whole_cost_and_what_adds_up_to_it"


@mutant("composition forgotten", "learners.boosting.rounds:Boosted.before", _COMPOSED)
def rounds_that_know_of_no_columns(original, self):
    """The rounds spend all of rho, and the columns of the same epsilon were paid from it, too."""
    return ()


@mutant("composition forgotten", "learners.running:Shares.joined", _COMPOSED)
def texts_of_columns_cost_no_delta(original, self, guarantee):
    """That a rare text may be kept is no part of the delta of columns and learning."""
    return replace(original(self, guarantee), delta=guarantee.delta)


@mutant(
    "composition forgotten",
    "data.proposal:Plan.histogram",
    "test_given_its_noisy_counts_a_proposal_costs_what_it_says",
)
def a_histogram_with_all_of_rho(original, self, column):
    """Each histogram has the noise of a single column."""
    return replace(original(self, column), variance=1 / self.rho)


@mutant(
    "seed not inherited",
    "privacy.guarantee:total",
    "test_every_document_states_the_cost_of_all_that_is_in_it",
)
def seeded_columns_are_laundered(original, parts):
    """What was learned without a seed over columns with one says that it is private."""
    whole = list(parts)
    return replace(original(whole), seeded=whole[-1].guarantee.seeded)


@mutant("wrong sensitivity", "learners.running:_histogram", "test_a_release_speaks_of_users")
def a_user_counts_with_all_records(original, hypothesis, sample, *given, **options):
    """All records of users are counted, and how many there are is told."""
    return original(hypothesis, getattr(sample, "pooled", lambda: sample)(), *given, **options)


@mutant(
    "wrong sensitivity",
    "learners.running:release_histogram",
    "test_a_replaced_record_moves_one_from_one_cell_to_another",
)
def a_record_counts_in_two_groups(original, scores, counts, *, groups=None, **options):
    """The last group is one of all records, so that each is in two cells."""
    if groups is not None:
        counts = np.concatenate([counts[:-1], counts.sum(axis=0, keepdims=True)])
    return original(scores, counts, groups=groups, **options)


@mutant("wrong sensitivity", "learners.running:release_histogram", _GROUPS)
def each_group_of_an_evaluation_pays_by_itself(original, scores, counts, **options):
    """Groups are disjoint, so a replaced record is said to move one cell, not two."""
    if options.get("groups") is not None:
        options["epsilon"] *= 2
    return original(scores, counts, **options)


@mutant("noise left out", "learners.running:release_histogram", _GROUPS)
def the_group_of_all_others_has_no_noise(original, scores, counts, **options):
    """Whoever is in no named group is not shown by name, so these counts are exact."""
    found = original(scores, counts, **options)
    if found.groups is None:
        return found
    exact = tuple(tuple(map(int, row)) for row in np.asarray(counts)[-1])
    groups = replace(found.groups, counts=(*found.groups.counts[:-1], exact))
    return replace(found, counts=groups.total, groups=groups)


@mutant("refusal by the data", _RUN, _GENERIC)
def refuses_if_all_labels_are_equal(original, learner, sample, source, **options):
    """An error that only some data sets raise is an output that nobody paid for."""
    if sample.positives == sample.n:
        raise ValueError("only one class")
    return original(learner, sample, source, **options)


@mutant("exact count shown", _RUN, _GENERIC)
def prints_what_it_sees(original, learner, sample, source, **options):
    """A line for debugging."""
    print("positives:", sample.positives)
    return original(learner, sample, source, **options)


@mutant("exact count shown", _RUN, _GENERIC)
def logs_what_it_sees(original, learner, sample, source, **options):
    """A log line of the level 'warning'."""
    logging.warning("%d distinct points", len(sample.points))
    return original(learner, sample, source, **options)


@mutant("warning by the data", _RUN, _GENERIC)
def warns_if_labels_are_rare(original, learner, sample, source, **options):
    """A warning that depends on the records."""
    if sample.positives < sample.n / 2:
        warnings.warn("few positives", stacklevel=2)
    return original(learner, sample, source, **options)


@mutant("exact count shown", _RUN, _GENERIC)
def the_model_file_names_the_number_of_points(original, learner, sample, source, **options):
    """'n_distinct' in the metadata of a model."""
    columns = {**(options.get("columns") or {}), "distinct": str(len(sample.points))}
    return original(learner, sample, source, **options | {"columns": columns})


@mutant("records kept in the model", _RUN, _GENERIC)
def the_hypothesis_carries_its_sample(original, learner, sample, source, **options):
    """An attribute for later use: whoever unpickles the model has the records."""
    made = original(learner, sample, source, **options)
    vars(made.hypothesis)["sample_"] = sample
    return made


@mutant("parameter from the data", _RUN, _GENERIC)
def a_certificate_for_the_positive_records(original, learner, sample, source, **options):
    """The certificate is computed with a private number."""
    made = original(learner, sample, source, **options)
    return replace(made, certificate=learner.certificate(sample.positives + 1))


@mutant("order of payment", _RUN, "test_loops_without_a_bound_leave_slack")
def draws_and_then_pays(original, learner, sample, source, **options):
    """A release that its ledger refuses was drawn all the same."""
    learner.draw(sample, source)
    return original(learner, sample, source, **options)


@mutant("budget not counted", _ALLOWS, "test_what_plainly_fits_is_not_refused")
def a_ledger_that_forgets(original, self, spent, price):
    """Each release is compared with the whole budget."""
    return original(self, Price(Fraction(0), Fraction(0)), price)


@mutant("rounding", _ALLOWS, "test_a_budget_is_spent_exactly")
def a_ledger_in_floats(original, self, spent, price):
    """Sums in floats: what is small enough costs nothing."""
    return all(
        float(s) + float(p) <= float(most)
        for s, p, most in zip(spent, price, self.limit, strict=True)
    )


@mutant("wrong neighbours", "privacy.ledger:Ledger._terms", "test_a_refusal_spends_nothing")
def any_ledger_for_any_release(original, self, promise, better):
    """A budget of users pays for the protection of records."""
    if isinstance(promise, Guarantee):
        promise = replace(promise, neighbours=self.neighbours)
    return original(self, promise, better)


@mutant("composition forgotten", "privacy.compose:routes", "test_pure_sum_is_exact")
def the_largest_epsilon_instead_of_the_sum(original, losses, **options):
    """Parallel composition for mechanisms on the same records."""
    losses = list(losses)
    largest = max((loss.reach or Fraction(0) for loss in losses), default=Fraction(0))
    found = original(losses, **options)
    return tuple(replace(r, epsilon=largest) if r.name == "sum" else r for r in found)


@mutant("composition forgotten", "privacy.compose:routes", "test_pure_sum_is_exact")
def leaks_are_not_added(original, losses, *, delta=0):
    """The deltas of the parts: the largest one is taken for all."""
    losses = list(losses)
    leaks = [loss.leak for loss in losses]
    found = original(losses, delta=Fraction(delta) + sum(leaks) - max(leaks, default=Fraction(0)))
    return tuple(replace(route, delta=Fraction(delta)) for route in found)


@mutant("wrong theorem", "privacy.compose:_tight", "test_zcdp_conversions")
def a_conversion_with_half_of_the_logarithm(original, divergence, order, delta):
    """From zCDP to (epsilon, delta), with a factor 1/2 before ln(1/delta)."""
    return original(divergence, order, delta) + (order * delta).log() / 2 / (order - 1)


@mutant("wrong theorem", "privacy.compose:_pure_rho", "privacy/test_filters.py::test_prices")
def every_mechanism_is_of_bounded_range(original, epsilon):
    """epsilon**2/8 is for the exponential mechanism, not for every pure one."""
    return min(epsilon**2 / 8, epsilon)


@mutant("rounding", "privacy.guarantee:float_up", "test_rounding_never_flatters")
def epsilon_rounded_to_the_nearest_float(original, x):
    """What is shown is a little less than what is promised."""
    return float(Fraction(x))


@mutant("rounding", "privacy.guarantee:round_up", "test_numbers_stay_short_and_never_shrink")
def decimals_rounded_down(original, x, digits=15):
    """A composed epsilon that is cut after 15 digits."""
    with localcontext(prec=digits, rounding=ROUND_DOWN):
        return Fraction(Decimal(x.numerator) / Decimal(x.denominator))


@mutant("rounding", "errors:exact_value", "test_rho_has_no_delta")
def epsilon_read_with_few_digits(original, value):
    """0.123456789 becomes the nearest fraction with a small denominator."""
    exact = original(value)
    return exact.limit_denominator(1000) if isinstance(value, float) and exact else exact


@mutant("release text", "learners.running:_histogram", "test_a_release_speaks_of_users")
def how_many_records_were_looked_at(original, hypothesis, sample, *given, **options):
    """The text beside an evaluation says how many records there were: those of the users together,
    which is private.
    """
    made = original(hypothesis, sample, *given, **options)
    return replace(made, n=int(getattr(sample, "records", np.array(sample.n)).sum()))


_SPLIT = "test_no_record_pays_twice_by_the_split_of_the_front_door"


@mutant("wrong parts", "learners.fit:held_out_rows", _SPLIT)
def a_front_door_with_public_coins(original, n, first, source):
    """Which rows are held out is public: where these are sorted, a replaced one moves others."""
    return original(n, first, SeededSource(0))


@mutant("wrong parts", "learners.fit:held_out_rows", _SPLIT)
def the_first_rows_are_held_out(original, n, first, source):
    """A rule for places."""
    return np.arange(n) < first


@mutant("wrong parts", "data.tables:Table.split", _SPLIT)
def a_table_is_split_by_content(original, self, first, columns, caller):
    """The rows with the least cells are held out, wherever they stand."""
    (cells,) = (piece[0].to_pylist() for piece in self.pieces(columns[:1], caller))
    least = np.argsort(np.array(cells).astype(float), kind="stable")[: first.sum()]
    return original(self, np.isin(np.arange(len(first)), least), columns, caller)


@mutant(
    "measured on what was learned",
    "planning.population:Twin.draw",
    "test_it_is_the_fit_that_releases",
)
def a_rehearsal_measures_what_was_learned(original, self, n, generator):
    """A model is measured on the rows that it has seen."""
    learned, _ = original(self, n, generator)
    return learned, learned


@mutant("not in the hash", "learners.task:_digest", "test_changed_protocols_are_refused")
def a_protocol_can_be_changed(original, rest):
    """The hash of a protocol leaves out what is asked."""
    return original({name: value for name, value in rest.items() if name != "fit"})
