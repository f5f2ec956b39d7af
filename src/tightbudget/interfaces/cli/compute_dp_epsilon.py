"""`tightbudget compute-dp-epsilon`: the command of prv_accountant with its flags, and our bracket in its line."""

from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import TYPE_CHECKING, Annotated

import typer

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import NOT_NARROW_ENOUGH
from tightbudget.interfaces.cli.options import Json, Rtol, number_typed, whole_typed
from tightbudget.interfaces.cli.questions import finish, say_bracket, show_trace
from tightbudget.interfaces.cli.terminal import patiently, show
from tightbudget.numerics.decimals import decimal_rounded

if TYPE_CHECKING:
    from tightbudget.adapters.prv.command import Computed

_DIGITS = 6


def compute_dp_epsilon(
    sampling_probability: Annotated[
        float,
        typer.Option(
            "--sampling-probability", "-p", help="Probability that a record is in a batch.", parser=number_typed, metavar="Q"
        ),
    ],
    noise_multiplier: Annotated[
        float,
        typer.Option(
            "--noise-multiplier",
            "-s",
            help="Standard deviation of the noise over the clipping norm.",
            parser=number_typed,
            metavar="S",
        ),
    ],
    num_compositions: Annotated[
        int, typer.Option("--num-compositions", "-i", help="Number of steps.", parser=whole_typed, metavar="N")
    ],
    delta: Annotated[
        float, typer.Option("--delta", "-d", help="The δ to hold, between 0 and 1.", parser=number_typed, metavar="D")
    ],
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print also how the bracket was made.")] = False,
    fail_on_no_value: Annotated[
        bool, typer.Option("--fail-on-no-value", help="Exit with 3 where a line has no value.")
    ] = False,
    rtol: Rtol = 1e-3,
    as_json: Json = False,
) -> int:
    """Print ε of DP-SGD as prv_accountant's compute-dp-epsilon does, with its flags.

    The line "PRV Accountant" has our bracket; the line "RDP Accountant" the best order of Rényi DP, from above.

    \b
    Example:
      tightbudget compute-dp-epsilon -p 5e-3 -s 0.8 -i 1000 -d 1e-6
    """
    found = patiently(
        lambda: library.compute_dp_epsilon(sampling_probability, noise_multiplier, num_compositions, delta, rtol),
        "bracketing ε",
    )
    if as_json:
        shape = wire.bracket_shape(str(found.composition), {"delta": delta}, found.bracket, rtol)
        show(wire.json_text({**shape, "by_renyi": None if found.by_renyi is None else wire.upper_end(found.by_renyi)}))
    else:
        show("\n".join(_prv_command_lines(found)))
        show_trace(found.bracket, rtol, verbose)
    code = finish(found.bracket)
    if found.by_renyi is None and fail_on_no_value:
        say_bracket("Rényi DP has no value for this composition.")
        return NOT_NARROW_ENOUGH
    return code


def _prv_command_lines(found: "Computed") -> list[str]:
    """Return the lines of prv_accountant's command; ends are rounded outward."""
    ours, by_renyi = found.bracket, found.by_renyi
    lower, upper = decimal_rounded(ours.lower, _DIGITS, ROUND_FLOOR), decimal_rounded(ours.upper, _DIGITS, ROUND_CEILING)
    lines = [_prv_command_line("PRV Accountant", lower, decimal_rounded(ours.estimate, _DIGITS, ROUND_CEILING), upper)]
    if by_renyi is None:
        return [*lines, "RDP Accountant:\t\tn/a"]
    bound = decimal_rounded(by_renyi, _DIGITS, ROUND_CEILING)
    return [*lines, _prv_command_line("RDP Accountant", "0.0", bound, bound)]


def _prv_command_line(name: str, lower: str, estimate: str, upper: str) -> str:
    return f"{name}:\t\teps_lower = {lower:>6} eps_estimate = {estimate:>6}, eps_upper = {upper:>6}"
