"""A scorer: judges the page's events. This one expects a form field to hold a value.

    [scorer.settings]
    field = "code"
    value = "{code}"
"""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import scorer

RIGHT, WRONG = "code_entered", "wrong_code"


class Scorer(exports.Scorer):
    def judge(self, variant_values: str, page_events: list[scorer.PageEvent]) -> str | None:
        settings = json.loads(variant_values)["settings"]
        right = first(settings, page_events)
        return None if right is None else RIGHT if right else WRONG

    def score_episode(self, episode: scorer.Episode) -> scorer.Score:
        settings = json.loads(episode.variant_values)["settings"]
        if not settings.keys() >= set(("field", "value")):
            raise Err(scorer.ScoreError_Unscorable("[scorer.settings] needs field and value"))
        if episode.page_result not in ("pending", "timeout", RIGHT, WRONG):
            raise Err(scorer.ScoreError_MalformedResult(f"the page's result is {episode.page_result!r}"))
        right = first(settings, episode.page_events)
        said = "Nothing was submitted." if right is None else f"The field held {'it' if right else 'something else'}."
        seconds = scorer.Metric("duration", episode.duration.milliseconds / 1000, "s")
        return scorer.Score(1.0 if right else 0.0, bool(right), [seconds], said)


def first(settings: dict, events: list[scorer.PageEvent]) -> bool | None:
    """Whether the first submission is right; none before there is one."""
    for event in events:
        if event.name == "submit":
            held = json.loads(event.data).get("values", {}).get(settings.get("field"))
            return held.strip() == settings.get("value") if isinstance(held, str) else None
    return None
