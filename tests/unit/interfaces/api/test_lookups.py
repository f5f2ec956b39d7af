"""Requests share a look into the database, but never one that began before they came."""

import asyncio
import threading

import pytest

from tightbudget.interfaces.api.lookups import SharedLookups


def test_those_who_come_during_a_look_share_the_next_one() -> None:
    looks: list[str] = []
    known = {"token": "active"}
    first_began, go_on = threading.Event(), threading.Event()

    def look(what: str) -> str:
        looks.append(what)
        found = known[what]
        if len(looks) == 1:
            first_began.set()
            assert go_on.wait(10)
        return found

    async def ask() -> list[str]:
        lookups = SharedLookups(look)
        early = asyncio.create_task(lookups.find("token"))
        while not first_began.is_set():
            await asyncio.sleep(0.001)
        known["token"] = "revoked"  # from now on nobody is told the old answer
        late = [asyncio.create_task(lookups.find("token")) for _ in range(20)]
        await asyncio.sleep(0)
        late.pop().cancel()
        go_on.set()
        found = [await early, *[await each for each in late]]
        assert not lookups._next
        await asyncio.sleep(0)
        assert not lookups._under_way
        return found

    assert asyncio.run(ask()) == ["active", *["revoked"] * 19]
    assert looks == ["token", "token"]


def test_other_questions_do_not_wait_and_problems_are_told_to_all() -> None:
    def look(what: str) -> str:
        if what == "bad":
            raise ConnectionError("away")
        return what

    async def ask() -> list[object]:
        lookups = SharedLookups(look)
        asked = [lookups.find(what) for what in ("a", "bad", "b", "bad")]
        found: list[object] = await asyncio.gather(*asked, return_exceptions=True)
        with pytest.raises(ConnectionError):
            await lookups.find("bad")
        return found

    found = asyncio.run(ask())
    assert found[::2] == ["a", "b"]
    assert [type(each) for each in found[1::2]] == [ConnectionError] * 2
