"""The one notation for mechanisms and compositions, read by a whitelist over Python's own syntax tree.

Belongs here: from text to mechanisms and compositions, and messages that point at a mistake.
Elsewhere: numbers typed as options of a command (`interfaces/cli/options.py`); amounts of filters
(`adaptive/amounts.py`).

    expression  = term { "+" term }
    term        = mechanism | term "*" count | count "*" term | "(" expression ")" | "nothing"
    mechanism   = name "(" [argument { "," argument }] ")"      names and arguments as in tightbudget.mechanisms
    argument    = [name "="] (number | "[" numbers "]" | "text" | mechanism)
    number      = literal | inf | nan | sqrt(number) | -number | number (+ - * / **) number

In a template one number is open and written `?`.

Nothing is ever evaluated: what is not in the grammar is an error that names its position. Printing is `str` of the
object itself, and `parse(str(c)) == c`.
"""

from tightbudget.notation.expressions import MAX_CHARACTERS, parse
from tightbudget.notation.given import composition_given
from tightbudget.notation.meaning import Private
from tightbudget.notation.templates import Template

__all__ = ["MAX_CHARACTERS", "Private", "Template", "composition_given", "parse"]
