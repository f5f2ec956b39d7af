"""Which relations a mechanism answers for that runs another on samples or batches, by what that one states."""

from dataclasses import replace
from typing import ClassVar

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter, UnknownRelation
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, Relations, check_one_relation
from tightbudget.mechanisms.what_is_sampled import counts_examples


class RunsOnSamples(Mechanism):
    """A mechanism with fields `mechanism`, what is run on samples, and `relation`; it may be a dataclass."""

    mechanism: Mechanism
    what_is_run: ClassVar[str]  # in a sentence of refusal
    what_to_run: ClassVar[str]  # as a sentence, where a relation is not known

    def _known_on_samples(self, relation: str) -> bool:
        """Whether what the mechanism does on a sample is known under a relation."""
        raise NotImplementedError

    def _fits(self, stated: Relations) -> bool:
        """Whether the relation that the mechanism states is the one it has on a sample."""
        return stated in ({ADD_REMOVE}, {self.relation} - {REPLACE_ONE})

    def _check_relations(self) -> None:
        """Refuse a mechanism whose distributions are not those that a sample of this relation has."""
        stated = self.mechanism.relations
        if len(stated) == 1 and not self._fits(stated):
            needed = frozenset({ADD_REMOVE}) if self.relation == REPLACE_ONE else frozenset({self.relation})
            check_one_relation([(self.what_is_run, needed), (self.mechanism, stated)])
        if not self._known_on_samples(self.relation):
            raise UnknownRelation(self.relation, self.mechanism, [ADD_REMOVE], self.what_to_run)

    def _check_no_examples(self) -> None:
        """Refuse a mechanism that counts on a number of records: how many a sample holds is chance."""
        if counts_examples(self.mechanism):
            hint = "A sample holds a random number of records. Draw batches of a fixed size, or with a cap, from all records."
            raise InvalidParameter("mechanism", str(self.mechanism), "one that takes any number of records", hint)

    @cached_property
    def relations(self) -> Relations:
        inner = self.mechanism.relations
        return frozenset({self.relation}) | (frozenset() if self._fits(inner) else inner)

    def _under(self, relation: str) -> Mechanism | None:
        if relation == self.relation:
            return self
        known = self.relation == ADD_REMOVE and len(self.relations) == 1 and self._known_on_samples(relation)
        return replace(self, relation=relation) if known else None  # type: ignore[type-var]

    def _relation_hint(self, relation: str) -> str:
        return self.what_to_run
