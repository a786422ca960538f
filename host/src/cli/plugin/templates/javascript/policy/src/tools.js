// The actions as tools: the names and arguments that every model adapter understands.

const whole = { type: "integer" };
const text = { type: "string" };

const TOOLS = [
  ["click", "Clicks at a pixel of the screenshot.", { x: whole, y: whole, button: { enum: ["left", "middle", "right"] }, count: whole }, ["x", "y"]],
  ["move", "Moves the pointer.", { x: whole, y: whole }, ["x", "y"]],
  ["drag", "Drags with the left button.", { start_x: whole, start_y: whole, end_x: whole, end_y: whole }, ["start_x", "start_y", "end_x", "end_y"]],
  ["type", "Types into whatever has the focus.", { text }, ["text"]],
  ["key", "Presses one chord, for example ctrl+a or Return.", { combo: text }, ["combo"]],
  ["scroll", "Turns the wheel by notches.", { direction: { enum: ["up", "down", "left", "right"] }, amount: whole }, ["direction", "amount"]],
  ["speak", "Says a sentence into the microphone.", { text }, ["text"]],
  ["wait", "Waits.", { seconds: { type: "number" } }, ["seconds"]],
  ["done", "Says that the task is finished.", {}, []],
];

export function toolList(speech) {
  return TOOLS.filter(([name]) => speech || name !== "speak").map(([name, description, properties, required]) => ({
    name,
    description,
    inputSchema: JSON.stringify({
      type: "object",
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, value.enum ? { type: "string", ...value } : value]),
      ),
      required,
      additionalProperties: false,
    }),
  }));
}

/// The action that a call means; throws a reason to show to the model.
export function toAction(call) {
  let given;
  try {
    given = JSON.parse(call.arguments || "{}");
  } catch {
    throw new Error(`the arguments of ${call.name} are no JSON`);
  }
  const number = (key, otherwise) => {
    const value = Number(given[key] ?? otherwise);
    if (!Number.isFinite(value)) {
      throw new Error(`${key} of ${call.name} is no number`);
    }
    return Math.round(value);
  };
  const string = (key) => {
    if (typeof given[key] !== "string" || given[key] === "") {
      throw new Error(`${key} of ${call.name} is missing`);
    }
    return given[key];
  };
  switch (call.name) {
    case "click":
      return { tag: "click", val: { at: { x: number("x"), y: number("y") }, button: given.button ?? "left", count: number("count", 1) } };
    case "move":
      return { tag: "move", val: { x: number("x"), y: number("y") } };
    case "drag":
      return { tag: "drag", val: { start: { x: number("start_x"), y: number("start_y") }, end: { x: number("end_x"), y: number("end_y") } } };
    case "type":
      return { tag: "type", val: string("text") };
    case "key":
      return { tag: "key", val: string("combo") };
    case "scroll":
      return { tag: "scroll", val: { at: null, direction: string("direction"), amount: number("amount", 3) } };
    case "speak":
      return { tag: "speak", val: string("text") };
    case "wait":
      return { tag: "wait", val: { milliseconds: Math.round(Number(given.seconds ?? 1) * 1000) || 1000 } };
    case "done":
      return { tag: "done" };
    default:
      throw new Error(`there is no tool ${call.name}`);
  }
}

export function describeAction(action) {
  return action.val === undefined ? action.tag : `${action.tag} ${JSON.stringify(action.val)}`;
}
