"""The exponential mechanism over a class: generic (realizable) and agnostic learning."""

from littlestone.learners.exponential.learner import Agnostic, Exponential, Generic

__all__ = ["Agnostic", "Exponential", "Generic"]
