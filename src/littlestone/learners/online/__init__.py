"""Online learning: `SOAPredictor` without privacy, `OnlineLearner` with privacy for all time.

=================  ==============================================================================
`estimator`        OnlineLearner, with the methods of river and scikit-learn
`algorithm`        the state machine: one record in, perhaps a new hypothesis out; its
                   above-threshold test: pure, and silence costs no coins; private Hedge for
                   agnostic streams, a draw before each batch; how many mistakes: certificates and
                   lower bounds; without privacy, the standard optimal algorithm, halving, expert
                   advice; public streams and adversaries
`state`            its state, plain data in two documents: public, private; records and arrays;
                   draws of hypotheses from mistakes: scored candidates, or closures; majority
                   votes
`plan`             what may be spent; `plan_online`: which sampler, with which numbers
`journal`          streams that survive a kill: the state on disk, its public part in a file
                   of its own; the record of what was published, and its check
=================  ==============================================================================
"""
