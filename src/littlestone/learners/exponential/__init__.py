"""The exponential mechanism over a class: generic (realizable) and agnostic learning."""

from littlestone.learners.exponential.algorithm import ExponentialLearner

__all__ = ["ExponentialLearner"]
