"""The command line: each command is a module that asks the library and prints.

==========================  =========================================================
`main`                      the commands together, and how they fail
`schema`, `check`           the public columns of a table; a private report of its cells
`plan`, `explore`           before any data: numbers of records; the interactive page
`fit`, `predict`, `report`  one hypothesis: learned, used, shown
`score`                     models evaluated privately on another table, and compared
`export`                    models for other programs
`stream`, `answers`         rows as they arrive; `transcript`: what they published
`dims`, `audit`, `ledger`   dimensions; verification; budgets; `audit_sampling`: lower bounds
`options`, `files`          what commands share: public parameters; files they write
`terminal`, `summary`       what they say
==========================  =========================================================
"""
