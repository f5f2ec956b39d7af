"""What the command returns to the shell; 0 is done."""

BAD_INPUT = 2
NOT_NARROW_ENOUGH = 3  # the bracket holds and is printed
REFUSED = 4  # no filter admits the step
INTERRUPTED = 130  # what a shell expects after Ctrl-C: 128 + SIGINT
