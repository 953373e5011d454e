"""The command line: each command is a module that asks the library and prints.

==========================  =========================================================
`main`                      the commands together, and how they fail
`schema`                    the public columns of a table; `check`, a private report of its cells
`plan`                      before any data: numbers of records; the interactive page
`public`, `targets`         public points of `fit` and `plan`; what `fit` learns that is no label
`intervals`                 what `plan` says of intervals and sets of labels
`fit`, `predict`            one hypothesis: learned; used, shown, exported, scored; its record
`stream`                    rows as they arrive, and what they published
`dims`, `audit`, `ledger`   dimensions; verification; budgets
`options`                   what commands share: public parameters; files they write
`terminal`, `summary`       what they say
==========================  =========================================================
"""
