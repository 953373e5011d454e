"""Online learning: `SOAPredictor` without privacy, `OnlineLearner` with privacy for all time.

=================  ==============================================================================
`estimator`        OnlineLearner, with the methods of river and scikit-learn
`algorithm`        the state machine: one record in, perhaps a new hypothesis out
`state`            its state, plain data in two documents: public, private
`alarm`            when enough mistakes happened: pure, and silence costs no coins
`council`          who draws hypotheses from mistakes: a ballot, or teachers
`votes`            majority votes as hypotheses
`durable`          streams that survive a kill; `journal` is their state on disk, `public_record`
                   the part of it that anybody may see
`records`          total reading of points and labels; `arrays` of them
`choose`, `plan`   public numbers; `budget`, `ballot_plan`, `teachers_plan` compute them
`bound`            how many mistakes: certificates; `claims`
`soa`              without privacy: the standard optimal algorithm, halving
`simulation`       runs on public, synthetic streams
=================  ==============================================================================
"""
