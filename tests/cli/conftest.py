"""What a command line comes to, for the tests of the commands."""

import pytest

from appellate.cli import main


@pytest.fixture
def cli(capsys):
    """What a command shows and says, its first words given as one text; it ends with `code`."""

    def run(line, *more, code=0):
        capsys.readouterr()
        ended = main([*line.split(), *map(str, more)])
        printed = capsys.readouterr()
        assert ended == code, printed.err
        return printed

    return run
