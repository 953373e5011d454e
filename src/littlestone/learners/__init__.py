"""The learners: one room for each algorithm, and the modules that all of them share."""
