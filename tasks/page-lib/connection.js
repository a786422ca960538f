// The page's WebSocket to its own server: events go out, the start signal and the result come in.

import { now, startClock } from "./clock.js";

/** How long the server may take to accept the connection, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;

/** What `window.getTaskResult()` answers. */
let result = "pending";

/** @type {WebSocket | null} */
let socket = null;

/** Messages made before the socket was open, in order. @type {string[]} */
const waiting = [];

/** @type {() => void} */
let signalStart;

/** Resolved by the host's start signal. @type {Promise<void>} */
export const started = new Promise((resolve) => {
  signalStart = () => resolve();
});

// Defined as soon as the library is loaded, so that the host can ask at any time; the label itself is the server's.
Object.defineProperty(window, "getTaskResult", { value: () => result });

/**
 * @param {string} path
 * @returns {string} the WebSocket address of a path on the page's own server
 */
export function socketAddress(path) {
  return `ws://${location.host}${path}`;
}

/** @returns {Promise<void>} resolved once the server has accepted the connection */
export function connect() {
  return new Promise((resolve, reject) => {
    const opened = new WebSocket(socketAddress("/session"));
    const timer = setTimeout(() => reject(new Error("the task server did not accept the session")), CONNECT_TIMEOUT);
    opened.addEventListener("open", () => {
      clearTimeout(timer);
      socket = opened;
      for (const message of waiting.splice(0)) opened.send(message);
      resolve();
    });
    opened.addEventListener("error", () => {
      clearTimeout(timer);
      reject(new Error("the session with the task server failed"));
    });
    opened.addEventListener("message", (message) => receive(String(message.data)));
  });
}

/** @param {string} text */
function receive(text) {
  const message = JSON.parse(text);
  if (message.kind === "start") {
    startClock();
    signalStart();
  } else if (message.kind === "result") {
    result = String(message.value);
  }
}

/** @param {object} message */
function send(message) {
  const text = JSON.stringify(message);
  if (socket !== null && socket.readyState === WebSocket.OPEN) socket.send(text);
  else waiting.push(text);
}

/** @returns {boolean} whether the session stands and the host has not decided yet */
export function inSession() {
  return result === "pending" && socket?.readyState === WebSocket.OPEN;
}

/** Tells the host that the page is loaded and waits for its start signal. */
export function sendReady() {
  send({ kind: "ready" });
}

/**
 * @param {string} name
 * @param {object} data
 */
export function sendEvent(name, data) {
  send({ kind: "event", t: now(), name, data });
}

/** Faults that were reported already: one may be caught where it arises and again by the window. @type {WeakSet<object>} */
const reported = new WeakSet();

/**
 * Reports a fault of the page itself (never of what the person did), so that it is not taken for a failed attempt.
 * @param {unknown} error
 */
export function reportError(error) {
  if (error instanceof Error) {
    if (reported.has(error)) return;
    reported.add(error);
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  console.error(message);
  sendEvent("page-error", { message });
}
