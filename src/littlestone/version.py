"""The version, for all packages below."""

__version__ = "0.2.0.dev0"
