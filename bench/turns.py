"""One side of interleaved.py: `python bench/turns.py TREE`, a process that answers with the code of TREE when told to.

The first line in is the request as for worker.py; each line after it asks once more, and the line out is the processor
time of that answer. Two such processes that are told in turns see the same machine.
"""

import json
import sys
import time
import warnings
from functools import partial
from pathlib import Path


def main() -> None:
    warnings.simplefilter("ignore")
    tree = Path(sys.argv[1]).resolve()
    sys.path[:1] = [str(tree / "bench"), str(tree / "src")]  # in place of this file's folder
    import peers
    from worker import question_of

    request = json.loads(sys.stdin.readline())
    peers.prepare(request["call"])
    answer = partial(peers.CALLS[request["call"]], **request["arguments"], question=question_of(request))
    answer()  # whatever is made at first use
    print("ready", flush=True)
    for _ in sys.stdin:
        begun = time.process_time()
        answer()
        print(time.process_time() - begun, flush=True)


if __name__ == "__main__":
    main()
