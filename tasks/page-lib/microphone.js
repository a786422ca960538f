// The person's microphone, streamed to the page's server as a call would stream it.

import { inSession, reportError, socketAddress } from "./connection.js";

/** Samples a second, of the context and of what is sent. */
const RATE = 16_000;
/** How long the browser may take to open the device, in milliseconds. */
const OPEN_TIMEOUT = 10_000;
/** How much later the session may close than the stream, in milliseconds. */
const CLOSE_GRACE = 1000;
/** Bytes waiting in the socket above which the stream is reported as stuck: eight seconds of sound. */
const STUCK_BYTES = RATE * 2 * 8;

/** Loudness now, 0..1: rises at once, falls slowly, as meters do. */
let level = 0;
/** @type {Promise<void> | null} */
let running = null;

/** @returns {Promise<WebSocket>} */
function openSocket() {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(socketAddress("/microphone"));
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ rate: RATE }));
      resolve(socket);
    });
    socket.addEventListener("error", () => reject(new Error("the microphone's stream was refused")));
  });
}

/** @returns {Promise<void>} resolved when the first samples are on their way */
async function open() {
  const [socket, stream] = await Promise.all([
    openSocket(),
    // The browser's own clean-up is off: it would cut into a synthetic voice and shift its level.
    navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 1 },
    }),
  ]);
  const context = new AudioContext({ sampleRate: RATE });
  await context.audioWorklet.addModule("/lib/microphone-worklet.js");
  const source = new MediaStreamAudioSourceNode(context, { mediaStream: stream });
  const chunks = new AudioWorkletNode(context, "chunks", { channelCount: 1, channelCountMode: "explicit" });
  // The node writes nothing to its output; it is connected because a graph is only pulled towards its destination.
  source.connect(chunks).connect(context.destination);

  let stuck = false;
  const first = new Promise((resolve) => {
    chunks.port.onmessage = ({ data }) => {
      level = Math.max(data.level, level * 0.82);
      if (socket.readyState === WebSocket.OPEN) socket.send(data.pcm);
      if (!stuck && socket.bufferedAmount > STUCK_BYTES) {
        stuck = true;
        reportError("the microphone's stream is not taken by the server");
      }
      resolve(undefined);
    };
  });
  socket.addEventListener("close", () => {
    // The host closes both sockets when an episode is over; only this one closing is a fault.
    setTimeout(() => { if (inSession()) reportError("the microphone's stream was closed"); }, CLOSE_GRACE);
  });
  stream.getAudioTracks()[0].addEventListener("ended", () => reportError("the microphone was taken away"));
  await context.resume();
  await first;
}

export const microphone = {
  /**
   * Opens the microphone once; further calls return the same promise.
   * @returns {Promise<void>} resolved when samples flow
   */
  start() {
    running ??= Promise.race([
      open(),
      new Promise((_, reject) => {
        setTimeout(() => reject(new Error("the microphone did not open in time")), OPEN_TIMEOUT);
      }),
    ]).catch((error) => {
      reportError(error);
      throw error;
    });
    return running;
  },

  /** Loudness of what the microphone hears, 0..1. */
  get level() {
    return level;
  },
};
