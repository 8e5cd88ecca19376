import asyncio

from appellate.judges.gate import Gate


async def test_a_pause_holds_everyone():
    gate, loop = Gate(), asyncio.get_running_loop()
    gate.pause(0.1)
    started = loop.time()
    async with gate:
        assert loop.time() - started >= 0.1


async def test_half_as_many_go_on_after_a_pause():
    gate, busy, most = Gate(), 0, 0

    async def work():
        nonlocal busy, most
        async with gate:
            busy += 1
            most = max(most, busy)
            await asyncio.sleep(0.01)
            busy -= 1

    async with gate, gate, gate:
        gate.pause(0.01)
    await asyncio.gather(*(work() for _ in range(20)))
    assert most == 2


async def test_every_welcome_lets_a_little_more_through():
    gate = Gate()
    gate.pause(0.0)
    for _ in range(3):
        gate.welcome()
    async with gate, gate:
        pass


async def test_one_who_gives_up_waiting_leaves_no_trace():
    gate = Gate()
    gate.pause(0.0)

    async def waits():
        async with gate:
            await asyncio.sleep(3600)

    async with gate:
        waiting = asyncio.create_task(waits())
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    async with gate:
        pass
