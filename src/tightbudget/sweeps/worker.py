"""A worker process: batches come in on standard input, answers go out on standard output, both as pickles."""

import os
import pickle
import signal
import sys

from tightbudget.sweeps.answers import answer_batch


def main() -> None:
    """Answer batches until there are no more; the end of standard input also means that nobody is waiting."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started us, which then ends us
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not stand among the answers
    while True:
        try:
            batch = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(answer_batch(batch), answers)
        answers.flush()
