"""What the command returns to the shell; 0 is done."""

BROKEN = 1  # a ledger, or a receipt, is not what was written
BAD_INPUT = 2
NOT_NARROW_ENOUGH = 3  # the bracket holds and is printed
REFUSED = 4  # no filter admits the step
UNAVAILABLE = 5  # a ledger cannot be reached or is busy; with the same key it can be tried again
INTERRUPTED = 130  # what a shell expects after Ctrl-C: 128 + SIGINT
