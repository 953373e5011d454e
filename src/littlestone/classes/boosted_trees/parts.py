"""The units of scores, which are integers."""

#: Parts of a cell of a quantity, and of one of a log rate and of log-odds.
PARTS = 1024
#: Log rates and log-odds are at least minus this, and log-odds at most this.
REACH = 10
