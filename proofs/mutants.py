"""False variants of the statements: none of them may compile. Run `check.py` first."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

THEORIES = Path(__file__).parent / "theories"
#: File, words of it, what they become.
MUTANTS = (
    ("exp_mech", "pure (q ^+ 2) (exp_mech s)", "pure q (exp_mech s)"),
    ("exp_mech", "`|s h - s' h| <= 1) -> dp", "`|s h - s' h| <= 2) -> dp"),
    ("range", "bounded_range (q ^+ 2) (exp_mech q s)", "bounded_range q (exp_mech q s)"),
    ("range", "s' h <= s h <= s' h + 1) ->\n  pure q", "s' h - 1 <= s h <= s' h + 1) ->\n  pure q"),
    ("level_draw", "law (fun l => (size_of l)%:R * v l)", "law (fun l => v l)"),
    ("leveled", "(size_of level l)%:R * v l else b", "v l else b"),
    ("leveled", "/ (size_of level (level h))%:R\n", "\n"),
    ("leveled", "%:R * v l else b", "%:R * v l else 0"),
    ("sensitivity", "errors D' h + 1)%N", "errors D' h)%N"),
    ("sums", "(score D h <= score D' h + m)%N", "(score D h <= score D' h + 1)%N"),
    ("sums", "pure ((r ^+ m) ^+ 2) (exp_score D)", "pure (r ^+ 2) (exp_score D)"),
    ("sums", "count (err h) (take m records)", "count (err h) records"),
    ("sums", "<= e ^+ size after * transcript M'", "<= e * transcript M'"),
    ("sums", "weigh before x * err h x", "(weigh before x + 1) * err h x"),
    ("additive", "(f z h - f z' h) - (f z g - f z' g) <= m%:Z", "f z h - f z' h <= m%:Z"),
    ("additive", "bounded_range (r ^+ m) (law", "bounded_range r (law"),
    ("additive", "R := mu h * r ^", "R := mu h + 1 * r ^"),
    ("tree_draw", "(draw l (yes s D) * draw r (no s D))", "(draw l (yes s D) * draw r (yes s D))"),
    ("sparse", "q * k%:R / delta.", "k%:R / delta."),
    ("sparse", "Definition bottom : R := q * k%:R / delta", "Definition bottom : R := q / delta"),
    ("entering", "(q ^+ low * k%:R) <= delta * b", "k%:R <= delta * b"),
    ("entering", "(#|A' :\\: A| <= k)%N ->\n  (forall", "(#|A' :\\: A| <= k.+1)%N ->\n  (forall"),
    ("deal", "i \\in deal t j' -> j = j'", "i \\in deal t j' -> i = i"),
    ("deal", "-> dp e d (M j B) (M j B').\n\nLet", "-> dp e (d + 1) (M j B) (M j B').\n\nLet"),
    ("product", "(forall j, j != a -> p j =1 p' j) -> dp", "dp"),
    (
        "histogram",
        "Theorem histogram_dp D D' : replace_one D D' -> dp (u ^+ 2) d",
        "Theorem histogram_dp D D' : replace_one D D' -> dp u d",
    ),
    ("histogram", "K 1 nothing = 1 - d", "K 1 nothing = 1 - d - d"),
    ("subsample", "m%:R / n%:R * (e - 1)", "m%:R / n.+1%:R * (e - 1)"),
    ("threshold", "P <= es * (u ^+ 2) ^+ K * P'.", "P <= es * u ^+ K * P'."),
    ("threshold", "es * u ^+ K.-1 <= e -> u ^+ K <= e", "es <= e -> u ^+ K <= e"),
    ("threshold", "(count id t1 < K)%N \\/ t2 = [::]", "(count id t1 <= K)%N \\/ t2 = [::]"),
    ("noise", "x ^+ n.+1 * c end", "x ^+ n * c end"),
    ("noise", "noised c o <= (x^-1) ^+ k *", "noised c o <= x^-1 *"),
    ("stream", "^+ K) ^+ size ts * e2 * P'", "^+ K) * e2 * P'"),
    ("stream", "P <= es * (u ^+ 2) ^+ K * e2 * P'", "P <= es * (u ^+ 2) ^+ K * P'"),
    ("stream", "size g <> size past -> t = h", "(size g < size past)%N -> t = h"),
    ("stream", "(count id (tests t1) < 1)%N", "(count id (tests t1) <= 1)%N"),
    ("stream", "<= e ^+ uses ts * replies", "<= e * replies"),
    ("stream", "<= c * e2 * (\\sum_(i <- r) P' i) + d", "<= e2 * (\\sum_(i <- r) P' i) + d"),
    ("stream", "+ d /\\\n  \\sum_(i <- r) P' i", "+ d / 2%:R /\\\n  \\sum_(i <- r) P' i"),
    ("compose", "dp (e1 * e2) (d1 + d2)", "dp (e1 * e2) (Num.max d1 d2)"),
)


def accepted(name: str, old: str, new: str) -> bool:
    """Whether Coq accepts a file with some words replaced."""
    text = (THEORIES / f"{name}.v").read_text(encoding="utf-8")
    assert old in text, (name, old)
    with tempfile.TemporaryDirectory() as folder:
        for compiled in THEORIES.glob("*.vo"):
            shutil.copy(compiled, folder)
        (Path(folder) / f"{name}.v").write_text(text.replace(old, new), encoding="utf-8")
        command = ["coqc", "-w", "none", "-R", ".", "DP", f"{name}.v"]
        return not subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode


def main() -> None:
    """Try all of them."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = pool.map(accepted, *zip(*MUTANTS, strict=True))
        wrong = [mutant for mutant, passed in zip(MUTANTS, verdicts, strict=True) if passed]
    if wrong:
        raise SystemExit(f"Coq accepts false variants: {wrong}")
    print(f"{len(MUTANTS)} false variants are refused")


if __name__ == "__main__":
    main()
