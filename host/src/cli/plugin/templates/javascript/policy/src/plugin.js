// A policy: looks at the screen, listens, asks the run's model what to do, and does it.
//
// Values follow the interfaces in vendor/wit: records are objects in camelCase, variants are { tag, val }, an absent
// option is null, a function's error is thrown: by an import as an Error with the value in `payload`, by an export as the
// value itself. Instants count from the page's start signal. Its name and what it asks for are in plugin.toml.

import session from "dynacu:policy/session@0.2.0";
import inference from "dynacu:model/inference@0.2.0";
import logging from "dynacu:host/logging@0.2.0";
import { describeAction, toolList, toAction } from "./tools.js";

const SYSTEM =
  "You operate a desktop by keyboard and mouse to carry out a task. Answer with tool calls only. " +
  "Wait while there is nothing to do yet, and call done when the task is finished.";

function run(brief, _settings) {
  const done = []; // one line for each action, with what became of it
  for (;;) {
    let seen;
    try {
      seen = session.observe(); // waits for the pace; one call is one step
    } catch {
      return; // the episode is over
    }
    const answer = ask(compose(brief, seen, done), brief);
    if (answer === null) {
      return;
    }
    const calls = answer.parts.filter((part) => part.tag === "tool-call").map((part) => part.val);
    if (calls.length === 0) {
      done.push(`Step ${seen.step}: nothing, since your answer had no tool call`);
      continue;
    }
    if (!act(calls, seen.step, done)) {
      return;
    }
  }
}

/// The model's answer, or null once the episode is over. A failed call is repeated with the next observation.
function ask(messages, brief) {
  const call = inference.submit({
    messages,
    tools: toolList(Boolean(brief.granted.speech)),
    display: [brief.screen.width, brief.screen.height],
    maxOutputTokens: null,
    temperature: null,
  });
  for (;;) {
    const event = next();
    if (event === null) {
      return null;
    }
    if (event.tag === "completion" && event.val.call.number === call.number) {
      const outcome = event.val.outcome;
      if (outcome.tag === "ok") {
        return outcome.val;
      }
      logging.log("warn", `the model did not answer: ${JSON.stringify(outcome.val)}`);
      return { parts: [] };
    }
  }
}

/// The next event, or null once the episode is over.
function next() {
  try {
    return session.next(null); // without a limit it does not come back empty
  } catch {
    return null;
  }
}

/// Performs calls in order; false once the episode is over. The host stops a batch at its first failure.
function act(calls, step, done) {
  let actions;
  try {
    actions = calls.map(toAction);
  } catch (error) {
    done.push(`Step ${step}: nothing, since ${error.message}`);
    return true;
  }
  let open;
  try {
    open = new Map(session.perform(actions).map((id, index) => [id.number, actions[index]]));
  } catch (error) {
    if (error.payload?.tag !== "too-many") {
      return false;
    }
    done.push(`Step ${step}: nothing, since ${actions.length} actions are more than are done at once`);
    return true;
  }
  while (open.size > 0) {
    const event = next();
    if (event === null) {
      return false;
    }
    const action = event.tag === "action" ? open.get(event.val.action.number) : undefined;
    if (action !== undefined) {
      open.delete(event.val.action.number);
      const { tag, val } = event.val.outcome;
      const error = tag === "err" ? ` → error: ${val.tag} ${JSON.stringify(val.val ?? "")}` : "";
      done.push(`Step ${step}: ${describeAction(action)}${error}`);
    }
  }
  return true;
}

/// What the model is shown: the task, past actions, the transcript, the changes on screen, and last the screenshot.
function compose(brief, seen, done) {
  const parts = [];
  const text = (value) => parts.push({ tag: "text", val: value });
  const picture = (frame) => {
    try {
      parts.push({ tag: "image", val: frame.encode({ format: "png", maxSide: null, crop: null }) });
    } catch {
      text("(a picture that is gone)"); // more than 128 frames were held
    }
    frame[Symbol.dispose]?.(); // lets the host free its pixels
  };
  text(`Observation Record\n[TASK]\n${brief.instruction}\n[PRIOR ACTIONS]\n${done.slice(-20).join("\n") || "none"}`);
  if (seen.audioContext !== null) {
    const lines = seen.audioContext.sentences.map(
      (sentence) => `(${seconds(sentence.startedAt)}) ${sentence.text}`,
    );
    text(`[HEARD IN THE LAST MINUTE]\n${lines.join("\n") || "nothing"}`);
  }
  if (seen.recentAudio !== null) {
    text(`[HEARD SINCE THE LAST LOOK]\n${seen.recentAudio.transcript || "nothing"}`);
  }
  for (const keyframe of seen.keyframes) {
    text(`[THE SCREEN AT ${seconds(keyframe.capturedAt)}]`);
    picture(keyframe.frame);
  }
  text(`[THE SCREEN NOW, ${seconds(seen.takenAt)}]`);
  picture(seen.screenshot);
  return [
    { role: "system", parts: [{ tag: "text", val: SYSTEM }] },
    { role: "user", parts },
  ];
}

function seconds(instant) {
  return `${(Number(instant.milliseconds) / 1000).toFixed(1)}s`;
}

export const policy = { run };
