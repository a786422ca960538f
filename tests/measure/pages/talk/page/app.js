// A talk by several speakers over slides. Sound and moving picture are both always there, as in a real broadcast.

import { sendEvent } from "/lib/connection.js";
import { at } from "/lib/drawing.js";
import { session } from "/lib/session.js";

/** Frames of the speaker's picture a second. */
const PICTURE_RATE = 25;

const canvas = at("speaker");
const paint = canvas.getContext("2d");
/** Grain of the camera, drawn once and shifted about. @type {HTMLCanvasElement} */
const grain = document.createElement("canvas");
/** The clip that is playing. @type {string | null} */
let playing = null;
/** @type {string} */
let coat = "#3a5a86";

function makeGrain() {
  grain.width = canvas.width + 32;
  grain.height = canvas.height + 32;
  const context = grain.getContext("2d");
  if (context === null) throw new Error("the browser draws nothing");
  const picture = context.createImageData(grain.width, grain.height);
  for (let pixel = 0; pixel < picture.data.length; pixel += 4) {
    picture.data.fill(Math.random() * 255, pixel, pixel + 3);
    picture.data[pixel + 3] = 18;
  }
  context.putImageData(picture, 0, 0);
}

/** A head that nods and speaks, under grain that never repeats. */
function drawSpeaker() {
  const { width, height } = canvas;
  const time = performance.now() / 1000;
  const voice = playing === null ? 0 : session.level(playing);
  const x = width / 2 + Math.sin(time * 0.9) * 6;
  const y = height * 0.48 + Math.sin(time * 1.7) * 3;
  paint.fillStyle = "#54606e";
  paint.fillRect(0, 0, width, height);
  paint.fillStyle = coat;
  paint.beginPath();
  paint.ellipse(x, height + 14, 110, 72, 0, 0, Math.PI * 2);
  paint.fill();
  paint.fillStyle = "#d9a983";
  paint.beginPath();
  paint.ellipse(x, y, 48, 60, 0, 0, Math.PI * 2);
  paint.fill();
  paint.fillStyle = "#5b2b2b";
  paint.beginPath();
  paint.ellipse(x, y + 26, 16, 2 + Math.min(1, voice * 3) * 12, 0, 0, Math.PI * 2);
  paint.fill();
  paint.drawImage(grain, -Math.random() * 32, -Math.random() * 32);
}

/**
 * @param {{ title: string, points: string[] }} slide
 * @param {number} number
 */
function showSlide(slide, number) {
  at("slide").querySelector("h1").textContent = slide.title;
  const list = at("slide").querySelector("ul");
  list.replaceChildren(...slide.points.map((point) => {
    const item = document.createElement("li");
    item.textContent = point;
    return item;
  }));
  at("slide").querySelector(".page").textContent = String(number + 1);
  requestAnimationFrame(() => sendEvent("moment", { name: "slide", index: number }));
}

/**
 * Plays one sentence and reports where on the page's clock its clip begins.
 * @param {string} id
 * @param {number} index
 */
async function say(id, index) {
  playing = id;
  const said = session.play(id);
  while (session.position(id) < 0.03) await session.wait(5);
  sendEvent("moment", { name: "said", index, position: session.position(id) });
  await said;
  playing = null;
}

/** @param {{ values: any }} loaded */
function show({ values }) {
  makeGrain();
  at("people").replaceChildren(...values.speakers.map((/** @type {{ name: string }} */ speaker) => {
    const item = document.createElement("li");
    item.textContent = speaker.name;
    return item;
  }));
  showSlide(values.slides[0], 0);
  drawSpeaker();
}

const { values } = await session.load(show);
await session.started;
setInterval(drawSpeaker, 1000 / PICTURE_RATE);
let slide = 0;
let index = 0;
for (let round = 0; round < values.rounds; round += 1) {
  for (const sentence of values.sentences) {
    if (sentence.slide !== slide) {
      slide = sentence.slide;
      showSlide(values.slides[slide], slide);
    }
    const speaker = values.speakers[sentence.speaker];
    coat = speaker.coat;
    at("name").textContent = speaker.name;
    [...at("people").children].forEach((item, number) => item.classList.toggle("now", number === sentence.speaker));
    await session.wait(sentence.wait);
    await say(sentence.clip, index);
    index += 1;
  }
}
await session.wait(values.rest);
session.mark("over");
