"""The accountant of `adapters.dp_accounting` where JAX Privacy asks for the configuration of one."""

from tightbudget.adapters.dp_accounting.accountant import TightBudgetAccountant
from tightbudget.errors import MissingExtra
from tightbudget.mechanisms.checks import asked_width

try:
    from jax_privacy.accounting import PldAccountantConfig
except ImportError:
    raise MissingExtra("jax-privacy", "jax-privacy") from None


class TightBudgetAccountantConfig(PldAccountantConfig):  # type: ignore[misc]  # it need not be there when types are checked
    """Takes the place of PldAccountantConfig: whatever accounts for training by it has certified upper ends.

    rtol  how narrow brackets should be, relative to the upper end; usually 1e-5

    As there, neighbours differ by a record that is added or removed. It is one of PldAccountantConfig because JAX
    Privacy answers for truncated batches only by those; their grid means nothing here.
    """

    def __init__(self, *, rtol: float = 1e-5) -> None:
        super().__init__()
        self.rtol = asked_width(rtol, 0.0)[0]

    def create_accountant(self) -> TightBudgetAccountant:
        """Return an accountant that nothing was composed with yet."""
        return TightBudgetAccountant(rtol=self.rtol)
