(* 11. The stable histogram: noisy counts of the items that occur, far above a threshold. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DP Require Import law sensitivity product.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Transitive.
Variables (R : realFieldType) (Y : finType).
Theorem dp_trans (e1 d1 e2 d2 : R) (p q r : Y -> R) : 0 <= e1 ->
  dp e1 d1 p q -> dp e2 d2 q r -> dp (e1 * e2) (d1 + e1 * d2) p r.
Proof.
move=> e0 le1 le2 A; apply: le_trans (le1 A) _.
rewrite [d1 + _]addrC addrA ler_add2r -mulrA -mulrDr ler_wpmul2l //.
Qed.

Lemma dp_weaken (e d e' d' : R) (p q : Y -> R) : (forall y, 0 <= q y) ->
  e <= e' -> d <= d' -> dp e d p q -> dp e' d' p q.
Proof.
move=> q0 ee dd le A; apply: le_trans (le A) _.
by apply: ler_add => //; apply: ler_wpmul2r => //; apply: sumr_ge0.
Qed.
End Transitive.

Section Histogram.
(* what is seen of an item that occurs c times: a noisy count, or nothing *)
Variables (R : realFieldType) (H Y : finType) (nothing : Y) (K : nat -> Y -> R) (u d : R).
Hypotheses (u1 : 1 <= u) (d0 : 0 <= d) (d1 : d < 1).
Hypothesis K_law : forall c, is_law (K c).
Hypothesis absent : forall y, K 0 y = (y == nothing)%:R.
Hypothesis single : K 1 nothing = 1 - d.
Hypothesis more : forall c, (0 < c)%N -> pure u (K c) (K c.+1) /\ pure u (K c.+1) (K c).

Variable n : nat.
Implicit Types D : n.-tuple (option H).
Definition occurs D (h : H) : nat := \sum_(i < n) (tnth D i == Some h).
Definition histogram D : {ffun H -> Y} -> R := product (fun h => K (occurs D h)).

Let c0 : 0 < 1 - d. Proof. by rewrite subr_gt0. Qed.

Lemma Pr_le1 c A : Pr (K c) A <= 1.
Proof.
by case: (K_law c) => p0 <-; rewrite [X in _ <= X](bigID (mem A)) /= ler_paddr // sumr_ge0.
Qed.

Lemma Pr_absent (A : {set Y}) : Pr (K 0) A = (nothing \in A)%:R.
Proof.
rewrite /Pr; case: (boolP (nothing \in A)) => inA.
  by rewrite (bigD1 nothing) //= absent eqxx big1 ?addr0 // => y /andP[_ /negPf]; rewrite absent => ->.
by apply: big1 => y yA; rewrite absent; case: eqP yA inA => // -> ->.
Qed.

(* from one to none, and back *)
Lemma leaves : dp (1 - d) d (K 1) (K 0).
Proof.
move=> A; rewrite Pr_absent; case: (boolP (nothing \in A)) => inA.
  by rewrite mulr1 subrK Pr_le1.
have := Pr_le1 1 (nothing |: A); rewrite /Pr big_setU1 //= single mulr0 add0r.
by rewrite -ler_subr_addl opprB addrCA subrr addr0.
Qed.

Lemma leaves1 : dp 1 d (K 1) (K 0).
Proof.
apply: dp_weaken leaves => // [y|]; first by case: (K_law 0).
by rewrite ler_subl_addl ler_addr.
Qed.

Lemma single_le (A : {set Y}) : (1 - d) * (nothing \in A)%:R <= Pr (K 1) A.
Proof.
case: (boolP (nothing \in A)) => inA; last by rewrite mulr0 sumr_ge0 // => y _; case: (K_law 1).
rewrite mulr1 /Pr (bigD1 nothing) //= single ler_addl sumr_ge0 // => y _.
by case: (K_law 1).
Qed.

Lemma comes : dp (1 - d)^-1 0 (K 0) (K 1).
Proof.
move=> A; rewrite Pr_absent addr0 mulrC ler_pdivl_mulr // mulrC.
exact: single_le.
Qed.

Lemma comes1 : dp 1 d (K 0) (K 1).
Proof.
move=> A; rewrite Pr_absent mul1r; have := single_le A.
case: (boolP (nothing \in A)) => _; first by rewrite mulr1 ler_subl_addr.
by rewrite mulr0 => le; rewrite addr_ge0.
Qed.

Let P (f : H -> nat) : {ffun H -> Y} -> R := product (fun h => K (f h)).
Let P0 f o : 0 <= P f o. Proof. by apply: prodr_ge0 => h _; case: (K_law (f h)). Qed.

Lemma one_item f g a e b : 0 <= e -> (forall h, h != a -> f h = g h) ->
  dp e b (K (f a)) (K (g a)) -> dp e b (P f) (P g).
Proof. by move=> e0 same; apply: product_dp => // h /same ->. Qed.

(* r: the counts of all other records *)
Definition plus (r : H -> nat) (x : option H) (h : H) : nat := r h + (x == Some h).

Let u0 : 0 <= u := le_trans ler01 u1.

Lemma up r a : (0 < r a)%N -> dp u 0 (P r) (P (plus r (Some a))).
Proof.
move=> pos; apply: (@one_item _ _ a) => // [h ha|].
  by rewrite /plus eq_sym (inj_eq (@Some_inj _)) (negPf ha) addn0.
by rewrite /plus eqxx addn1; apply: pure_dp; case: (more pos).
Qed.

Lemma down r a : (0 < r a)%N -> dp u 0 (P (plus r (Some a))) (P r).
Proof.
move=> pos; apply: (@one_item _ _ a) => // [h ha|].
  by rewrite /plus eq_sym (inj_eq (@Some_inj _)) (negPf ha) addn0.
by rewrite /plus eqxx addn1; apply: pure_dp; case: (more pos).
Qed.

Lemma enters e b r a : 0 <= e -> r a = 0%N -> dp e b (K 0) (K 1) ->
  dp e b (P r) (P (plus r (Some a))).
Proof.
move=> e0 ra le; apply: (@one_item _ _ a) => // [h ha|].
  by rewrite /plus eq_sym (inj_eq (@Some_inj _)) (negPf ha) addn0.
by rewrite /plus eqxx ra.
Qed.

Lemma exits e b r a : 0 <= e -> r a = 0%N -> dp e b (K 1) (K 0) ->
  dp e b (P (plus r (Some a))) (P r).
Proof.
move=> e0 ra le; apply: (@one_item _ _ a) => // [h ha|].
  by rewrite /plus eq_sym (inj_eq (@Some_inj _)) (negPf ha) addn0.
by rewrite /plus eqxx ra.
Qed.

Lemma up1 r a : dp u d (P r) (P (plus r (Some a))).
Proof.
case: (posnP (r a)) => [ra|pos].
  exact: (dp_weaken (P0 _) u1 (lexx d) (enters ler01 ra comes1)).
exact: (dp_weaken (P0 _) (lexx u) d0 (up pos)).
Qed.

Lemma down1 r a : dp u d (P (plus r (Some a))) (P r).
Proof.
case: (posnP (r a)) => [ra|pos].
  exact: (dp_weaken (P0 _) u1 (lexx d) (exits ler01 ra leaves1)).
exact: (dp_weaken (P0 _) (lexx u) d0 (down pos)).
Qed.

Lemma uu : u <= u ^+ 2. Proof. by rewrite expr2 ler_pemulr. Qed.

Lemma plusC r x y : plus (plus r x) y =1 plus (plus r y) x.
Proof. by move=> h; rewrite /plus addnAC. Qed.

Lemma P_ext f g : f =1 g -> P f =1 P g.
Proof. by move=> fg o; apply: eq_bigr => h _; rewrite fg. Qed.

Lemma dp_ext e b f f' g g' : f =1 f' -> g =1 g' -> dp e b (P f) (P g) -> dp e b (P f') (P g').
Proof.
move=> ff gg le A.
have E v w : v =1 w -> Pr (P v) A = Pr (P w) A.
  by move=> vw; apply: eq_bigr => o _; apply: P_ext.
by rewrite -(E _ _ ff) -(E _ _ gg).
Qed.

Lemma replaced r x y : dp (u ^+ 2) d (P (plus r x)) (P (plus r y)).
Proof.
have none f : plus f None =1 f by move=> h; rewrite /plus addn0.
have wide e b f g : e <= u ^+ 2 -> b <= d -> dp e b (P f) (P g) -> dp (u ^+ 2) d (P f) (P g).
  by move=> ee bd; apply: dp_weaken ee bd; apply: P0.
case: x y => [a|] [b|].
- case: (eqVneq a b) => [->|ab].
    by apply: (wide 1 0) => [||A]; rewrite ?mul1r ?addr0 // (le_trans u1) ?uu.
  case: (posnP (r b)) => [rb|pb]; last first.
    case: (posnP (r a)) => [ra|pa].
      (* leaves, then one more *)
      have := dp_trans ler01 (exits ler01 ra leaves1) (up pb).
      by apply: wide; rewrite ?mul1r ?addr0 ?uu.
    have := dp_trans u0 (down pa) (up pb).
    by apply: wide; rewrite ?mulr0 ?addr0 ?expr2.
  case: (posnP (r a)) => [ra|pa].
    (* both single: leaves with 1 - d, comes with its inverse *)
    have i0 : 0 <= (1 - d)^-1 by rewrite invr_ge0 ltW.
    have := dp_trans (ltW c0) (exits (ltW c0) ra leaves) (enters i0 rb comes).
    apply: wide; last by rewrite mulr0 addr0.
    by rewrite divff ?gt_eqF // (le_trans u1) ?uu.
  (* comes first, then one less *)
  have b0 : plus r (Some a) b = 0%N.
    by rewrite /plus rb (inj_eq (@Some_inj _)) (negPf ab).
  have pos : (0 < plus r (Some b) a)%N by rewrite /plus ltn_addr.
  have back : dp u 0 (P (plus (plus r (Some a)) (Some b))) (P (plus r (Some b))).
    exact: (dp_ext (plusC r (Some b) (Some a)) (frefl _) (down pos)).
  have := dp_trans ler01 (enters ler01 b0 comes1) back.
  by apply: wide; rewrite ?mul1r ?addr0 ?uu.
- exact: (dp_ext (frefl _) (fsym (none r)) (wide _ _ _ _ uu (lexx d) (down1 r a))).
- exact: (dp_ext (fsym (none r)) (frefl _) (wide _ _ _ _ uu (lexx d) (up1 r b))).
by apply: (wide 1 0) => [||A]; rewrite ?mul1r ?addr0 // (le_trans u1) ?uu.
Qed.

Theorem histogram_dp D D' : replace_one D D' -> dp (u ^+ 2) d (histogram D) (histogram D').
Proof.
case=> i eqD.
pose r h := (\sum_(j < n | j != i) (tnth D j == Some h))%N.
have split (B : n.-tuple (option H)) : (forall j, j != i -> tnth D j = tnth B j) ->
    occurs B =1 plus r (tnth B i).
  move=> eqB h; rewrite /occurs (bigD1 i) //= addnC /plus; congr (_ + _)%N.
  by apply: eq_bigr => j /eqB ->.
apply: (dp_ext (fsym (split D _)) (fsym (split D' eqD))) => //.
exact: replaced.
Qed.
End Histogram.
Print Assumptions histogram_dp.
