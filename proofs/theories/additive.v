(* 4b. Scores that are a sum over records, with any public multiplicities: bounded range, all n. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DP Require Import law range sensitivity.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Range.
Variables (R : realFieldType) (H : finType).
Implicit Types (e : R) (p w : H -> R).

(* bounded range of two laws is pure privacy with the same factor *)
Theorem range_pure e p p' : is_law p -> is_law p' -> bounded_range e p p' -> pure e p p'.
Proof.
move=> [_ p1] [_ p'1] le h.
rewrite -[p h]mulr1 -[e * p' h]mulr1 -{1}p'1 -p1 !mulr_sumr.
by apply: ler_sum => g _; rewrite -mulrA; apply: le.
Qed.

Lemma range_law e w w' : 0 <= total w -> 0 <= total w' ->
  bounded_range e w w' -> bounded_range e (law w) (law w').
Proof.
move=> T T' le h g; rewrite /law mulrACA [w' h / _ * _]mulrACA.
rewrite [(total w')^-1 * _]mulrC [X in _ <= X]mulrA ler_wpmul2r //.
by rewrite mulr_ge0 ?invr_ge0.
Qed.
End Range.

Section Additive.
Variables (n m : nat) (X : eqType) (H : finType) (f : X -> H -> int).
(* the oscillation over h (of any outcome, also bottom) of what one record changes *)
Hypothesis oscillation : forall z z' h g, (f z h - f z' h) - (f z g - f z' g) <= m%:Z.
Variables (R : realFieldType) (r : R) (mu : H -> R) (h0 : H).
Hypotheses (r1 : 1 < r) (mu0 : forall h, 0 < mu h).
Implicit Types D : n.-tuple X.

(* mu: multiplicities and offsets, from public parameters, n, and what is released already *)
Definition total_score D (h : H) : int := \sum_(i < n) f (tnth D i) h.
Definition weight D (h : H) : R := mu h * r ^ total_score D h.

Let r0 : 0 < r := lt_trans ltr01 r1.

Lemma weight_gt0 D h : 0 < weight D h. Proof. by rewrite mulr_gt0 ?exprz_gt0. Qed.

Lemma total_gt0 D : 0 < total (weight D).
Proof.
rewrite /total (bigD1 h0) //= ltr_paddr ?weight_gt0 //.
by apply: sumr_ge0 => h _; apply/ltW/weight_gt0.
Qed.

Lemma total_score_oscillates D D' h g : replace_one D D' ->
  total_score D h + total_score D' g <= m%:Z + (total_score D' h + total_score D g).
Proof.
case=> i eqD; rewrite /total_score !(bigD1 i (P := predT)) //=.
have same k : \sum_(j < n | j != i) f (tnth D j) k = \sum_(j < n | j != i) f (tnth D' j) k.
  by apply: eq_bigr => j /eqD ->.
rewrite !same -ler_subl_addr [X in X - _]addrACA [X in _ - X]addrACA.
rewrite opprD [X in X <= _]addrACA addrN addr0.
have := oscillation (tnth D i) (tnth D' i) h g.
by rewrite opprB addrACA -opprD.
Qed.

Theorem additive_range D D' :
  replace_one D D' -> bounded_range (r ^+ m) (law (weight D)) (law (weight D')).
Proof.
move=> adj; apply: range_law => [||h g]; try exact/ltW/total_gt0.
rewrite /weight [X in X <= _]mulrACA [X in _ <= _ * X]mulrACA [X in _ <= X]mulrCA.
rewrite ler_wpmul2l ?mulr_ge0 ?(ltW (mu0 _)) //.
rewrite exprnP -!expfzDr ?gt_eqF // ler_eexpz2l //.
exact: total_score_oscillates.
Qed.

Theorem additive_pure D D' :
  replace_one D D' -> pure (r ^+ m) (law (weight D)) (law (weight D')).
Proof.
by move=> adj; apply: range_pure (additive_range adj); apply: law_is_law (total_gt0 _) => h;
  apply/ltW/weight_gt0.
Qed.

End Additive.
Print Assumptions additive_range.
Print Assumptions additive_pure.
