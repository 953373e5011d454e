"""Online learning: `SOAPredictor` without privacy, `OnlineLearner` with privacy for all time.

=================  ==============================================================================
`estimator`        OnlineLearner, with the methods of river and scikit-learn
`algorithm`        the state machine: one record in, perhaps a new hypothesis out; its
                   above-threshold test: pure, and silence costs no coins
`state`            its state, plain data in two documents: public, private; records and arrays
`hedge`            agnostic streams: a draw before each batch, by the errors on all earlier ones
`samplers`         draws of hypotheses from mistakes: scored candidates, or closures; majority
                   votes
`budget`           what may be spent, and what a plan is: all numbers, from public parameters
`plan`             `plan_online`: which sampler, with which numbers
`bound`            how many mistakes: certificates and lower bounds
`journal`          streams that survive a kill: the state on disk, its public part in a file
                   of its own
`record`           the record of what was published, and its check
`predictors`       without privacy: the standard optimal algorithm, halving, expert advice
`simulation`       runs on public, synthetic streams, and against adversaries
=================  ==============================================================================
"""
