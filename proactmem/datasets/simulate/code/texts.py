"""What people write around a project: titles, reports, questions and answers, from a small grammar."""

from proactmem.datasets.simulate.chance import Chance

__all__ = ["Wording", "draw_wording"]

_PARTS = ("list", "page", "header", "cache", "form", "menu", "table", "image", "queue", "session", "tab", "dialog")
_FAULTS = (
    ("{part} crashes when {deed}", "the app stops with an exception"),
    ("{part} shows the wrong item after {deed}", "the item before it is shown instead"),
    ("{part} does not update after {deed}", "the old value stays until I reload"),
    ("Memory keeps growing while {deed}", "memory rises by some megabytes every minute"),
    ("{part} jumps while {deed}", "the position jumps to the top"),
    ("Type error in {part} when {deed}", "TypeError: cannot read properties of undefined"),
)
_DEEDS = (
    "scrolling fast", "switching tabs", "the keyboard opens", "going back", "two requests run at once", "the window is resized",
    "an empty list is given", "dragging an item", "the network drops", "the clock changes",
)  # fmt: skip
_WISHES = ("Support {deed} in the {part}", "Option to hide the {part}", "Expose the {part} state", "Dark theme for the {part}")
_QUESTIONS = (
    "How do I reset the {part}?",
    "What is the right way to nest a {part}?",
    "Can the {part} be used without a bundler?",
)
_STEPS = (
    "Steps to reproduce:\n1. open the {part}\n2. start {deed}\n3. go back before it ends\nActual: {harm}. Version {version}.",
    "I was able to reproduce it: open the {part}, then {deed}, then wait two seconds. {Harm}. This is version {version}.",
    "Here is a minimal example:\n```\nopen('{part}')\n```\nWith {deed} it fails every time on {version}: {harm}.",
)
_VAGUE = (
    "This happens to me since last week, no idea why. Please fix.",
    "Sometimes {harm}. I could not find out when.",
    "Not sure what else to say, it just happens with the {part}.",
)
_ASKS = (
    "Thanks for the report. Can you share steps to reproduce and the version you use?",
    "I cannot reproduce this here. Could you provide a minimal example?",
    "Which version is this? A stack trace would help as well.",
)
_UNABLE = (
    "I tried again and could not make it happen today.",
    "I will look when I am back at that machine.",
    "Have not found a reliable way yet, sorry.",
)
_ME_TOO = ("Same here.", "+1", "Any news on this?", "I see this too.")
_ANSWERS = (
    "You can pass `reset` to the {part}; see the second example in the docs.",
    "There is no way today, but wrapping the {part} works.",
    "Yes: import it directly, the {part} needs no bundler.",
)
_SOLVED = (
    "That works, thank you! Solved for me.",
    "Perfect, that was it. Nothing else needed.",
    "This solved it, thanks for the quick answer.",
)
_REVIEWS = (
    "Please add a test for the {part}.",
    "This breaks when {deed}, please guard against it.",
    "Could you split the refactoring from the fix?",
)
_ADDRESSED = (
    "I have addressed all comments: there is a test for the {part} now and the guard is in.",
    "Done, both points are fixed in the last commit. Ready for another look.",
    "All review comments are answered, please have another look when you have time.",
)
_PINGS = (
    "Is there anything missing here? It has been waiting for a review for a while.",
    "Friendly ping, this is ready from my side and CI is green.",
    "Could somebody review this? I can rebase if needed.",
)
_THANKS = ("Thanks!", "Thank you, merging.", "Great, thanks.", "LGTM")
_COMMITS = (
    "fix {part} when {deed}",
    "refactor {part}",
    "docs: {part} example",
    "test {part}",
    "bump dependencies",
    "tidy {part} types",
)


class Wording:
    """What one thread is about, and how its people word it."""

    def __init__(self, draw: Chance, version: str) -> None:
        self._draw = draw
        fault, harm = draw.pick(_FAULTS)
        self._words = {
            "part": draw.pick(_PARTS), "deed": draw.pick(_DEEDS), "harm": harm, "Harm": harm.capitalize(), "version": version,
        }  # fmt: skip
        self.fault = self._said(fault)
        self.fault = self.fault[0].upper() + self.fault[1:]

    def _said(self, text: str) -> str:
        return text.format_map(self._words)

    def _one(self, texts: tuple[str, ...]) -> str:
        return self._said(self._draw.pick(texts))

    def __getattr__(self, name: str) -> str:
        texts = _SAID.get(name)
        if texts is None:
            raise AttributeError(name)
        return self._one(texts)

    def again(self) -> str:
        """The title that somebody else gives the same fault."""
        part, deed = self._words["part"], self._words["deed"]
        return self._draw.pick(
            (f"{self.fault} (again?)", f"Bug: {part} broken when {deed}", f"{part.capitalize()} problem: {self._words['harm']}")
        )

    def regression(self, version: str) -> str:
        """A report right after a release."""
        return f"Since upgrading to {version} {self._words['harm']} with the {self._words['part']}; {self.steps}"


_SAID = {
    "steps": _STEPS, "vague": _VAGUE, "ask": _ASKS, "unable": _UNABLE, "me_too": _ME_TOO, "answer": _ANSWERS, "solved": _SOLVED,
    "review": _REVIEWS, "addressed": _ADDRESSED, "ping": _PINGS, "thanks": _THANKS, "commit": _COMMITS, "wish": _WISHES,
    "question": _QUESTIONS,
}  # fmt: skip


def draw_wording(draw: Chance, version: str) -> Wording:
    """The subject of a thread, in a project that is at a version."""
    return Wording(draw, version)
