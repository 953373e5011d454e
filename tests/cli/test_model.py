"""``littlestone fit T --y LABEL --epsilon E``: nothing else is needed."""

import pytest

FIT = "fit data.csv --y adult --epsilon 8 --out m.json"


def test_a_table_a_label_and_an_epsilon_are_enough(run, folder):
    done = run(FIT)
    assert done.code == 0, done.err
    names = [line.split()[0] for line in done.out.splitlines() if line[:1].strip()]
    assert (
        names.index("Columns") < names.index("Model") < names.index("Delta") < names.index("Rule")
    )
    assert "epsilon 8/5 of the total" in done.out
    model = run(FIT + " --json").json
    assert model["guarantee"]["epsilon"] == 8
    assert "proposal" in str(model["class"])
    assert run("predict m.json data.csv").code == 0
    assert "change by a factor of at most 2981" in done.out, "columns and model together"
    assert run("report m.json --out p.html").code == 0
    assert "<dt>Privacy loss ε</dt><dd>8</dd>" in (folder / "p.html").read_text()


@pytest.mark.first(3)
@pytest.mark.parametrize("model", ["rule", "tree", "scorecard", "boosted"])
def test_each_model_is_learned_over_a_schema_for_all_of_epsilon(run, model):
    done = run(f"{FIT} --schema schema.toml --model {model} --json")
    assert done.code == 0, done.err
    assert done.json["guarantee"]["epsilon"] == 8
    held_out = model in ("scorecard", "boosted")  # what the first count leaves, or a tenth
    assert done.json["evaluation"]["epsilon"] == ("39/5" if held_out else "4/5")
    assert done.json["evaluation"]["held_out"] == held_out


@pytest.mark.more
def test_below_500_over_epsilon_nothing_is_evaluated_unasked(run, folder):
    line = FIT.replace("--epsilon 8", "--epsilon 0.5")
    done = run(f"{line} --schema schema.toml --report p.html")
    said = "1,000 records would be enough"
    assert done.out.count(said) == 2, "before the fit, and after it"
    assert said in (folder / "p.html").read_text()
    assert said not in run(f"{line} --schema schema.toml --evaluate 0.1").out
    assert "Certified" in run(f"{line} --schema schema.toml --holdout 0.3").out
    with_users = run(f"{line} --schema schema.toml --user person")
    assert "not evaluated: 1,000 users would be enough" in with_users.out


@pytest.mark.more
def test_a_ledger_pays_columns_and_fit(run):
    run("ledger create b.db --epsilon 8 --delta 1e-6")
    assert run(f"{FIT} --delta 1e-6 --ledger b.db").code == 0
    kept = run("ledger show b.db --json").json
    assert kept["spent"]["epsilon"] == 8
    assert len(kept["events"]) == 2, "the first count; the two parts of the records"
    assert run(f"{FIT} --ledger b.db").code == 4


def test_columns_of_x_are_learned_alone(run):
    done = run(f"{FIT} --x age --json")
    assert done.json["columns"]["x"] == ["age"]


def test_held_out_records_certify_the_error(run):
    done = run(f"{FIT} --schema schema.toml --holdout 0.3")
    assert "Certified" in done.out


def test_users_need_a_schema(run):
    assert "littlestone schema new" in run(f"{FIT} --user person").err
    for more in ("", " --samples-per-user 2 --model rule"):
        done = run(f"{FIT} --user person{more} --schema schema.toml --json")
        assert done.json["guarantee"]["neighbours"] == "user-replace"
        assert done.json["evaluation"]["epsilon"] == ("4/5" if more else "8")
    held_out = run(f"{FIT} --user person --schema schema.toml --holdout 0.3")
    assert "held-out records, one of each user" in held_out.out
    refused = run(f"{FIT} --user person --samples-per-user 2 --schema schema.toml")
    assert "--model rule" in refused.err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("--model forest", "scorecard"),
        ("--model tree --class points()", "--class or --model"),
        ("--learner vc1", "--class"),
        ("--agnostic", "--class"),
        ("--proper", "--class"),
        ("--subsample 1/2", "--class"),
        ("--costs 0=1,1=9", "--model tree"),
        ("--require-certificate", "--schema"),
        ("--require-certificate --schema schema.toml", "--model rule"),
        ("--labels a,b,c --model rule", "list, tree"),
        ("--epsilon 1e400", "at most 1.79769e+308"),
        ("--evaluate 7", "--evaluate"),
        ("--evaluate 0.1 --no-evaluate", "not both"),
        ("--holdout 0.2 --evaluate 8", "at most 196/25"),
        ("--holdout 0.2 --no-evaluate", "--no-evaluate"),
        ("--holdout 1e-9", "at least one of"),
        ("--x agee", "agee"),
        ("--delta 3", "--delta"),
        ("--strict", "--schema"),
    ],
)
def test_what_does_not_go_with_a_model_is_refused_before_anything_is_paid(run, more, words):
    run("ledger create b.db --epsilon 100 --delta 1e-6")
    line = FIT if "--epsilon" not in more else FIT.replace("--epsilon 8", "")
    done = run(f"{line} --ledger b.db {more}")
    assert done.code in (2, 3)
    assert words in done.err
    assert run("ledger show b.db --json").json["spent"]["epsilon"] == 0
