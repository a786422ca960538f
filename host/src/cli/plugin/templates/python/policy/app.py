"""A policy: looks at the screen, listens, asks the run's model what to do, and does it.

The interfaces are in vendor/wit. A function's error is raised as Err; instants count from the page's start signal. Its
name and what it asks for are in plugin.toml.
"""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import policy
from wit_world.imports import action, dynacu_model_types as model, inference, logging, observation, session
from wit_world.imports.dynacu_host_types import Duration, Instant

SYSTEM = (
    "You operate a desktop by keyboard and mouse to carry out a task. Answer with tool calls only. "
    "Wait while there is nothing to do yet, and call done when the task is finished."
)
PNG = observation.Encoding(observation.ImageFormat.PNG, None, None)


class Policy(exports.Policy):
    def run(self, brief: policy.Brief, settings: str) -> None:
        done = []  # one line for each action, with what became of it
        while True:
            try:
                seen = session.observe()  # waits for the pace; one call is one step
                calls = ask(compose(brief, seen, done), brief)
                act(calls, seen.step, done)
            except Err:
                return  # the episode is over


def ask(messages: list, brief: policy.Brief) -> list:
    """The tool calls of the model's answer; none if it did not answer."""
    speech = policy.Channels.SPEECH in brief.granted
    tools = [model.Tool(name, text, json.dumps(schema)) for name, text, schema in TOOLS if speech or name != "speak"]
    display = (brief.screen.width, brief.screen.height)
    call = inference.submit(model.Request(messages, tools, display, None, None))
    while True:
        event = session.next(None)  # raises once the episode is over
        if isinstance(event, session.Event_Completion) and event.value.call == call:
            outcome = event.value.outcome
            if isinstance(outcome, Err):
                logging.log(logging.Level.WARN, f"the model did not answer: {outcome.value}")
                return []
            return [part.value for part in outcome.value.parts if isinstance(part, model.Part_ToolCall)]


def act(calls: list, step: int, done: list) -> None:
    """Performs calls in order. The host stops a batch at its first failure."""
    try:
        actions = [to_action(call) for call in calls]
    except (KeyError, TypeError, ValueError) as error:
        done.append(f"Step {step}: nothing, since your call could not be read: {error!r}")
        return
    if not actions:
        return
    try:
        ids = session.perform(actions)
    except Err as error:
        if not isinstance(error.value, session.PerformError_TooMany):
            raise  # the episode is over
        done.append(f"Step {step}: nothing, since {len(actions)} actions are more than are done at once")
        return
    names = {id.number: f"{call.name} {call.arguments}" for id, call in zip(ids, calls)}
    while names:
        event = session.next(None)  # raises once the episode is over
        if isinstance(event, session.Event_Action) and event.value.action.number in names:
            name = names.pop(event.value.action.number)
            failed = isinstance(event.value.outcome, Err)
            done.append(f"Step {step}: {name}" + (f" → error: {event.value.outcome.value}" if failed else ""))


def compose(brief: policy.Brief, seen: observation.Observation, done: list) -> list:
    """What the model is shown: the task, past actions, the transcript, the changes on screen, and last the screenshot."""
    parts = []

    def text(value: str) -> None:
        parts.append(model.Part_Text(value))

    def picture(frame: observation.Frame) -> None:
        with frame:  # lets the host free its pixels afterwards
            parts.append(model.Part_Image(frame.encode(PNG)))

    prior = "\n".join(done[-20:]) or "none"
    text(f"Observation Record\n[TASK]\n{brief.instruction}\n[PRIOR ACTIONS]\n{prior}")
    if seen.audio_context is not None:
        lines = [f"({seconds(said.started_at)}) {said.text}" for said in seen.audio_context.sentences]
        text("[HEARD IN THE LAST MINUTE]\n" + ("\n".join(lines) or "nothing"))
    if seen.recent_audio is not None:
        text("[HEARD SINCE THE LAST LOOK]\n" + (seen.recent_audio.transcript or "nothing"))
    for keyframe in seen.keyframes:
        text(f"[THE SCREEN AT {seconds(keyframe.captured_at)}]")
        picture(keyframe.frame)
    text(f"[THE SCREEN NOW, {seconds(seen.taken_at)}]")
    picture(seen.screenshot)
    system = model.Message(model.Role.SYSTEM, [model.Part_Text(SYSTEM)])
    return [system, model.Message(model.Role.USER, parts)]


def seconds(instant: Instant) -> str:
    return f"{instant.milliseconds / 1000:.1f}s"


def tool(name: str, text: str, optional: tuple = (), /, **properties: dict) -> tuple:
    required = [key for key in properties if key not in optional]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return (name, text, schema)


WHOLE, TEXT = dict(type="integer"), dict(type="string")
DIRECTION = dict(type="string", enum=["up", "down", "left", "right"])
# The actions as tools, by the names and arguments that every model adapter understands.
TOOLS = [
    tool("click", "Clicks at a pixel of the screenshot.", ("count",), x=WHOLE, y=WHOLE, count=WHOLE),
    tool("move", "Moves the pointer.", x=WHOLE, y=WHOLE),
    tool("drag", "Drags with the left button.", start_x=WHOLE, start_y=WHOLE, end_x=WHOLE, end_y=WHOLE),
    tool("type", "Types into whatever has the focus.", text=TEXT),
    tool("key", "Presses one chord, for example ctrl+a or Return.", combo=TEXT),
    tool("scroll", "Turns the wheel by notches.", direction=DIRECTION, amount=WHOLE),
    tool("speak", "Says a sentence into the microphone.", text=TEXT),
    tool("wait", "Waits.", seconds=dict(type="number")),
    tool("done", "Says that the task is finished."),
]


def to_action(call: model.ToolCall) -> action.Action:
    given = json.loads(call.arguments or "{}")

    def point(x: str, y: str) -> observation.Point:
        return observation.Point(round(given[x]), round(given[y]))

    if call.name == "click":
        return action.Action_Click(action.Click(point("x", "y"), action.MouseButton.LEFT, given.get("count", 1)))
    if call.name == "move":
        return action.Action_Move(point("x", "y"))
    if call.name == "drag":
        return action.Action_Drag(action.Drag(point("start_x", "start_y"), point("end_x", "end_y")))
    if call.name == "type":
        return action.Action_Type(given["text"])
    if call.name == "key":
        return action.Action_Key(given["combo"])
    if call.name == "scroll":
        direction = action.ScrollDirection[given["direction"].upper()]
        return action.Action_Scroll(action.Scroll(None, direction, given["amount"]))
    if call.name == "speak":
        return action.Action_Speak(given["text"])
    if call.name == "wait":
        return action.Action_Wait(Duration(round(given.get("seconds", 1) * 1000)))
    if call.name == "done":
        return action.Action_Done()
    raise ValueError(f"there is no tool {call.name}")
