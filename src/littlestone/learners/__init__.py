"""The learners: one package for each algorithm, and the modules that all of them share."""
