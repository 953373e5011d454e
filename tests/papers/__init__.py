"""The pages of `littlestone.papers` against references that were written from the papers' text."""
