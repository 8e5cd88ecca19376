"""What is said to a model about one cell, reply by reply."""

from appellate.core.kind import UNBRIEFED
from appellate.talk.dialogue import Reply


class Talk:
    """A kind's dialogue, the prompts it gave, and the table it ended with."""

    def __init__(self, trait, *replies, kind, trace, briefing=UNBRIEFED):
        self.conversation = kind.asked.dialogue(trait, trace, briefing)
        self.prompts = [next(self.conversation)]
        self.table = None
        for reply in replies:
            self.send(reply)

    def send(self, reply):
        given = reply if isinstance(reply, Reply) else Reply(reply)
        try:
            self.prompts.append(self.conversation.send(given))
        except StopIteration as end:
            self.table = end.value

    @property
    def faults(self):
        """What was wrong with the replies."""
        told = [
            prompt.user.rpartition("could not be used: ")[2]
            for prompt in self.prompts[1:]
        ]
        return [one.partition("\n")[0] for one in told]
