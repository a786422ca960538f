"use strict";
/**
 * @typedef {{ t: number, name: string, changed?: number[], file?: string }} Picture
 * @typedef {{ t: number, end: number, action: any, what: string, error: string | null }} Action
 * @typedef {{ t: number, list: HTMLElement, row: HTMLElement }} Follower
 */

/**
 * @param {string} id
 * @returns {any} the page's element of that name; whoever asks knows what it is
 */
const at = (id) => document.getElementById(id);
/** What `viewer.rs` wrote into the page; its entries are the record's lines. */
const data = JSON.parse(at("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {Element} parent
 * @param {string} [text]
 */
function draw(name, attributes, parent, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}
const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(1)} s`;
/** @type {any[]} */
const entries = data.entries;
const of = (/** @type {string[]} */ ...kinds) => entries.filter((entry) => kinds.includes(entry.event));
const length = Math.max(data.length, 1000);

// What stood on the screen when: a screenshot is of the time its observation was asked for, a keyframe of its capture.
/** @type {Picture[]} */
const pictures = [];
for (const entry of of("observation", "keyframe")) {
  const id = entry.event === "keyframe" ? entry.frame : entry.screenshot;
  const t = entry.event === "keyframe" ? entry.captured_at : entry.taken_at;
  const name = entry.event === "keyframe" ? "keyframe" : `screenshot, step ${entry.step}`;
  pictures.push({ t, name, changed: entry.changed, file: data.files[id] });
}
pictures.sort((a, b) => a.t - b.t);
const words = (/** @type {any} */ what) => (typeof what === "string" ? what : JSON.stringify(what));
/** @type {Action[]} */
const actions = of("action-done", "action-failed").map((entry) => ({
  t: entry.started_at ?? entry.t,
  end: entry.ended_at ?? entry.t,
  action: entry.action,
  what: data.actions[entry.id].text,
  error: data.actions[entry.id].error,
}));
const sentences = of("sentence").map((entry) => ({ ...entry.sentence, known: entry.t }));

// The time line: a lane for each kind of thing.
const lanes = ["steps", "pictures", "heard", "spoken", "actions", "page", "model"];
const HIGH = 26;
const line = at("line");
const chart = draw("svg", { height: lanes.length * HIGH + 22, "aria-hidden": "true" }, line);
const LEFT = 11;
const across = (/** @type {number} */ ms) => `${(LEFT + (99 - LEFT) * Math.min(1, Math.max(0, ms / length))).toFixed(3)}%`;
const wide = (/** @type {number} */ ms) => `${Math.max(0.25, (99 - LEFT) * (ms / length)).toFixed(3)}%`;
const middle = (/** @type {string} */ lane) => lanes.indexOf(lane) * HIGH + HIGH / 2;
for (const lane of lanes) {
  draw("line", { class: "lane", x1: across(0), x2: across(length), y1: middle(lane), y2: middle(lane) }, chart);
  draw("text", { x: "0", y: middle(lane) + 4 }, chart, lane);
}
const every = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600].find((step) => length / 1000 / step <= 8) || 1200;
for (let second = 0; second * 1000 <= length; second += every) {
  draw("text", { x: across(second * 1000), y: lanes.length * HIGH + 16, "text-anchor": "middle" }, chart, `${second}`);
}
const tick = (/** @type {string} */ lane, /** @type {number} */ t) =>
  draw("line", { class: "tick", x1: across(t), x2: across(t), y1: middle(lane) - 8, y2: middle(lane) + 8 }, chart);
const span = (/** @type {string} */ lane, /** @type {number} */ from, /** @type {number} */ to, kind = "") =>
  draw("rect", { class: `span ${kind}`, x: across(from), width: wide(to - from), y: middle(lane) - 7, height: 14, rx: 2 }, chart);
for (const entry of of("observation")) tick("steps", entry.taken_at);
for (const picture of pictures) tick("pictures", picture.t);
for (const sentence of sentences) span("heard", sentence.started_at, sentence.ended_at);
for (const action of actions) {
  if (action.action.kind === "speak") span("spoken", action.t, action.end, "spoken");
  else span("actions", action.t, action.end);
}
for (const entry of of("model-answer")) span("model", entry.t - entry.took_ms, entry.t, "model");
for (const entry of of("page")) {
  if (entry.name !== "moment") tick("page", entry.at);
}
for (const moment of data.moments) {
  const place = draw("svg", { x: across(moment.at), y: middle("page"), overflow: "visible" }, chart);
  draw("path", { class: moment.by ? "point moment" : "point lost", d: "M0 -9L8 0L0 9L-8 0Z" }, place);
}
if (data.look_at) {
  draw("line", { class: "wrong", x1: across(data.look_at.t), x2: across(data.look_at.t), y1: 0, y2: lanes.length * HIGH }, chart);
}
const head = draw("line", { class: "head", y1: 0, y2: lanes.length * HIGH }, chart);
line.setAttribute("aria-valuemax", length);

// Lists that lead to their time.
/** @type {Follower[]} */
const followers = [];
/**
 * @param {HTMLElement} list
 * @param {number} t
 * @param {string} text
 * @param {unknown} [fault]  whether it is one
 */
function item(list, t, text, fault) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  const time = document.createElement("time");
  time.textContent = seconds(t);
  const what = document.createElement("span");
  what.textContent = text;
  if (fault) what.className = "fault";
  button.append(time, what);
  button.addEventListener("click", () => seek(t));
  row.append(button);
  list.append(row);
  followers.push({ t, list, row: button });
}
/**
 * @param {Element} element
 * @param {string} text
 */
function none(element, text) {
  const row = document.createElement(element.tagName === "OL" ? "li" : "p");
  row.className = "none";
  row.textContent = text;
  element.append(row);
}
for (const sentence of sentences) {
  item(at("heard"), sentence.started_at, `${sentence.text} (final ${seconds(Math.max(0, sentence.known - sentence.ended_at))} later)`);
}
if (!sentences.length) none(at("heard"), "No sentence was recognised.");
/** @type {[number, string, unknown?][]} */
const spoken = [
  ...actions.filter(({ action }) => action.kind === "speak")
    .map(({ t, action, error }) => /** @type {[number, string, unknown]} */ ([t, `said: "${action.text}"${error ? `, ${error}` : ""}`, error])),
  ...of("page").filter((entry) => entry.name === "utterance")
    .map((entry) => /** @type {[number, string]} */ ([entry.at, `microphone heard: "${entry.data.text ?? words(entry.data)}"`])),
].sort((a, b) => a[0] - b[0]);
for (const [t, text, fault] of spoken) item(at("spoken"), t, text, fault);
if (!spoken.length) none(at("spoken"), "Nothing was spoken.");
for (const moment of data.moments) {
  const by = moment.by ? `perceived by ${moment.by}${moment.delay_ms === null ? "" : ` after ${seconds(moment.delay_ms)}`}` : "not perceived";
  item(at("moments"), moment.at, `${moment.name}: ${by}${moment.observed ? ", observed" : ", in no observation"}${moment.channel ? "" : " (its channel is not declared)"}`, !moment.by);
}
if (!data.moments.length) none(at("moments"), "The page reported no moment.");
for (const picture of pictures) {
  const button = document.createElement("button");
  button.type = "button";
  if (picture.file) {
    const image = document.createElement("img");
    image.loading = "lazy";
    image.src = `blobs/${picture.file}`;
    image.alt = "";
    button.append(image);
  }
  button.append(`${seconds(picture.t)} ${picture.name}${picture.file ? "" : ", file missing"}`);
  button.addEventListener("click", () => seek(picture.t));
  at("strip").append(button);
  followers.push({ t: picture.t, list: at("strip"), row: button });
}
if (!pictures.length) none(at("strip"), "No picture was kept.");

const MAIN = ["observation", "action-done", "action-failed", "sentence", "page", "verdict", "not-granted", "ended", "model-retry", "model-answer", "note"];
/** @param {any} entry */
function told(entry) {
  switch (entry.event) {
    case "observation":
      return `observation ${entry.step}, ${entry.keyframes.length} keyframes${entry.recent_audio?.transcript ? `, heard "${entry.recent_audio.transcript}"` : ""}`;
    case "action-done": return data.actions[entry.id].text;
    case "action-failed": return `${data.actions[entry.id].text} failed: ${data.actions[entry.id].error}`;
    case "sentence": return `heard "${entry.sentence.text}"`;
    case "page": return `page: ${entry.name} ${words(entry.data)}`;
    case "verdict": return `verdict: ${entry.label}`;
    case "guest-log": return `${entry.plugin} (${entry.level}): ${entry.message}`;
    case "note": return entry.text;
    case "ended": return `ended: ${entry.cause}, ${entry.detail}`;
    case "model-answer": return `model: ${data.model_errors[entry.call] ?? "ok"} after ${seconds(entry.took_ms)}`;
    case "model-retry": return `model asked again: ${entry.reason}`;
    default: {
      const { seq, t, event, previous, ...rest } = entry;
      return `${event} ${JSON.stringify(rest)}`.slice(0, 600);
    }
  }
}
function list() {
  const events = at("events");
  events.replaceChildren();
  for (let index = followers.length - 1; index >= 0; index -= 1) {
    if (followers[index].list === events) followers.splice(index, 1);
  }
  const all = at("kinds").value === "";
  for (const entry of entries) {
    if (all || MAIN.includes(entry.event)) {
      item(events, entry.t, told(entry), entry.event === "action-failed" || entry.event === "not-granted" || entry.seq === data.look_at?.seq);
    }
  }
  show();
}
at("kinds").addEventListener("change", list);

/** @param {string} id  of a blob */
function pretty(id) {
  const text = data.texts[id];
  if (text === undefined) return `not in this page: ${data.files[id] ? `blobs/${data.files[id]}` : "the file is missing"}`;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
/**
 * @param {Element} parent
 * @param {string} title
 * @param {string} id  of a blob
 */
function block(parent, title, id) {
  const heading = document.createElement("p");
  heading.className = "small";
  heading.textContent = title;
  const text = document.createElement("pre");
  text.textContent = pretty(id);
  text.tabIndex = 0;
  parent.append(heading, text);
}
for (const call of of("model-call")) {
  const answer = entries.find((entry) => entry.event === "model-answer" && entry.call === call.call);
  const box = document.createElement("details");
  const summary = document.createElement("summary");
  const usage = answer?.usage ? `, ${answer.usage.input_tokens} + ${answer.usage.output_tokens} tokens` : "";
  summary.textContent = `${seconds(call.t)} call ${call.call}, step ${call.step}, ${call.model}: ${answer ? `${data.model_errors[call.call] ?? "ok"} after ${seconds(answer.took_ms)}${usage}` : "no answer"}`;
  box.append(summary);
  // Long texts are laid out when they are wanted.
  box.addEventListener("toggle", () => {
    if (!box.open || box.children.length > 1) return;
    block(box, "What the policy asked", call.request);
    if (answer?.response) block(box, "What it got", answer.response);
    for (const exchange of of("model-exchange").filter((entry) => entry.call === call.call)) {
      block(box, `Attempt ${exchange.attempt}: ${exchange.method} ${exchange.url}, as it was sent`, exchange.request);
      if (exchange.response) block(box, `${exchange.status}, ${seconds(exchange.took_ms)}`, exchange.response);
      else none(box, exchange.error || "no response");
    }
  });
  at("model").append(box);
}
if (!of("model-call").length) none(at("model"), "No model was asked.");

// The state of the page is one time; everything follows from it. It begins with the first thing to be seen.
let now = Math.min(length, pictures[0]?.t ?? 0);
/**
 * @template {{ t: number }} T
 * @param {T[]} items  in order of their times
 * @param {number} t
 */
function last(items, t) {
  let found;
  for (const one of items) if (one.t <= t) found = one;
  return found;
}
// Where an action is on the screen: one place, or two for a drag.
/** @param {any} action */
function places(action) {
  return [action.at, action.to, action.start, action.end].filter((place) => Array.isArray(place));
}
const overlay = at("overlay");
function show() {
  const picture = last(pictures, now);
  const image = at("picture");
  image.hidden = !picture?.file;
  if (picture?.file && image.dataset.file !== picture.file) {
    image.dataset.file = picture.file;
    image.src = `blobs/${picture.file}`;
  }
  overlay.replaceChildren();
  if (picture?.changed) {
    const [x, y, width, height] = picture.changed;
    for (const kind of ["changed", "changed over"]) draw("rect", { class: kind, x, y, width, height }, overlay);
  }
  // An action stays drawn for two seconds.
  const recent = actions.filter((action) => action.t <= now + 1 && now <= action.end + 2000);
  for (const action of recent) {
    const at = places(action.action);
    for (const kind of ["", " over"]) {
      if (at.length === 2) {
        const [[x1, y1], [x2, y2]] = at;
        draw("line", { class: `path${kind}`, x1, y1, x2, y2 }, overlay);
      }
      for (const [cx, cy] of at) draw("circle", { class: `done${kind}`, cx, cy, r: 20 }, overlay);
    }
  }
  const texts = recent.filter((action) => !places(action.action).length).slice(-3);
  texts.forEach((action, index) => draw("text", { x: 24, y: 690 - 34 * (texts.length - 1 - index) }, overlay, action.what.slice(0, 84)));
  const said = sentences.filter((sentence) => sentence.started_at <= now && now <= sentence.ended_at + 400);
  at("caption").textContent = said.map((sentence) => sentence.text).join(" ");
  at("no-picture").textContent = picture ? "The picture's file is missing" : "No picture yet";
  head.setAttribute("x1", across(now));
  head.setAttribute("x2", across(now));
  line.setAttribute("aria-valuenow", Math.round(now));
  line.setAttribute("aria-valuetext", `${seconds(now)} of ${seconds(length)}`);
  at("clock").textContent = `${seconds(now)} of ${seconds(length)}`;
  /** @type {Map<HTMLElement, Follower>} */
  const current = new Map();
  for (const follower of followers) {
    follower.row.classList.remove("now");
    if (follower.t <= now && (current.get(follower.list)?.t ?? -1) <= follower.t) current.set(follower.list, follower);
  }
  for (const { list: parent, row } of current.values()) {
    row.classList.add("now");
    const top = row.offsetTop - parent.offsetTop;
    if (top < parent.scrollTop || top + row.offsetHeight > parent.scrollTop + parent.clientHeight) {
      parent.scrollTop = top - parent.clientHeight / 3;
    }
  }
}

// Sound keeps the time while it plays; without it the clock of the page does.
const audios = [...document.querySelectorAll("audio")];
let playing = false;
let since = 0;
/** @param {HTMLAudioElement} audio */
function wanted(audio) {
  /** @type {HTMLInputElement | null} */
  const box = document.querySelector(`[data-sound="${audio.dataset.of}"]`);
  return box !== null && box.checked;
}
function tune() {
  const speed = Number(at("speed").value);
  for (const audio of audios) {
    audio.playbackRate = speed;
    audio.muted = !wanted(audio);
    const inside = !Number.isFinite(audio.duration) || now / 1000 < audio.duration;
    if (playing && inside) {
      if (Math.abs(audio.currentTime - now / 1000) > 0.15) audio.currentTime = now / 1000;
      audio.play().catch(() => {});
    } else {
      audio.pause();
    }
  }
}
/** @param {number} time */
function frame(time) {
  if (!playing) return;
  const leader = audios.find((audio) => !audio.paused && !audio.ended && audio.readyState > 2);
  now = leader ? leader.currentTime * 1000 : now + (time - since) * Number(at("speed").value);
  since = time;
  if (now >= length) {
    now = length;
    stop();
  }
  show();
  requestAnimationFrame(frame);
}
function stop() {
  playing = false;
  at("play").textContent = "Play";
  tune();
}
function play() {
  if (playing) {
    stop();
    return;
  }
  if (now >= length) now = 0;
  playing = true;
  since = performance.now();
  at("play").textContent = "Pause";
  tune();
  requestAnimationFrame(frame);
}
/** @param {number} t */
function seek(t) {
  now = Math.min(length, Math.max(0, t));
  for (const audio of audios) audio.currentTime = now / 1000;
  show();
  tune();
}
/** @type {number[]} */
const steps = of("observation").map((entry) => entry.taken_at);
const step = (/** @type {number} */ by) => {
  const next = by > 0 ? steps.find((t) => t > now + 1) : steps.filter((t) => t < now - 1).pop();
  seek(next ?? (by > 0 ? length : 0));
};
const jump = () => {
  if (!data.look_at) return;
  seek(data.look_at.t);
  at("caption").textContent = `Here: ${data.look_at.why}`;
};
at("play").addEventListener("click", play);
at("back").addEventListener("click", () => step(-1));
at("on").addEventListener("click", () => step(1));
at("jump")?.addEventListener("click", jump);
at("speed").addEventListener("change", tune);
for (const box of document.querySelectorAll("[data-sound]")) box.addEventListener("change", tune);
const pointed = (/** @type {PointerEvent} */ event) => {
  const box = chart.getBoundingClientRect();
  const share = ((event.clientX - box.left) / box.width) * 100;
  seek(((share - LEFT) / (99 - LEFT)) * length);
};
line.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
  line.setPointerCapture(event.pointerId);
  pointed(event);
});
line.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
  if (event.buttons) pointed(event);
});
document.addEventListener("keydown", (event) => {
  const focused = event.target instanceof Element ? event.target.tagName : "";
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|SUMMARY|PRE)$/.test(focused)) return;
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => seek(now - 1000), ArrowRight: () => seek(now + 1000), Home: () => seek(0), End: () => seek(length),
    "[": () => step(-1), "]": () => step(1), j: jump,
  };
  if (event.key === " " && focused !== "BUTTON") keys[" "] = play;
  if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});
list();
