(* 4. Sums of terms of at most m: users with bounded contributions; rounds with weighted records. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DP Require Import law exp_mech sensitivity.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sums.
Variables (n m : nat) (X : eqType) (H : finType) (loss : H -> X -> nat).
Hypothesis loss_le : forall h x, (loss h x <= m)%N.
Implicit Types D : n.-tuple X.

Definition score D (h : H) : nat := \sum_(i < n) loss h (tnth D i).

Theorem score_sensitivity D D' h : replace_one D D' -> (score D h <= score D' h + m)%N.
Proof.
case=> i eqD; rewrite /score (bigD1 i) //= [in X in (_ <= X)%N](bigD1 i) //=.
rewrite (eq_bigr (fun j => loss h (tnth D' j))) => [|j /eqD ->] //.
by rewrite addnAC leq_add2r (leq_trans (loss_le _ _)) // leq_addl.
Qed.

Variables (R : realFieldType) (r : R).
Hypothesis r1 : 1 < r.

(* weight of h: r ^ -score; r = exp(epsilon / (2 m)), so that exp(epsilon) = (r ^ m) ^ 2 *)
Definition exp_score D : H -> R := exp_mech r (fun h => - (score D h)%:Z).

Theorem exp_score_pure D D' :
  replace_one D D' -> pure ((r ^+ m) ^+ 2) (exp_score D) (exp_score D').
Proof.
move=> adj; have r0 := q_gt0 r1.
have step (E E' : n.-tuple X) h : replace_one E E' ->
    r ^ (- (score E h)%:Z) <= r ^+ m * r ^ (- (score E' h)%:Z).
  move=> near; rewrite exprnP -expfzDr ?gt_eqF // ler_eexpz2l //.
  rewrite ler_subr_addr addrC ler_subl_addr -PoszD lez_nat addnC.
  exact/score_sensitivity/replace_oneC.
apply: law_ratio => [|h|h|h]; first exact: exprn_gt0.
- by rewrite exprz_ge0 // ltW.
- exact: step.
- exact/step/replace_oneC.
Qed.

End Sums.

(* users: each has a list of records, and the first m of them count *)
Section Users.
Variables (n m : nat) (Z : eqType) (H : finType) (err : H -> Z -> bool) (R : realFieldType) (r : R).
Definition user_errors (h : H) (records : seq Z) : nat := count (err h) (take m records).

Lemma user_errors_le h records : (user_errors h records <= m)%N.
Proof. by rewrite (leq_trans (count_size _ _)) // size_take; case: ltnP. Qed.

Theorem users_pure (D D' : n.-tuple (seq Z)) : 1 < r -> replace_one D D' ->
  pure ((r ^+ m) ^+ 2) (exp_score user_errors r D) (exp_score user_errors r D').
Proof. by move=> r1; apply: exp_score_pure => //; apply: user_errors_le. Qed.
End Users.

(* rounds: each may depend on what all earlier ones released *)
Section Rounds.
Variables (R : realFieldType) (Y : finType).
Implicit Types M : seq Y -> Y -> R.

Fixpoint transcript M (before after : seq Y) : R :=
  if after is y :: rest then M before y * transcript M (rcons before y) rest else 1.

Lemma transcript_ge0 M before after : (forall h y, 0 <= M h y) -> 0 <= transcript M before after.
Proof. by move=> M0; elim: after before => [|y t IH] h /=; rewrite ?ler01 // mulr_ge0. Qed.

Theorem rounds_pure e M M' before after : (forall h y, 0 <= M h y) ->
  (forall h, pure e (M h) (M' h)) ->
  transcript M before after <= e ^+ size after * transcript M' before after.
Proof.
move=> M0 le; elim: after before => [|y rest IH] before /=; first by rewrite expr0 mul1r.
rewrite exprS mulrACA; apply: ler_pmul; rewrite ?transcript_ge0 //; exact: le.
Qed.
End Rounds.

(* boosting: a record weighs at most m, by itself and by the hypotheses that are out *)
Section Boosting.
Variables (n m : nat) (X : eqType) (H : finType) (err : H -> X -> bool) (weigh : seq H -> X -> nat).
Hypothesis weigh_le : forall h x, (weigh h x <= m)%N.
Variables (R : realFieldType) (r : R).
Hypothesis r1 : 1 < r.

Definition weighted (before : seq H) (h : H) (x : X) : nat := weigh before x * err h x.
Definition round (D : n.-tuple X) (before : seq H) : H -> R := exp_score (weighted before) r D.

Theorem boosting_pure (D D' : n.-tuple X) released : replace_one D D' ->
  transcript (round D) [::] released
  <= ((r ^+ m) ^+ 2) ^+ size released * transcript (round D') [::] released.
Proof.
move=> adj; have r0 := q_gt0 r1.
have pos (E : n.-tuple X) before h : 0 <= round E before h.
  have w g : 0 <= r ^ (- (score (weighted before) E g)%:Z) by rewrite exprz_ge0 // ltW.
  by rewrite /round /exp_score /exp_mech /law divr_ge0 // sumr_ge0.
apply: rounds_pure => // before; apply: exp_score_pure => // h x; rewrite /weighted; case: (err h x).
  by rewrite muln1.
by rewrite muln0.
Qed.
End Boosting.
Print Assumptions users_pure.
Print Assumptions boosting_pure.
