(* 8a. Independent draws: if the law of one of them changes, nothing else pays. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DP Require Import law compose.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Product.
Variables (R : realFieldType) (J Y : finType).
Implicit Types (p : J -> Y -> R) (o : {ffun J -> Y}).

Definition product p o : R := \prod_j p j (o j).

(* all draws but that of a, whose value is x *)
Definition rest p (a : J) (x : Y) o : R :=
  \prod_j (if j == a then (o j == x)%:R else p j (o j)).

Lemma product_push p a o : product p o = push (p a) (rest p a) o.
Proof.
rewrite /push (bigD1 (o a)) //= big1 => [|x xo]; last first.
  by rewrite /rest (bigD1 a) //= eqxx eq_sym (negPf xo) mul0r mulr0.
rewrite addr0 /product /rest (bigD1 a) //= [in RHS](bigD1 a) //= !eqxx mul1r; congr (_ * _).
by apply: eq_bigr => j /negPf ->.
Qed.

Lemma product_is_law p : (forall j, is_law (p j)) -> is_law (product p).
Proof.
move=> laws; split=> [o|]; first by apply: prodr_ge0 => j _; case: (laws j).
rewrite /product -(bigA_distr_bigA (fun j y => p j y)) big1 // => j _.
by case: (laws j).
Qed.

Lemma rest_kernel p a : (forall j, is_law (p j)) -> kernel (rest p a).
Proof.
move=> laws x.
pose q j y : R := if j == a then (y == x)%:R else p j y.
have : is_law (product q).
  apply: product_is_law => j; rewrite /q; case: (j == a) => //.
  split=> [y|]; first by rewrite ler0n.
  by rewrite (bigD1 x) //= eqxx big1 ?addr0 // => y /negPf ->.
by case=> p0 p1; split.
Qed.

Theorem product_dp p p' a e d : 0 <= e -> (forall j, is_law (p j)) -> is_law (p' a) ->
  (forall j, j != a -> p j =1 p' j) -> dp e d (p a) (p' a) -> dp e d (product p) (product p').
Proof.
move=> e0 laws [p'0 _] same le A.
have E : Pr (product p) A = Pr (push (p a) (rest p a)) A.
  by apply: eq_bigr => o _; apply: product_push.
have E' : Pr (product p') A = Pr (push (p' a) (rest p a)) A.
  apply: eq_bigr => o _; rewrite (product_push p' a) /push; apply: eq_bigr => x _; congr (_ * _).
  by apply: eq_bigr => j _; case: eqP => // /eqP ja; rewrite same.
by rewrite E E'; apply: post_process => //; apply: rest_kernel.
Qed.
End Product.
Print Assumptions product_dp.
