"""User-level privacy: one person's many records count as one (Li, Wang, Ye 2024, Sections 4-5)."""
