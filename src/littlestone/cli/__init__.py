"""The command line: each command is a module that asks the library and prints.

===============  =================================================================================
`main`           the commands together, and how they fail
`schema`         the public columns of a table; `check`, a private report of its cells
`plan`           before any data: numbers of records
`fit`            one hypothesis, learned; `rehearse`: a fit on public rows, again and again
`predict`        used, shown, exported, scored; its record; the ledger
`stream`         rows as they arrive, and what they published
`audit`          verification
`theory`         dimensions; the algorithms of the papers
`options`        what commands share: public parameters; files they write
`terminal`       what they say; ``--help``: options in groups
===============  =================================================================================
"""
