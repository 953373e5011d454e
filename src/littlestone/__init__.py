"""littlestone."""
