"""Bugs in parts and votes: who sees a record, and what is counted of it."""

from __future__ import annotations

from littlestone.audit.controls.control import Control

__all__ = ["IN_PARTS"]

IN_PARTS: tuple[Control, ...] = (
    Control(
        "a deal without a permutation",
        "dealing forgotten",
        "Counted records are dealt in their sorted order: one smaller record shifts all others.",
        "data.dealing",
        "order = source.permutation(sample.n)",
        "order = np.arange(sample.n)",
        "dealt from counts",
    ),
    Control(
        "places that everybody can draw",
        "secret made public",
        "Outermost records get their places from public coins; they are walked in sorted order.",
        "learners.vc1.dealing",
        "            drawn = source.permutation(n, few)\n",
        "            drawn = source.public_rng().permutation(n)[:few]\n",
        "dealt from counts",
    ),
    Control(
        "a window for the paths that are there",
        "parameter from the data",
        "The window of the median depth is a share of the paths that force something, not of all.",
        "learners.vc1.two_step",
        "t, size = len(depths), self.budget.depth + 1",
        "t, size = sum(map(bool, depths)), self.budget.depth + 1",
        "paths that force nothing",
    ),
    Control(
        "only leaves with a record",
        "support from the data",
        "Leaves that no record speaks for or against are left out, to save time.",
        "learners.vc1.leaves",
        "            leaves.append(leaf)\n",
        "            if leaves and not any(positives[at] + negatives[at] for at in path):\n"
        "                continue\n"
        "            leaves.append(leaf)\n",
        "second part of a tree",
    ),
    Control(
        "teachers that share a record",
        "parts overlap",
        "Each teacher also hears the first record of the next one: a record has two lists.",
        "learners.littlestone.teachers",
        "dealt[i * chunk : (i + 1) * chunk]",
        "dealt[i * chunk : (i + 1) * chunk + 1]",
        "teachers of two records",
    ),
    Control(
        "records left over go to all teachers",
        "parts overlap",
        "So that none is wasted, every teacher hears the records that are fewer than a chunk.",
        "learners.littlestone.teachers",
        "part(sample, dealt[i * chunk : (i + 1) * chunk])",
        "part(sample, np.append(dealt[i * chunk : (i + 1) * chunk], dealt[teachers * chunk :]))",
        "teachers of two records",
    ),
    Control(
        "copies that share batches",
        "parts overlap",
        "The next copy starts one batch further, not behind all batches of the one before.",
        "learners.stable.algorithm",
        "                at += size\n",
        "                at += own.auxiliary\n",
        "one record, one copy",
    ),
    Control(
        "shared search memory",
        "hidden state",
        "Teachers share one kernel, so what one of them found saves others' budgets: an easy record"
        " of one teacher decides whether the others have lists.",
        "learners.littlestone.teachers",
        "space = self.space.fresh()",
        "space = self.space",
        "searches that remember",
    ),
    Control(
        "copies that remember",
        "hidden state",
        "The same for copies: one record changes what two of them submit.",
        "learners.stable.algorithm",
        "                    whole.fresh(),",
        "                    whole,",
        "searches that remember",
    ),
    Control(
        "a list that was too hard stops the fit",
        "refusal by the data",
        "A teacher's search that exceeds its budget is an error, and everybody sees it.",
        "learners.littlestone.teachers",
        "except (BudgetExceeded, UnsupportedError):",
        "except UnsupportedError:",
        "searches that are given up",
    ),
    Control(
        "stages pass by the votes themselves",
        "noise left out",
        "The test of a stage compares the best vote with the threshold, without noise.",
        "learners.littlestone.algorithm",
        "            if test.ask(votes.best):",
        "            if votes.best >= settings.threshold(count):",
        "stages",
    ),
    Control(
        "labels of the first part choose, too",
        "parts overlap",
        "The dichotomy is scored on all records: those of the first part are used twice.",
        "learners.agnostic.algorithm",
        "found = dichotomies(self.concept_class, first.points, second)",
        "found = dichotomies(self.concept_class, first.points, sample)",
        "labels of the first part",
    ),
    Control(
        "dichotomies at twice the rate",
        "half noise",
        "The rate is epsilon instead of half of it.",
        "learners.agnostic.algorithm",
        "labels = found.draw(selection_rate(self.epsilon), source)  # step 2",
        "labels = found.draw(2 * selection_rate(self.epsilon), source)",
        "choice of labels",
    ),
    Control(
        "points of the first part are free",
        "amplification too good",
        "Which dichotomies there are depends on the first part's points: a factor of 4 that the"
        " share of the pool has to pay for, and here does not.",
        "learners.agnostic.design",
        "rate = rate_for(budget.epsilon, promised.epsilon, 4)",
        "rate = rate_for(budget.epsilon, promised.epsilon, 1)",
        "share of the pool",
    ),
    Control(
        "values outside the domain are left out",
        "n depends on the data",
        "They are no points, so the median forgets them: n, and all that it decides, tells how many"
        " they were.",
        "mechanisms.median.values",
        '        ordered = np.sort(_integers(values, owner), kind="stable")\n',
        "        inside = [v for v in values if low <= v <= high]\n"
        '        ordered = np.sort(_integers(inside, owner), kind="stable")\n',
        "beside a median",
    ),
    Control(
        "a certificate for the different values",
        "parameter from the data",
        "The certificate beside a median is that for the number of distinct values.",
        "mechanisms.median.release",
        "certificate = chosen.certificate(ordered.n, beta)",
        "certificate = chosen.certificate(len(ordered.points), beta)",
        "beside a median",
    ),
)
