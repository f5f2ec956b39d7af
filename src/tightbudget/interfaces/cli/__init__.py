"""The command `tightbudget`: exit codes 0 done, 2 bad input, 3 not as narrow as asked (the bracket is printed), 4 refused."""

from tightbudget.interfaces.cli.app import main as main
