"""The command line: each command is a module that asks the library and prints."""
