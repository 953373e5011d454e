"""All classes of VC dimension at most 1 on a few points, by the definition."""

from itertools import combinations, permutations, product


def classes(points):
    """Every class of VC dimension at most 1 on so many points, as a tuple of rows."""
    rows = list(product((0, 1), repeat=points))
    found = []
    for bits in range(1, 2 ** len(rows)):
        chosen = tuple(row for i, row in enumerate(rows) if bits >> i & 1)
        pairs = combinations(range(points), 2)
        if all(len({(row[a], row[b]) for row in chosen}) < 4 for a, b in pairs):
            found.append(chosen)
    return found


def renamed(matrix):
    """The same class with points permuted and labels swapped: the least of all such."""
    points = len(matrix[0])
    return min(
        tuple(sorted(tuple(row[p] ^ s for p, s in zip(order, swap, strict=True)) for row in matrix))
        for order in permutations(range(points))
        for swap in product((0, 1), repeat=points)
    )


def kinds_of_classes(points):
    """One class of each kind, up to names of points and labels."""
    return sorted({renamed(matrix) for matrix in classes(points)}, key=lambda m: (len(m), m))


#: The example of paper 001, section 1.3.2: eight concepts on seven points.
EXAMPLE = [
    [int(str(x) in ones) for x in range(1, 8)]
    for ones in ("1", "2", "3", "14", "15", "156", "157", "")
]
#: Improper nodes: "point 0 alone" is the path of a node, and not a concept.
FORK = ((0, 0, 0), (1, 1, 0), (1, 0, 1))
