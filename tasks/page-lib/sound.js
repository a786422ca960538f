// Clips of the task: loaded before the start, played as ordinary audio elements.
//
// Sound and picture stay together because pages draw from the element's own time: `level` reads a loudness curve
// made from the same file, at the position that is playing. Nothing is routed through an audio context, so what
// reaches the speaker is the browser's plain playback.

import { reportError } from "./connection.js";

/** How long one clip may take to load, in milliseconds. */
const LOAD_TIMEOUT = 15_000;
/** Points of the loudness curve per second. */
const CURVE_RATE = 50;
/** Loudness (of a full-scale sine, 0..1) above which a point counts as voice. */
const VOICE_FLOOR = 0.02;

/**
 * @typedef {object} Clip
 * @property {HTMLAudioElement} element
 * @property {Float32Array} curve  loudness, 0..1, `CURVE_RATE` points a second
 * @property {number} voiceEnd     seconds into the clip at which its voice has ended
 */

/** @type {Map<string, Clip>} */
const clips = new Map();

/**
 * @param {Record<string, string>} addresses  clip id to address
 * @returns {Promise<void>} resolved when every clip can be played to its end without a pause
 */
export async function loadClips(addresses) {
  await Promise.all(
    Object.entries(addresses).map(async ([id, address]) => {
      const [element, curve] = await Promise.all([loadElement(id, address), loadCurve(address)]);
      clips.set(id, { element, curve, voiceEnd: endOfVoice(curve) });
    }),
  );
}

/**
 * @param {string} id
 * @param {string} address
 * @returns {Promise<HTMLAudioElement>}
 */
function loadElement(id, address) {
  return new Promise((resolve, reject) => {
    const element = new Audio();
    const timer = setTimeout(() => reject(new Error(`the clip ${id} did not load in time`)), LOAD_TIMEOUT);
    element.addEventListener("canplaythrough", () => { clearTimeout(timer); resolve(element); }, { once: true });
    element.addEventListener("error", () => {
      clearTimeout(timer);
      const detail = element.error?.message ?? "no detail";
      reportError(`the clip ${id} failed: ${detail}`);
      reject(new Error(`the clip ${id} cannot be played: ${detail}`));
    });
    element.preload = "auto";
    element.src = address;
    element.load();
  });
}

/**
 * @param {string} address
 * @returns {Promise<Float32Array>}
 */
async function loadCurve(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the server answered ${response.status} for a clip`);
  // An offline context decodes without opening a device and without a gesture of the person.
  const decoder = new OfflineAudioContext(1, 1, 16_000);
  const decoded = await decoder.decodeAudioData(await response.arrayBuffer());
  const samples = decoded.getChannelData(0);
  const span = Math.round(decoded.sampleRate / CURVE_RATE);
  const curve = new Float32Array(Math.ceil(samples.length / span));
  for (let point = 0; point < curve.length; point += 1) {
    const part = samples.subarray(point * span, (point + 1) * span);
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / part.length;
    curve[point] = Math.min(1, Math.sqrt(2 * power));
  }
  return curve;
}

/**
 * @param {Float32Array} curve
 * @returns {number} seconds
 */
function endOfVoice(curve) {
  const last = curve.findLastIndex((level) => level > VOICE_FLOOR);
  return (last + 1) / CURVE_RATE;
}

/**
 * @param {string} id
 * @returns {Clip}
 */
function find(id) {
  const found = clips.get(id);
  if (found === undefined) throw new Error(`there is no clip ${id}`);
  return found;
}

/**
 * @param {string} id
 * @returns {HTMLAudioElement}
 */
export function clip(id) {
  return find(id).element;
}

/**
 * Plays a clip from its beginning.
 * @param {string} id
 * @returns {Promise<void>} resolved when its voice has ended; the silence that may follow in the file still plays
 */
export async function play(id) {
  const { element, voiceEnd } = find(id);
  element.currentTime = 0;
  try {
    await element.play();
  } catch (error) {
    reportError(error);
    throw error;
  }
  await new Promise((resolve) => {
    const look = () => {
      if (element.ended || element.currentTime >= voiceEnd) resolve(undefined);
      else setTimeout(look, 20);
    };
    look();
  });
}

/**
 * @param {string} id
 * @returns {number} loudness of what the clip is playing at this moment, 0..1; 0 when it is not playing
 */
export function level(id) {
  const { element, curve } = find(id);
  if (element.paused || element.ended) return 0;
  return curve[Math.floor(element.currentTime * CURVE_RATE)] ?? 0;
}

/**
 * @param {string} id
 * @returns {number} seconds of the clip played so far
 */
export function position(id) {
  return find(id).element.currentTime;
}

/**
 * @param {string} id
 * @param {number} seconds  into the clip
 * @returns {Promise<void>} resolved when the clip has played that far, or has ended before
 */
export function reached(id, seconds) {
  const { element } = find(id);
  return new Promise((resolve) => {
    const look = () => {
      if (element.ended || element.currentTime >= seconds) resolve();
      else setTimeout(look, 20);
    };
    look();
  });
}

/**
 * @param {string} id
 * @returns {number} seconds of the clip until its voice has ended
 */
export function length(id) {
  return find(id).voiceEnd;
}
