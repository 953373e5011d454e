"""Conjunctions of a few literals over the columns of a public schema."""

from littlestone.classes.rules.concept_class import RuleHypothesis, Rules, conjunction

__all__ = ["RuleHypothesis", "Rules", "conjunction"]
