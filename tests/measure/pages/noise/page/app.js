// A page that never stands still and never says anything: what a keyframe gate should pass over.

import { at } from "/lib/drawing.js";
import { session } from "/lib/session.js";

/** Frames of the camera a second. */
const CAMERA_RATE = 25;

const camera = at("camera");
const paint = camera.getContext("2d");
const picture = paint.createImageData(camera.width, camera.height);

/** A dim yard with a lit door, under the grain of a cheap sensor. */
function drawCamera() {
  const { width, height, data } = picture;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const door = x > 150 && x < 250 && y > 60 && y < 190;
      const grain = (Math.random() - 0.5) * 26;
      const light = (door ? 150 : 60) + (y / height) * 30 + grain;
      const pixel = (y * width + x) * 4;
      data[pixel] = light;
      data[pixel + 1] = light * 1.02;
      data[pixel + 2] = light * 0.92;
      data[pixel + 3] = 255;
    }
  }
  paint.putImageData(picture, 0, 0);
}

const { values } = await session.load(drawCamera);
await session.started;
at("note").focus();
at("note").setSelectionRange(9999, 9999);
setInterval(drawCamera, 1000 / CAMERA_RATE);
setInterval(() => { at("bar").style.width = `${8 + (session.now() / values.length) * 60}%`; }, 200);
await session.wait(values.length);
session.mark("over");
