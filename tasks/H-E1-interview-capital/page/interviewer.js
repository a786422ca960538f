// The interviewer's picture: mouth and head follow the loudness of her voice, and she blinks.

import { at } from "/lib/drawing.js";

/** Where the mouth's corners are in the drawing. */
const LEFT = 416;
const RIGHT = 468;
const LINE = 324;
/** Time between two blinks and length of one, in milliseconds. */
const BLINK_EVERY = 4300;
const BLINK = 140;

/** Opening of the mouth, 0..1, smoothed: lips move less abruptly than loudness. */
let opening = 0;
/** How far the head sways, in degrees: she keeps still when she listens. */
let sway = 0;

/**
 * Writes an attribute only when it changes, so that a still picture is not painted again.
 * @param {string} id
 * @param {string} name
 * @param {string} value
 */
function set(id, name, value) {
  const element = at(id);
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * @param {number} loudness  of her voice at this moment, 0..1
 * @param {boolean} speaking
 */
export function drawInterviewer(loudness, speaking) {
  const target = Math.min(1, loudness * 2.4);
  opening += (target - opening) * (target > opening ? 0.75 : 0.55);
  if (opening < 0.02) opening = 0;
  // A closed mouth smiles a little; an open one is rounder and narrower.
  const open = opening * 26;
  const left = LEFT + opening * 7;
  const right = RIGHT - opening * 7;
  const middle = (left + right) / 2;
  const chin = LINE + 13 + open * 1.5;
  const upper = `M${left} ${LINE}Q${middle} ${LINE + 5 - open * 0.35} ${right} ${LINE}`;
  const lower = open < 2
    ? `M${left + 3} ${LINE + 1}Q${middle} ${LINE + 15} ${right - 3} ${LINE + 1}`
    : `M${left} ${LINE}Q${middle} ${chin} ${right} ${LINE}`;
  const teeth = `M${left + 8} ${LINE}Q${middle} ${LINE + 6 - open * 0.3} ${right - 8} ${LINE}`
    + `Q${middle} ${LINE + 10 + open * 0.2} ${left + 8} ${LINE}Z`;
  set("mouth-upper", "d", upper);
  set("mouth-lower", "d", lower);
  set("mouth-inside", "d", open < 2 ? "" : `${upper}Q${middle} ${chin} ${left} ${LINE}Z`);
  set("mouth-teeth", "d", open < 6 ? "" : teeth);

  const time = performance.now();
  const shut = time % BLINK_EVERY < BLINK;
  set("eyes", "visibility", shut ? "hidden" : "visible");
  set("lids", "visibility", shut ? "visible" : "hidden");
  sway += ((speaking ? 1.3 : 0) - sway) * 0.12;
  const tilt = Math.sin(time / 1700) * sway;
  set("head", "transform", `translate(0 ${(opening * 4).toFixed(1)}) rotate(${tilt.toFixed(1)} 442 380)`);
}
