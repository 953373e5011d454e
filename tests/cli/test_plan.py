"""littlestone plan beyond the table: solve, models; fit --agnostic."""

import pytest
from checker import check_all

PUBLIC = "--beta 0.05 --class thresholds(1,99)"


def test_json_is_checked_by_the_independent_checker(run):
    done = run(f"plan --epsilon 1 --alpha 0.1 --delta 1e-6 --json {PUBLIC}").json
    found = check_all(done)
    assert len(found) >= 7
    assert not any(found.values())
    assert {"plans", "chosen", "why", "cheaper", "lower_bounds", "non_private"} <= set(done)
    explicit = [b for b in done["lower_bounds"] if b["status"] == "explicit"]
    assert explicit
    needed = {plan["learner"]: plan.get("n", 10**9) for plan in done["plans"]}
    for bound in explicit:
        if bound["setting"] == "realizable":
            assert bound["n"] <= min(needed.values())
        else:
            assert bound["n"] <= needed["agnostic"]
    unknown = [b for b in done["lower_bounds"] if b["constant"] == "unknown"]
    assert [b["n"] for b in unknown] == [None] * len(unknown)


@pytest.mark.more
def test_streams_beside_what_no_learner_can_do_better(run):
    line = "plan --epsilon 1 --alpha 0.1 --beta 0.05 --delta 1e-6 --class points() --horizon"
    found = run(f"{line} 100000 --json").json
    assert not any(check_all(found).values())
    stream = found["stream"]
    assert stream["bound"]["holds"]
    assert stream["bound"]["adaptive"]
    known = {b["order"]: (b["mistakes"], b["constant"]) for b in stream["lower_bounds"]}
    assert known["Omega(d)"] == (0.5, "explicit")
    assert known["Omega(log T)"] == (None, "unknown")
    said = run(f"{line} 100000 --report page.html").out
    assert f"at most {stream['bound']['mistakes']} mistakes" in " ".join(said.split())
    assert "Omega(log T): constant unknown" in " ".join(said.split())
    assert "the stream is too short" in " ".join(run(f"{line} 20").out.split())
    assert run(f"{line} 0").code == 2
    assert run(f"{line} 9 --solve epsilon --n 9").code == 2
    refused = run(
        "plan --epsilon 1 --alpha 0.1 --beta 0.05 --delta 1e-6 --horizon 99 "
        "--class conjunctions(40)"
    )
    assert refused.code == 2
    said = " ".join(refused.err.split())
    assert "No learner can promise this for conjunctions(40)" in said
    assert "on some stream: Omega(d): at least 20.5" in said  # half of the Littlestone dimension
    pure = run(line.replace(" --delta 1e-6", "").replace("points()", "thresholds(1,99)") + " 99999")
    assert "In a stream of 99,999 rows, littlestone stream makes at most" in pure.out


@pytest.mark.more
def test_solve(run):
    done = run(f"plan --solve epsilon --n 400 --alpha 0.1 --json {PUBLIC}").json
    best = done["solutions"][0]
    assert best["learner"] == "generic"
    again = run(f"plan --epsilon {best['value']} --alpha 0.1 --json {PUBLIC}").json
    needed = {plan["learner"]: plan.get("n") for plan in again["plans"]}
    assert needed["generic"] <= 400
    assert "0." in run(f"plan --solve alpha --n 2000 --epsilon 1 {PUBLIC}").out
    users = run(f"plan --solve alpha --n 200 --epsilon 1 --samples-per-user 4 {PUBLIC}")
    assert "200 users" in users.out


@pytest.mark.parametrize(
    ("line", "lesson"),
    [
        ("--solve epsilon --alpha 0.1", "plan needs --n"),
        ("--solve beta --n 5 --epsilon 1 --alpha 0.1", "for --solve. Choose"),
        ("--solve epsilon --n 5 --epsilon 1 --alpha 0.1", "leave it out"),
        ("--epsilon 1", "plan needs --alpha"),
        ("--epsilon 1 --alpha 0.1 --n 7", "--solve"),
    ],
)
def test_mistakes_are_taught(run, line, lesson):
    done = run(f"plan {line} {PUBLIC}")
    assert done.code == 2
    assert lesson in done.err


def test_too_few_for_any_value_is_infeasible(run):
    done = run(f"plan --solve epsilon --n 3 --alpha 0.1 --json {PUBLIC}")
    assert done.code == 3
    assert done.json["error"]["n_needed"] > 3


@pytest.mark.parametrize(("model", "words"), [("boosted", "rehearse TWIN"), ("tree", "--class")])
def test_models_are_rehearsed(run, model, words):
    done = run(f"plan --model {model} --epsilon 1")
    assert done.code == 2
    assert words in done.err


@pytest.mark.first(1)
@pytest.mark.parametrize("learner", ["vc1", "littlestone"])
def test_fit_agnostic(run, folder, learner):
    concepts = "thresholds" if learner == "vc1" else "points"
    line = f"fit data.csv --x age --y adult --epsilon 60 --class {concepts}(1,99) --delta 1e-6"
    done = run(f"{line} --alpha 0.4 --beta 0.4 --learner {learner} --agnostic --json").json
    assert done["learner"] == f"agnostic:{learner}"
    assert done["guarantee"]["claim"].startswith("dp.sum(agnostic.two-sample.privacy(")
    named = run(f"{line} --alpha 0.4 --beta 0.4 --learner agnostic:{learner} --json").json
    assert named["required_samples"] == done["required_samples"]
    assert run(f"{line.replace(' --delta 1e-6', '')} --learner generic --agnostic --json").json[
        "learner"
    ] == "agnostic"  # fmt: skip


@pytest.mark.more
def test_plan_says_when_privacy_is_not_the_bottleneck(run):
    line = "plan --alpha 0.1 --beta 0.05 --class points() --epsilon"
    assert "Privacy is not the bottleneck" in run(f"{line} 2").out
    assert "Privacy is not the bottleneck" not in run(f"{line} 1/20").out
