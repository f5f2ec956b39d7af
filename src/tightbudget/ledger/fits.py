"""How much less would fit, in words, for whoever was refused."""

from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.adaptive.filters.subsampling import NOT_SEEN
from tightbudget.ledger.rules import Rules, Step

_PARTS = ((2, "half"), (10, "a tenth"), (100, "a hundredth"), (1000, "a thousandth"))


_UNSEEN = "A sample is charged as the whole here; rdp and slots filters see subsampling (tightbudget filter compare)."


def what_fits(quote: Quote, rules: Rules, spent: str, step: Step) -> str:
    """Return how many of a smaller step would fit, and whether another filter would charge it less."""
    return " ".join(filter(None, (_smaller_step(quote, rules, spent, step), unseen_sampling(rules, step))))


def unseen_sampling(rules: Rules, step: Step) -> str:
    """Return a sentence if the filter charges a sample as the whole, else nothing."""
    return _UNSEEN if rules.filter.note(step.increment, 0, or_more=False) == NOT_SEEN else ""


def _smaller_step(quote: Quote, rules: Rules, spent: str, step: Step) -> str:
    """Return how many would fit of one of several that were asked for, or of a part of its price."""
    parts = list(step.increment._parts)
    if len(parts) == 1 and parts[0][1] > 1:
        mechanism, count = parts[0]
        fitting = rules.remaining(spent, Step(mechanism * 1, ""))
        if fitting:
            return f"{fitting} of the {count} would fit."
    asked, left = quote.asked, quote.left
    if isinstance(asked, float) or not asked or not left:
        return f"Nothing is left of {quote.limit}." if not left else ""
    for divisor, words in _PARTS:
        if (count := int(left * divisor // asked)) >= 1:
            times = "once" if count == 1 else f"about {count} times"
            return f"A step that asks for {words} of that would fit {times}."
    return ""
