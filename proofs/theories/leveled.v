(* 3. The leveled choice as the program has it: bottom, if there is one, beside levels of candidates. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DP Require Import law level_draw.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Leveled.
Variables (R : realFieldType) (H L : finType) (level : H -> L) (v : L -> R) (b : R).

(* None is bottom, of weight b; candidates of one level share a weight *)
Definition weight (o : option H) : R := if o is Some h then v (level h) else b.
(* what is presented to the source, and what is done with its answer *)
Definition presented (l : option L) : R := if l is Some l then (size_of level l)%:R * v l else b.
Definition leveled (o : option H) : R :=
  if o is Some h then law presented (Some (level h)) / (size_of level (level h))%:R
  else law presented None.

Let up : option H -> option L := omap level.
Let value (l : option L) : R := if l is Some l then v l else b.

Lemma size_none : size_of up None = 1%N.
Proof. by apply: (@eq_card1 _ None) => -[h|]; rewrite !inE. Qed.

Lemma size_some l : size_of up (Some l) = size_of level l.
Proof.
rewrite /size_of -[RHS](card_image (@Some_inj _)); apply: eq_card => -[h|]; rewrite !inE /=.
  by rewrite mem_image ?inE //; apply: Some_inj.
by apply/esym/negbTE/imageP => -[].
Qed.

Lemma total_presented : total presented = total weight.
Proof.
transitivity (total (fun l => (size_of up l)%:R * value l)).
  by apply: eq_bigr => -[l|] _; rewrite ?size_some ?size_none ?mul1r.
by rewrite total_levels; apply: eq_bigr => -[].
Qed.

Theorem leveledE : leveled =1 law weight.
Proof.
case=> [h|]; rewrite /leveled /law total_presented //= mulrAC [_ * v _]mulrC mulfK //.
by rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists h; rewrite inE.
Qed.

End Leveled.
Print Assumptions leveledE.
