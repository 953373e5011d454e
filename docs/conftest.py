"""What pytest does not collect here: the site's settings, and pages that the site generates."""

collect_ignore = ["conf.py", "_ext", "_build", "gallery", "api"]
