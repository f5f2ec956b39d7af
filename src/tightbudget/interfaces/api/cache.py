"""Answers that were given before, bounded by the bytes they take; those used least recently are forgotten."""

from collections import OrderedDict

from tightbudget.interfaces.api.answers import Answer

_OVERHEAD = 400  # bytes of the entry itself, about


class AnswerCache:
    """Answers by question, for one event loop; together they take at most `most_bytes`."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.held_bytes = 0
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def get(self, question: str) -> Answer | None:
        found = self._answers.get(question)
        if found is not None:
            self._answers.move_to_end(question)
        return found

    def put(self, question: str, answer: Answer) -> None:
        """Keep the answer, unless it alone takes too much."""
        size = _cached_size(question, answer)
        if size > self.most_bytes:
            return
        self._forget(question)
        self._answers[question] = answer
        self.held_bytes += size
        while self.held_bytes > self.most_bytes:
            self._forget(next(iter(self._answers)))

    def _forget(self, question: str) -> None:
        answer = self._answers.pop(question, None)
        if answer is not None:
            self.held_bytes -= _cached_size(question, answer)


def _cached_size(question: str, answer: Answer) -> int:
    return 4 * len(question) + len(answer.body) + _OVERHEAD  # a character takes up to four bytes
