"""``python -m littlestone`` is the command line."""

from littlestone.cli.main import run

if __name__ == "__main__":
    run()
