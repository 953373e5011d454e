(* 5b. Entering candidates: scores move by at most 1, and few low ones enter, beside bottom. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DP Require Import law exp_mech sparse.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Entering.
Variables (R : realFieldType) (H : finType) (q delta b : R) (k low : nat).
Hypotheses (q1 : 1 < q) (delta0 : 0 < delta) (delta1 : delta < 1) (b0 : 0 < b).
(* the least b is k q^low (1 - delta) / delta *)
Hypothesis hidden : (1 - delta) * (q ^+ low * k%:R) <= delta * b.
Implicit Types (A : {set H}) (s : H -> int).

(* the candidates A that a data set brings, of any scores, beside bottom *)
Definition beside A s (o : option H) : R :=
  if o is Some h then if h \in A then q ^ s h else 0 else b.

Let q0 : 0 < q := q_gt0 q1.

Lemma beside_ge0 A s o : 0 <= beside A s o.
Proof. by case: o => [h|] /=; [case: ifP => // _; rewrite exprz_ge0 // ltW|apply: ltW]. Qed.

Lemma beside_eq0 A s h : (beside A s (Some h) == 0) = (h \notin A).
Proof. by rewrite /=; case: ifP => _; rewrite ?eqxx // expfz_eq0 (gt_eqF q0) andbF. Qed.

Section Pair.
Variables (A A' : {set H}) (s s' : H -> int).
Hypothesis near : forall h, h \in A -> h \in A' -> `|s h - s' h| <= 1.
Hypothesis few : (#|A :\: A'| <= k)%N.
Hypothesis small : forall h, h \in A -> h \notin A' -> s h <= low%:Z.

Lemma total_shared_ge : b <= total (shared (beside A s) (beside A' s')).
Proof.
rewrite /total (bigD1 None) //= {1}/shared /= (gt_eqF b0) ler_addl.
by apply: sumr_ge0 => o _; rewrite /shared; case: eqP => // _; apply: beside_ge0.
Qed.

Lemma shared_near o :
  shared (beside A s) (beside A' s') o <= q * shared (beside A' s') (beside A s) o.
Proof.
case: o => [h|]; rewrite /shared ?beside_eq0 /=; last first.
  by rewrite (gt_eqF b0) ler_pemull ?ltW.
case: (boolP (h \in A)) => hA; case: (boolP (h \in A')) => hA' /=; rewrite ?mulr0 //.
apply: exp_step => //; have := near hA hA'.
by rewrite ler_norml ler_subl_addl => /andP[_]; rewrite addrC.
Qed.

Lemma alone_few :
  \sum_(o in alone (beside A s) (beside A' s')) beside A s o <= q ^+ low * k%:R.
Proof.
rewrite big_mkcond /=.
apply: (@le_trans _ _ (\sum_(o in Some @: (A :\: A')) q ^+ low)); last first.
  rewrite sumr_const card_imset; last by move=> a c [].
  by rewrite -[_ *+ _]mulr_natr ler_wpmul2l ?exprn_ge0 ?(ltW q0) // ler_nat.
rewrite [X in _ <= X]big_mkcond /=; apply: ler_sum => -[h|] _; rewrite inE; last first.
  by rewrite /= (gt_eqF b0); case: ifP => // _; rewrite exprn_ge0 // ltW.
rewrite beside_eq0 mem_imset; last by move=> a c [].
rewrite inE /=; case: (boolP (h \in A')) => hA' //=.
case: (boolP (h \in A)) => hA //.
by rewrite exprnP ler_eexpz2l // small.
Qed.

Lemma part_few : 1 - part (beside A s) (beside A' s') <= delta.
Proof.
have V := lt_le_trans b0 total_shared_ge.
have S0 : 0 <= \sum_(o in alone (beside A s) (beside A' s')) beside A s o.
  by apply: sumr_ge0 => o _; apply: beside_ge0.
have T : 0 < total (beside A s) by rewrite (total_shared _ (beside A' s')) ltr_paddl.
rewrite -{1}(divff (lt0r_neq0 T)) /part -mulrBl ler_pdivr_mulr //.
rewrite {1}(total_shared (beside A s) (beside A' s')) addrK.
rewrite (total_shared (beside A s) (beside A' s')) mulrDr -ler_subl_addl -{1}[X in X - _]mul1r -mulrBl.
apply: le_trans (ler_wpmul2l _ alone_few) _; first by rewrite subr_ge0 ltW.
by apply: le_trans hidden _; rewrite ler_wpmul2l ?(ltW delta0) // total_shared_ge.
Qed.
End Pair.

Theorem entering_dp (A A' : {set H}) (s s' : H -> int) :
  (forall h, h \in A -> h \in A' -> `|s h - s' h| <= 1) ->
  (#|A :\: A'| <= k)%N -> (#|A' :\: A| <= k)%N ->
  (forall h, h \in A -> h \notin A' -> s h <= low%:Z) ->
  (forall h, h \in A' -> h \notin A -> s' h <= low%:Z) ->
  dp (q ^+ 2) delta (law (beside A s)) (law (beside A' s')).
Proof.
move=> near few few' small small'.
have near' h : h \in A' -> h \in A -> `|s' h - s h| <= 1.
  by move=> hA' hA; rewrite distrC near.
apply: (two_supports q0).
- exact: beside_ge0.
- exact: beside_ge0.
- exact: lt_le_trans b0 (total_shared_ge _ _ _ _).
- exact: lt_le_trans b0 (total_shared_ge _ _ _ _).
- exact: shared_near.
- exact: shared_near.
- exact: part_few.
- exact: part_few.
Qed.

End Entering.
Print Assumptions entering_dp.
