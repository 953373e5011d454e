(* 12. Many alarms, each followed by fresh noise; another mechanism that answers in between, pure or
   with a delta. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DP Require Import law threshold noise.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sums.
Variable R : realFieldType.
Implicit Types f : int -> R.

Lemma sum_is_ext f g P : f =1 g -> sum_is f P -> sum_is g P.
Proof.
move=> fg [up least]; have E r : \sum_(z <- r) g z = \sum_(z <- r) f z by apply: eq_bigr.
by split=> [r ur|c le]; [rewrite E; apply: up|apply: least => r ur; rewrite -E; apply: le].
Qed.

Lemma sum_is_ge0 f P : sum_is f P -> 0 <= P.
Proof. by case=> /(_ [::] isT); rewrite big_nil. Qed.

Lemma sum_is_zero f P : (forall z, f z = 0) -> sum_is f P -> P = 0.
Proof.
move=> f0 sP; apply/eqP; rewrite eq_le (sum_is_ge0 sP) andbT; case: sP => _; apply=> r _.
by rewrite big1.
Qed.

Lemma sum_is_uniq f P Q : sum_is f P -> sum_is f Q -> P = Q.
Proof. by case=> uP lP [uQ lQ]; apply/eqP; rewrite eq_le lP ?lQ. Qed.

Lemma sum_is_mul f c P : 0 <= c -> sum_is f P -> sum_is (fun z => f z * c) (P * c).
Proof.
rewrite le0r => /orP[/eqP ->|c0] sP.
  rewrite mulr0; split=> [r _|d le]; first by rewrite big1 // => z _; rewrite mulr0.
  by have := le [::] isT; rewrite big_nil.
case: sP => up least; split=> [r ur|d le].
  by rewrite -mulr_suml ler_wpmul2r ?(ltW c0) ?up.
rewrite -ler_pdivl_mulr //; apply: least => r ur.
by rewrite ler_pdivl_mulr // mulr_suml le.
Qed.

Lemma sum_is_div f c P : 0 < c -> sum_is (fun z => f z * c) P -> sum_is f (P / c).
Proof.
move=> c0 [up least]; split=> [r ur|d le].
  by rewrite ler_pdivl_mulr // mulr_suml; apply: up.
rewrite ler_pdivr_mulr //; apply: least => r ur.
by rewrite -mulr_suml ler_wpmul2r ?(ltW c0) ?le.
Qed.
End Sums.

Section Stream.
Variables (R : realFieldType) (G pr : int -> R) (Y : Type).

(* an event is an answer of the test, or one of the other mechanism *)
Notation event := (bool + Y)%type.
(* after the events h the test is asked about v h, and the other mechanism has the law m h *)
Implicit Types (v : seq event -> int) (m : seq event -> Y -> R) (h t : seq event).

(* the answers t, after h, for a secret offset rho: of both; of the test; of the other *)
Fixpoint both v m (rho : int) h t : R :=
  match t with
  | [::] => 1
  | inl b :: t' => coin G b (v h - rho) * both v m rho (rcons h (inl b)) t'
  | inr y :: t' => m h y * both v m rho (rcons h (inr y)) t'
  end.
Fixpoint tested v (rho : int) h t : R :=
  match t with
  | [::] => 1
  | inl b :: t' => coin G b (v h - rho) * tested v rho (rcons h (inl b)) t'
  | inr y :: t' => tested v rho (rcons h (inr y)) t'
  end.
Fixpoint replied m h t : R :=
  match t with
  | [::] => 1
  | inl b :: t' => replied m (rcons h (inl b)) t'
  | inr y :: t' => m h y * replied m (rcons h (inr y)) t'
  end.
Fixpoint tests t : seq bool :=
  match t with [::] => [::] | inl b :: t' => b :: tests t' | inr _ :: t' => tests t' end.

(* one test and the other mechanism *)
Definition joint v m t (P : R) : Prop := sum_is (fun rho => pr rho * both v m rho [::] t) P.
(* the test alone, its questions still depending on all events *)
Definition heard v t (P : R) : Prop := sum_is (fun rho => pr rho * tested v rho [::] t) P.

(* a stream: after the epochs past, a new offset is drawn, and v past, m past go on *)
Implicit Types (V : seq (seq event) -> seq event -> int) (past ts : seq (seq event)).
Implicit Types (M : seq (seq event) -> seq event -> Y -> R).
Fixpoint stream V M past ts (P : R) : Prop :=
  if ts is t :: ts' then exists2 Q, stream V M (rcons past t) ts' Q &
    sum_is (fun rho => pr rho * (both (V past) (M past) rho [::] t * Q)) P
  else P = 1.
Fixpoint replies M past ts : R :=
  if ts is t :: ts' then replied (M past) [::] t * replies M (rcons past t) ts' else 1.
Fixpoint uses ts : nat :=
  if ts is t :: ts' then (size t - size (tests t) + uses ts')%N else 0%N.

Lemma bothE v m rho h t : both v m rho h t = tested v rho h t * replied m h t.
Proof.
elim: t h => [|[b|y] t IH] h /=; first by rewrite mulr1.
  by rewrite IH mulrA.
by rewrite IH mulrCA.
Qed.

Lemma replied_ge0 m h t : (forall g y, 0 <= m g y) -> 0 <= replied m h t.
Proof. by move=> m0; elim: t h => [|[b|y] t IH] h /=; rewrite ?ler01 // mulr_ge0. Qed.

Lemma replies_ge0 M past ts : (forall g h y, 0 <= M g h y) -> 0 <= replies M past ts.
Proof.
by move=> M0; elim: ts past => [|t ts IH] past /=; rewrite ?ler01 // mulr_ge0 ?replied_ge0.
Qed.

Lemma stream_ge0 V M past ts P : stream V M past ts P -> 0 <= P.
Proof. by case: ts => [->|t ts [Q _ /sum_is_ge0]] //; apply: ler01. Qed.

Lemma stream_zero V M past ts P : replies M past ts = 0 -> stream V M past ts P -> P = 0.
Proof.
elim: ts past P => [|t ts IH] past P /=; first by move/eqP; rewrite oner_eq0.
move=> /eqP; rewrite mulf_eq0 => z [Q sQ]; apply: sum_is_zero => rho; rewrite bothE.
by case/orP: z => /eqP z; [rewrite z mulr0 mul0r mulr0|rewrite (IH _ _ z sQ) !mulr0].
Qed.

(* the product of what the epochs cost, and what the other mechanism costs *)
Fixpoint costs (c : seq (seq event) -> R) past ts : R :=
  if ts is t :: ts' then c past * costs c (rcons past t) ts' else 1.

Lemma stream_cross V V' M M' c past ts P P' :
  (forall g h y, 0 <= M g h y) -> (forall g h y, 0 <= M' g h y) -> (forall g, 0 <= c g) ->
  (forall g t g', ts = g ++ t :: g' -> forall A A',
    heard (V (past ++ g)) t A -> heard (V' (past ++ g)) t A' -> A <= c (past ++ g) * A') ->
  0 < replies M past ts -> 0 < replies M' past ts ->
  stream V M past ts P -> stream V' M' past ts P' ->
  P * replies M' past ts <= costs c past ts * P' * replies M past ts.
Proof.
move=> M0 M'0 c0; elim: ts past P P' => [|t ts IH] past P P' /=.
  by move=> _ _ _ -> ->; rewrite !mulr1.
move=> le; set a := replied _ _ _; set a' := replied _ _ _.
set S := replies _ _ _; set S' := replies _ _ _ => aS aS' [Q sQ sP] [Q' sQ' sP'].
have [a0 a'0] : 0 <= a /\ 0 <= a' by split; apply: replied_ge0.
have [S0 S'0] : 0 <= S /\ 0 <= S' by split; apply: replies_ge0.
have pos (x y : R) : 0 <= x -> 0 <= y -> 0 < x * y -> 0 < x /\ 0 < y.
  by move=> x0 y0; rewrite !lt_def x0 y0 mulf_eq0 negb_or !andbT => /andP[/andP[]].
have [{}a0 {}S0] := pos _ _ a0 S0 aS; have [{}a'0 {}S'0] := pos _ _ a'0 S'0 aS'.
have C0 : 0 <= costs c (rcons past t) ts.
  by elim: (ts) (rcons past t) => [|s r IHr] g /=; rewrite ?ler01 // mulr_ge0.
have {}IH : Q * S' <= costs c (rcons past t) ts * Q' * S.
  apply: IH => // g s g' tsE A A'; rewrite cat_rcons; apply: (le (t :: g) s g').
  by rewrite tsE.
have P'0 := sum_is_ge0 sP'.
case: (eqVneq Q 0) => [Q0|Q1].
  rewrite (sum_is_zero _ sP) => [|rho]; last by rewrite Q0 !mulr0.
  by rewrite mul0r !mulr_ge0 // ltW.
have Qp : 0 < Q by rewrite lt_def Q1 (stream_ge0 sQ).
have Q'p : 0 < Q'.
  rewrite lt_def (stream_ge0 sQ') andbT; apply: contraTneq IH => ->.
  by rewrite mulr0 mul0r -ltNge mulr_gt0.
have part v m (q : R) X : 0 < replied m [::] t * q ->
    sum_is (fun rho => pr rho * (both v m rho [::] t * q)) X ->
    heard v t (X / (replied m [::] t * q)).
  by move=> mq0 sX; apply: sum_is_div => //; apply: sum_is_ext sX => rho; rewrite bothE !mulrA.
have aQ := mulr_gt0 a0 Qp; have aQ' := mulr_gt0 a'0 Q'p.
have := le [::] t ts erefl _ _; rewrite cats0.
move=> /(_ _ _ (part _ _ _ _ aQ sP) (part _ _ _ _ aQ' sP')).
rewrite -/a -/a'; set A := P / _; set A' := P' / _ => AA.
have -> : P = A * (a * Q) by rewrite /A divfK // gt_eqF.
have -> : P' = A' * (a' * Q') by rewrite /A' divfK // gt_eqF.
have A0 : 0 <= A by rewrite divr_ge0 ?(ltW aQ) ?(sum_is_ge0 sP).
have -> : A * (a * Q) * (a' * S') = A * (Q * S') * (a * a').
  by rewrite [LHS](AC (1 * 2 * 2) (1 * (3 * 5) * (2 * 4))).
have -> : c past * costs c (rcons past t) ts * (A' * (a' * Q')) * (a * S)
    = c past * A' * (costs c (rcons past t) ts * Q' * S) * (a * a').
  by rewrite [LHS](AC (2 * (1 * 2) * 2) ((1 * 3) * (2 * 5 * 7) * (6 * 4))).
by rewrite ler_wpmul2r ?mulr_ge0 ?(ltW a0) ?(ltW a'0) // ler_pmul // mulr_ge0 // ltW.
Qed.

Theorem stream_pure V V' M M' c e2 ts P P' :
  (forall g h y, 0 <= M g h y) -> (forall g h y, 0 <= M' g h y) -> (forall g, 0 <= c g) ->
  (forall past t rest, ts = past ++ t :: rest -> forall A A',
    heard (V past) t A -> heard (V' past) t A' -> A <= c past * A') ->
  0 <= e2 -> replies M [::] ts <= e2 * replies M' [::] ts ->
  stream V M [::] ts P -> stream V' M' [::] ts P' -> P <= costs c [::] ts * e2 * P'.
Proof.
move=> M0 M'0 c0 le e20 leM sP sP'.
have C0 : 0 <= costs c [::] ts.
  by elim: (ts) [::] => [|s r IHr] g /=; rewrite ?ler01 // mulr_ge0.
have P'0 := stream_ge0 sP'; have S0 := replies_ge0 [::] ts M0.
case: (eqVneq (replies M [::] ts) 0) => [z|S1].
  by rewrite (stream_zero z sP) !mulr_ge0.
have Sp : 0 < replies M [::] ts by rewrite lt_def S1.
have S'p : 0 < replies M' [::] ts.
  rewrite lt_def replies_ge0 // andbT; apply: contraTneq leM => ->.
  by rewrite mulr0 -ltNge.
rewrite -(ler_pmul2r S'p).
have cross := @stream_cross V V' M M' c [::] ts P P' M0 M'0 c0 le Sp S'p sP sP'.
apply: le_trans cross _.
by rewrite [_ * e2 * P']mulrAC -[_ * e2 * _]mulrA ler_wpmul2l // mulr_ge0.
Qed.

(* a test whose questions depend on all events is one whose questions depend on its own answers *)
Fixpoint asked v h t : seq int :=
  match t with
  | [::] => [::]
  | inl b :: t' => v h :: asked v (rcons h (inl b)) t'
  | inr y :: t' => asked v (rcons h (inr y)) t'
  end.
Definition own v t (g : seq bool) : int := nth 0 (asked v [::] t) (size g).

Lemma tests_cat g t : tests (g ++ t) = tests g ++ tests t.
Proof. by elim: g => [//|[b|y] g IH] /=; rewrite IH. Qed.

Lemma asked_cat v h g t : asked v h (g ++ t) = asked v h g ++ asked v (h ++ g) t.
Proof.
elim: g h => [|[b|y] g IH] h /=; first by rewrite cats0.
  by rewrite IH cat_rcons.
by rewrite IH cat_rcons.
Qed.

Lemma size_asked v h t : size (asked v h t) = size (tests t).
Proof. by elim: t h => [//|[b|y] t IH] h /=; rewrite IH. Qed.

Lemma ownE v t g b g' : t = g ++ inl b :: g' -> own v t (tests g) = v g.
Proof. by move=> ->; rewrite /own asked_cat -(size_asked v [::]) nth_cat ltnn subnn. Qed.

Lemma tested_prob v (w : seq bool -> int) rho h t :
  (forall g b g', t = g ++ inl b :: g' -> w (tests (h ++ g)) = v (h ++ g)) ->
  tested v rho h t = prob G w rho (tests h) (tests t).
Proof.
elim: t h => [//|[b|y] t IH] h le /=.
  have := le [::] b t erefl; rewrite cats0 => ->; congr (_ * _).
  rewrite IH -?cats1 ?tests_cat // => g c g' tE.
  by rewrite -catA; apply: (le (inl b :: g) c g'); rewrite tE.
rewrite IH -?cats1 ?tests_cat ?cats0 // => g c g' tE.
by rewrite -catA; apply: (le (inr y :: g) c g'); rewrite tE.
Qed.

Lemma heard_transcript v w t A : (forall g b g', t = g ++ inl b :: g' -> w (tests g) = v g) ->
  heard v t A -> transcript G pr w (tests t) A.
Proof.
by move=> le; apply: sum_is_ext => rho; rewrite (@tested_prob v w).
Qed.

(* the other mechanism: each of its answers is pure *)
Theorem replies_pure M M' e past ts : 0 <= e ->
  (forall g h y, 0 <= M g h y) -> (forall g h y, M g h y <= e * M' g h y) ->
  replies M past ts <= e ^+ uses ts * replies M' past ts.
Proof.
move=> e0 M0 le; elim: ts past => [|t ts IH] past /=; first by rewrite mul1r.
rewrite exprD mulrACA ler_pmul ?replied_ge0 ?replies_ge0 //.
elim: t [::] => [|[b|y] t IHt] h /=; first by rewrite mul1r.
  by rewrite subSS.
rewrite subSn; last by elim: (t) => [//|[b|z] s] /=; [rewrite ltnS|apply: leqW].
by rewrite exprS mulrACA ler_pmul ?replied_ge0.
Qed.

(* the tests alone: the other mechanism is certain of what it answers *)
Definition none (past : seq (seq event)) h (y : Y) : R := 1.

Lemma replied_none past h t : replied (none past) h t = 1.
Proof. by elim: t h => [|[b|y] t IH] h //=; rewrite IH mul1r. Qed.

Lemma stream_uniq V M past ts P Q : stream V M past ts P -> stream V M past ts Q -> P = Q.
Proof.
elim: ts past P Q => [|t ts IH] past P Q /=; first by move=> -> ->.
by move=> [A sA sP] [B sB]; rewrite -(IH _ _ _ sA sB); apply: sum_is_uniq.
Qed.

Lemma stream_split V M past ts A : (forall g h y, 0 <= M g h y) ->
  stream V none past ts A -> stream V M past ts (A * replies M past ts).
Proof.
move=> M0; elim: ts past A => [|t ts IH] past A /=; first by move=> ->; rewrite mulr1.
move=> [Q sQ sA]; exists (Q * replies M (rcons past t) ts); first exact: IH.
have c0 : 0 <= replied (M past) [::] t * replies M (rcons past t) ts.
  by rewrite mulr_ge0 ?replied_ge0 ?replies_ge0.
apply: sum_is_ext (sum_is_mul c0 sA) => rho.
rewrite !bothE replied_none mulr1 -!mulrA; congr (_ * (_ * _)).
by rewrite mulrCA.
Qed.

(* The other mechanism has a delta: asked by the tests, whose answers have the chances A, its answers
   on both data sets differ by the factor e2 and by d, as sums over transcripts. So do both together. *)
Theorem stream_dp V V' M M' c e2 d (I : Type) (r : seq I) (ts : I -> seq (seq event))
    (P P' A A' : I -> R) :
  (forall g h y, 0 <= M g h y) -> (forall g h y, 0 <= M' g h y) -> 0 <= e2 ->
  (forall i, stream V M [::] (ts i) (P i)) -> (forall i, stream V' M' [::] (ts i) (P' i)) ->
  (forall i, stream V none [::] (ts i) (A i)) -> (forall i, stream V' none [::] (ts i) (A' i)) ->
  (forall i, A i <= c * A' i) ->
  \sum_(i <- r) A i * Num.max 0 (replies M [::] (ts i) - e2 * replies M' [::] (ts i)) <= d ->
  \sum_(i <- r) P i <= c * e2 * (\sum_(i <- r) P' i) + d.
Proof.
move=> M0 M'0 e20 sP sP' sA sA' le leM.
rewrite -ler_subl_addl mulr_sumr -sumrB; apply: le_trans leM; apply: ler_sum => i _.
rewrite (stream_uniq (sP i) (stream_split M0 (sA i))).
rewrite (stream_uniq (sP' i) (stream_split M'0 (sA' i))).
set a := replies M _ _; set a' := replies M' _ _.
have a'0 : 0 <= a' by apply: replies_ge0.
apply: (@le_trans _ _ (A i * (a - e2 * a'))); last first.
  by rewrite ler_wpmul2l ?(stream_ge0 (sA i)) // le_maxr lexx orbT.
rewrite mulrBr ler_add2l ler_opp2.
have -> : c * e2 * (A' i * a') = c * A' i * (e2 * a') by rewrite mulrACA.
by rewrite ler_wpmul2r ?mulr_ge0.
Qed.

End Stream.

Section Noise.
Variables (R : realFieldType) (G pr : int -> R) (u es : R) (Y : Type).
Hypotheses (u1 : 1 <= u) (es1 : 1 <= es).
Hypotheses (G01 : forall z, 0 <= G z <= 1) (G_mono : forall z, G z <= G (z + 1)).
Hypothesis (G_step : forall z, G (z + 1) <= u * G z).
Hypotheses (pr0 : forall z, 0 <= pr z) (pr_step : forall z, pr z <= es * pr (z + 1)).
Notation event := (bool + Y)%type.
Variables (M M' : seq (seq event) -> seq event -> Y -> R).
Hypotheses (M0 : forall g h y, 0 <= M g h y) (M'0 : forall g h y, 0 <= M' g h y).

Let e K : R := es * (u ^+ 2) ^+ K.
Let e0 K : 0 <= e K.
Proof. by rewrite mulr_ge0 ?exprn_ge0 ?(le_trans ler01). Qed.

Lemma heard_any (v v' : seq event -> int) K t A A' : (forall h, `|v h - v' h| <= 1) ->
  (count id (tests t) <= K)%N -> heard G pr v t A -> heard G pr v' t A' -> A <= e K * A'.
Proof.
move=> near few tA tA'.
apply: (@threshold_any _ G pr u es u1 es1 G01 G_mono G_step pr0 pr_step
  (own v t) (own v' t) K (tests t)) => //.
- move=> h; rewrite /own; elim: t [::] (size h) {few tA tA'} => [|[b|y] t IH] g n //=.
  - by rewrite nth_nil subrr normr0.
  by case: n => [|n] /=.
- by apply: heard_transcript tA => g b g'; apply: ownE.
by apply: heard_transcript tA' => g b g'; apply: ownE.
Qed.

(* k epochs, each with at most K charged answers, and the other mechanism in between *)
Theorem alarms_any (V V' : seq (seq event) -> seq event -> int) K e2 ts P P' :
  (forall past h, `|V past h - V' past h| <= 1) ->
  (forall past t rest, ts = past ++ t :: rest -> (count id (tests t) <= K)%N) ->
  0 <= e2 -> replies M [::] ts <= e2 * replies M' [::] ts ->
  stream G pr V M [::] ts P -> stream G pr V' M' [::] ts P' ->
  P <= (es * (u ^+ 2) ^+ K) ^+ size ts * e2 * P'.
Proof.
move=> near few e20 leM sP sP'; rewrite -/(e K).
have -> : e K ^+ size ts = costs (fun _ => e K) [::] ts.
  by elim: (ts) [::] => [//|t s IH] g /=; rewrite exprS (IH (rcons g t)).
apply: stream_pure leM sP sP' => // past t rest tsE A A'.
by apply: heard_any (few _ _ _ tsE) => // h.
Qed.

(* one test *)
Theorem interleaved_any (v v' : seq event -> int) (m m' : seq event -> Y -> R) K e2 t P P' :
  (forall h y, 0 <= m h y) -> (forall h y, 0 <= m' h y) ->
  (forall h, `|v h - v' h| <= 1) -> (count id (tests t) <= K)%N ->
  0 <= e2 -> replied m [::] t <= e2 * replied m' [::] t ->
  joint G pr v m t P -> joint G pr v' m' t P' -> P <= es * (u ^+ 2) ^+ K * e2 * P'.
Proof.
move=> m0 m'0 near few e20 leM sP sP'; rewrite -/(e K).
have one w n Q : joint G pr w n t Q -> stream G pr (fun _ => w) (fun _ => n) [::] [:: t] Q.
  by exists 1 => //; apply: sum_is_ext H => rho; rewrite mulr1.
have -> : e K = costs (fun _ => e K) [::] [:: t] by rewrite /= mulr1.
apply: (@stream_pure _ G pr Y (fun _ => v) (fun _ => v') (fun _ => m) (fun _ => m')) => //.
- move=> past s rest sE A A'; apply: heard_any => //.
  by case: past sE => [[<-]|a [|b past]].
- by rewrite /= !mulr1.
- exact: one.
exact: one.
Qed.

End Noise.

Section Online.
Variables (R : realFieldType) (x : R) (Y : Type).   (* exp(-epsilon) *)
Hypotheses (x0 : 0 < x) (x1 : x < 1).
Notation event := (bool + Y)%type.
Implicit Types (v : seq event -> int) (t : seq event).

Lemma heard_same v v' t A A' : (forall g e g', t = g ++ e :: g' -> v' g = v g) ->
  heard (tail1 x) (one_sided x) v t A -> heard (tail1 x) (one_sided x) v' t A' -> A <= 1 * A'.
Proof.
move=> same; have l01 : 0 <= 1 :> R by apply: ler01.
apply: (@sum_is_le _ 1 _ _ id) => // rho; rewrite mul1r.
suff -> : tested (tail1 x) v rho [::] t = tested (tail1 x) v' rho [::] t by [].
have {}same g e g' : t = g ++ e :: g' -> v' ([::] ++ g) = v ([::] ++ g) by apply: same.
elim: t [::] same => [//|e t IH] h same /=.
have {}IH : tested (tail1 x) v rho (rcons h e) t = tested (tail1 x) v' rho (rcons h e) t.
  by apply: IH => g c g' tE; rewrite cat_rcons; apply: (same (e :: g) c g'); rewrite tE.
have := same [::] e t erefl; rewrite cats0.
by case: e IH {same} => [b|y] -> // ->.
Qed.

(* v' is v in t1, and one more in t2 *)
Lemma heard_shift v v' t1 t2 A A' :
  (forall g e g', t1 = g ++ e :: g' -> v' g = v g) ->
  (forall g e g', t2 = g ++ e :: g' -> v' (t1 ++ g) = v (t1 ++ g) + 1) ->
  (count id (tests (t1 ++ t2)) <= 1)%N -> (count id (tests t1) < 1)%N \/ t2 = [::] ->
  heard (tail1 x) (one_sided x) v (t1 ++ t2) A ->
  heard (tail1 x) (one_sided x) v' (t1 ++ t2) A' -> A <= x^-1 * A' /\ A' <= x^-1 * A.
Proof.
move=> before after few halted tA tA'; set t := t1 ++ t2.
pose w' (g : seq bool) : int := own v t g + (size (tests t1) <= size g)%N%:Z.
apply: (@mistake_test_pure _ x x0 x1 (own v t) w' (tests t1) (tests t2)).
- by move=> g b g' gE; rewrite /w' gE size_cat /= leqNgt addnS ltnS leq_addr addr0.
- by move=> g; rewrite /w' size_cat leq_addr.
- by rewrite -tests_cat.
- by case: halted => [lt|->]; [left|right].
- by rewrite -tests_cat; apply: heard_transcript tA => g b g'; apply: ownE.
rewrite -tests_cat; apply: heard_transcript tA' => g b g' tE; rewrite /w' (ownE v tE).
rewrite /t in tE.
have [lt|le] := ltnP (size g) (size t1).
  have t1E : t1 = g ++ inl b :: drop (size g).+1 t1.
    rewrite -{1}(cat_take_drop (size g) t1); congr (_ ++ _).
      by have := congr1 (take (size g)) tE; rewrite [RHS]take_size_cat // takel_cat // ltnW.
    have := congr1 (drop (size g)) tE; rewrite [RHS]drop_size_cat // drop_cat lt.
    by rewrite (drop_nth (inl b)) // => -[-> _].
  rewrite (before _ _ _ t1E) [in size (tests t1)]t1E tests_cat size_cat /=.
  by rewrite leqNgt addnS ltnS leq_addr addr0.
have gE : g = t1 ++ drop (size t1) g.
  rewrite -{1}(cat_take_drop (size t1) g); congr (_ ++ _).
  by have := congr1 (take (size t1)) tE; rewrite [LHS]take_size_cat // takel_cat.
have -> : (size (tests t1) <= size (tests g))%N by rewrite gE tests_cat size_cat leq_addr.
rewrite [in RHS]gE (after _ (inl b) g') -?gE //.
by have := congr1 (drop (size t1)) tE; rewrite gE -catA !drop_size_cat.
Qed.

Variables (V V' : seq (seq event) -> seq event -> int).
Variables (M M' : seq (seq event) -> seq event -> Y -> R).
Hypotheses (M0 : forall g h y, 0 <= M g h y) (M'0 : forall g h y, 0 <= M' g h y).

(* all tests of the online learner together, exp(epsilon) = x^-1, for any number of alarms: streams
   that differ in one record have the same counts in all epochs but that of the record *)
Theorem stream_tests_pure past t1 t2 rest e2 P P' :
  let ts := past ++ (t1 ++ t2) :: rest in
  (forall g t g' h e h', ts = g ++ t :: g' -> size g <> size past -> t = h ++ e :: h' ->
    V' g h = V g h) ->
  (forall h e h', t1 = h ++ e :: h' -> V' past h = V past h) ->
  (forall h e h', t2 = h ++ e :: h' -> V' past (t1 ++ h) = V past (t1 ++ h) + 1) ->
  (count id (tests (t1 ++ t2)) <= 1)%N -> (count id (tests t1) < 1)%N \/ t2 = [::] ->
  0 <= e2 -> replies M [::] ts <= e2 * replies M' [::] ts ->
  replies M' [::] ts <= e2 * replies M [::] ts ->
  stream (tail1 x) (one_sided x) V M [::] ts P -> stream (tail1 x) (one_sided x) V' M' [::] ts P' ->
  P <= x^-1 * e2 * P' /\ P' <= x^-1 * e2 * P.
Proof.
move=> ts others before after few halted e20 leM geM sP sP'.
pose c (g : seq (seq event)) : R := if size g == size past then x^-1 else 1.
have c0 g : 0 <= c g by rewrite /c; case: eqP; rewrite ?ler01 // invr_ge0 ltW.
have costsE : costs c [::] ts = x^-1.
  have late g s : (size past < size g)%N -> costs c g s = 1.
    elim: s g => [//|t s IH] g lt /=; rewrite IH ?size_rcons ?leqW // mulr1 /c.
    by rewrite gtn_eqF.
  rewrite /ts; have : (size (@nil (seq event)) + size past = size past)%N by [].
  elim: {1 3}past [::] => [|t s IH] g /= gE.
    by rewrite late ?size_rcons -?gE ?addn0 // mulr1 /c -gE addn0 eqxx.
  rewrite IH; last by rewrite size_rcons addSnnS.
  by rewrite /c ltn_eqF ?mul1r // -gE addnS ltnS leq_addr.
have epoch g t g' : ts = g ++ t :: g' -> forall A A',
    heard (tail1 x) (one_sided x) (V g) t A -> heard (tail1 x) (one_sided x) (V' g) t A' ->
    A <= c g * A' /\ A' <= c g * A.
  move=> tsE A A' tA tA'; rewrite /c; case: eqP => [gp|gp].
    have gE : g = past.
      by have := congr1 (take (size g)) tsE; rewrite [RHS]take_size_cat // gp take_size_cat.
    move: tsE tA tA'; rewrite gE => /(congr1 (drop (size past))).
    rewrite !drop_size_cat // => -[<- _] tA tA'; exact: heard_shift tA tA'.
  split; first by apply: heard_same tA tA' => h e h' tE; apply: others tsE gp tE.
  by apply: heard_same tA' tA => h e h' tE; rewrite (others _ _ _ _ _ _ tsE gp tE).
rewrite -costsE; split.
  by apply: stream_pure leM sP sP' => // g t g' /epoch le A A' tA tA'; case: (le A A' tA tA').
by apply: stream_pure geM sP' sP => // g t g' /epoch le A A' tA tA'; case: (le A' A tA' tA).
Qed.

End Online.

(* the same, where the draws in between have a delta *)
Section Leaky.
Variables (R : realFieldType) (x : R) (Y : Type).
Hypotheses (x0 : 0 < x) (x1 : x < 1).
Notation event := (bool + Y)%type.
Implicit Types (t : seq event) (ts : seq (seq event)).
Variables (V V' : seq (seq event) -> seq event -> int).
Variables (M M' : seq (seq event) -> seq event -> Y -> R).
Hypotheses (M0 : forall g h y, 0 <= M g h y) (M'0 : forall g h y, 0 <= M' g h y).

Definition one_apart ts := exists past t1 t2 rest, [/\ ts = past ++ (t1 ++ t2) :: rest,
  (forall g t g' h e h', ts = g ++ t :: g' -> size g <> size past -> t = h ++ e :: h' ->
    V' g h = V g h),
  (forall h e h', t1 = h ++ e :: h' -> V' past h = V past h),
  (forall h e h', t2 = h ++ e :: h' -> V' past (t1 ++ h) = V past (t1 ++ h) + 1) &
  (count id (tests (t1 ++ t2)) <= 1)%N /\ ((count id (tests t1) < 1)%N \/ t2 = [::])].

Theorem stream_tests_dp e2 d (I : Type) (r : seq I) (ts : I -> seq (seq event))
    (P P' A A' : I -> R) :
  let more m m' i := Num.max 0 (replies m [::] (ts i) - e2 * replies m' [::] (ts i)) in
  0 <= e2 -> (forall i, one_apart (ts i)) ->
  (forall i, stream (tail1 x) (one_sided x) V M [::] (ts i) (P i)) ->
  (forall i, stream (tail1 x) (one_sided x) V' M' [::] (ts i) (P' i)) ->
  (forall i, stream (tail1 x) (one_sided x) V (@none R Y) [::] (ts i) (A i)) ->
  (forall i, stream (tail1 x) (one_sided x) V' (@none R Y) [::] (ts i) (A' i)) ->
  \sum_(i <- r) A i * more M M' i <= d -> \sum_(i <- r) A' i * more M' M i <= d ->
  \sum_(i <- r) P i <= x^-1 * e2 * (\sum_(i <- r) P' i) + d /\
  \sum_(i <- r) P' i <= x^-1 * e2 * (\sum_(i <- r) P i) + d.
Proof.
move=> more e20 apart sP sP' sA sA' leM leM'.
have n1 past s : replies (@none R Y) past s = 1.
  by elim: s past => [|t s IH] past //=; rewrite IH replied_none mulr1.
have n0 (g : seq (seq event)) (h : seq event) (y : Y) : 0 <= none R g h y by apply: ler01.
have both_ways i : A i <= x^-1 * A' i /\ A' i <= x^-1 * A i.
  have [past [t1 [t2 [rest [tsE others before after [few halted]]]]]] := apart i.
  have := @stream_tests_pure R x Y x0 x1 V V' (@none R Y) (@none R Y) n0 n0 past t1 t2 rest 1 (A i) (A' i).
  cbv zeta; rewrite -tsE !n1 !mulr1 => tested_pure.
  by apply: tested_pure others before after few halted _ _ _ (sA i) (sA' i); rewrite ?ler01.
split.
  by apply: (stream_dp M0 M'0 e20 sP sP' sA sA') => // i; case: (both_ways i).
by apply: (stream_dp M'0 M0 e20 sP' sP sA' sA) => // i; case: (both_ways i).
Qed.

End Leaky.
Print Assumptions stream_dp.
Print Assumptions stream_tests_dp.
Print Assumptions stream_pure.
Print Assumptions alarms_any.
Print Assumptions interleaved_any.
Print Assumptions stream_tests_pure.
