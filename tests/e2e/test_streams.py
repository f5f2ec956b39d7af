"""Standard output and error in every state: closed, full, a pipe that is left, an encoding without Greek letters."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("tightbudget")
ASKED = {
    "epsilon": "epsilon 'gaussian(sigma=2) * 10' --delta 1e-5",
    "curve": "curve 'gaussian(sigma=2)' --points 3",
    "compare": "compare 'gaussian(sigma=2)' --delta 1e-5",
    "dpsgd": "dpsgd --examples 1000 --batch 10 --steps 50 --noise-multiplier 2 --delta 1e-5",
    "filter": "filter compare --epsilon 1 --delta 1e-6 --each 'pure_dp(0.5)'",
    "simulate": "odometer simulate --rounds 20 --runs 5",
    "separation": "odometer separation --rounds 20",
    "vuvuzela": "study vuvuzela dialing --rounds 3",
    "help": "--help",
    "version": "--version",
}


def shell(line: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **variables}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{COMMAND} {line}"], capture_output=True, env=environment, check=False, timeout=120
    )


FULL = pytest.param(
    "/dev/full",
    "Cannot write to standard output: ",
    marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here"),
)


@pytest.mark.parametrize("command", ["epsilon", "simulate", "help"])
@pytest.mark.parametrize(("output", "sentence"), [("&-", "Standard output is closed"), FULL], ids=["closed", "full"])
def test_output_that_cannot_be_written_is_a_sentence(output: str, sentence: str, command: str) -> None:
    done = shell(f"{ASKED[command]} >{output}")
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: {sentence}".encode())
    assert done.stderr.count(b"\n") == 1


def test_errors_do_not_get_into_answers_when_their_stream_is_closed() -> None:
    done = shell("epsilon nonsense --delta 1e-5 2>&-")
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize("command", ["epsilon", "compare", "dpsgd", "simulate", "separation", "help", "version"])
def test_a_reader_who_leaves_at_once_is_no_error(command: str) -> None:
    done = shell(f"{ASKED[command]} | true")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("command", ["epsilon", "curve", "compare", "dpsgd", "filter", "simulate", "separation", "vuvuzela"])
def test_signs_that_an_encoding_lacks_are_spelt_out(command: str, encoding: str) -> None:
    done = shell(ASKED[command], PYTHONIOENCODING=encoding, LC_ALL="C", COLUMNS="100")
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding)
    assert "?" not in text
    if command in ("epsilon", "compare", "dpsgd"):
        assert "epsilon" in text
        assert "delta = 1e-05" in text


def test_as_a_module() -> None:
    arguments = ["epsilon", "pure_dp(1)", "--delta", "0"]
    one, other = (
        subprocess.run([*start, *arguments], capture_output=True, check=True)
        for start in ([sys.executable, "-m", "tightbudget"], [str(COMMAND)])
    )
    assert one.stdout == other.stdout
    usage = subprocess.run([sys.executable, "-m", "tightbudget", "nope"], capture_output=True, text=True, check=False)
    assert usage.returncode == 2
    assert "See tightbudget --help" in usage.stderr


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_pipes_get_no_colours(variables: dict[str, str]) -> None:
    for command in ("compare", "simulate", "help"):
        assert b"\x1b" not in shell(ASKED[command], **variables).stdout


@pytest.mark.parametrize("line", ["", "filter", "odometer"])
def test_without_a_question_there_is_help(line: str) -> None:
    done = shell(line)
    assert done.returncode == 2
    assert done.stderr.startswith(b"Usage: tightbudget") or done.stdout.startswith(b"Usage: tightbudget")
    assert b"Error" not in done.stderr


def test_the_width_is_that_of_the_terminal() -> None:
    main_end, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    arguments = [str(COMMAND), "compare", "gaussian(sigma=282.84) * 512", "--delta", "1e-5"]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    process = subprocess.Popen(arguments, stdout=terminal, stderr=terminal, env=environment, close_fds=True)
    assert process.wait(timeout=60) == 0
    os.close(terminal)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", os.read(main_end, 65536).decode())
    os.close(main_end)
    assert "    [0.267165512071, 0.267165512104]" in shown.splitlines()
    assert max(map(len, shown.splitlines())) <= 40
