"""Write blocks.csv: which network was blocked, and whether that stopped an attack. MADE DATA.

    python examples/networks/make.py

Each of 1,000 operators blocked one IPv4 network for an hour and reports whether the attack stopped:
it did if and only if the network contains the attacker. The networks are made at random from the
ranges that RFC 5737 and RFC 2544 set aside for documentation and tests, and from their
supernets; no real address is in the table. Which operator blocked what is sensitive.

Learn whom the blocks point at, without telling what any single operator did::

    littlestone fit examples/networks/blocks.csv --x network --y stopped \
        --class "prefixes(ipv4)" --learner vc1 --epsilon 1 --delta 1e-6
"""

from __future__ import annotations

import csv
import ipaddress
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
ROWS = 1000
ATTACKER = ipaddress.IPv4Address("203.0.113.77")
ELSEWHERE = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15"]


def network(rng: np.random.Generator) -> ipaddress.IPv4Network:
    """Return one blocked network: often one around the attacker, of any length."""
    if rng.random() < 0.6:
        address, length = ATTACKER, int(rng.choice([8, 16, 20, 22, 24, 25, 26, 27, 28, 30, 32]))
    else:
        inside = ipaddress.IPv4Network(ELSEWHERE[int(rng.integers(len(ELSEWHERE)))])
        address = inside[int(rng.integers(inside.num_addresses))]
        length = int(rng.choice([16, 20, 24, 26, 28, 32]))
    return ipaddress.IPv4Network((int(address), length), strict=False)


def main() -> None:
    """Write the table."""
    rng = np.random.default_rng(20250301)
    with (HERE / "blocks.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["network", "stopped"])
        for _ in range(ROWS):
            blocked = network(rng)
            table.writerow([str(blocked), int(ATTACKER in blocked)])
    print(f"blocks.csv: {ROWS:,} rows")


if __name__ == "__main__":
    main()
