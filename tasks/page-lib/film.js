// A recording made of clips: each scene's picture is put up as its clip begins, and what changes inside a scene
// follows the clip's own position. So sound and picture cannot part, however busy the machine is.

import { wait } from "./clock.js";
import { play, reached } from "./sound.js";

/**
 * @typedef {object} Cue
 * @property {number} at  seconds into the scene's clip
 * @property {() => void} run
 *
 * @typedef {object} Scene
 * @property {string} clip
 * @property {() => void | Promise<void>} [show]  puts up the picture, right before the clip begins; what it waits for is waited for
 * @property {Cue[]} [cues]
 * @property {number} [pause]  silence after the scene's voice, in milliseconds; 400 unless given
 */

/** Between two scenes, in milliseconds: a speaker's breath. */
const BREATH = 400;

/**
 * Plays scenes one after the other.
 * @param {Scene[]} scenes
 * @param {(index: number, scene: Scene) => void} [begins]  told as each scene begins
 * @returns {Promise<void>} resolved after the last scene's pause
 */
export async function playFilm(scenes, begins) {
  for (const [index, scene] of scenes.entries()) {
    await scene.show?.();
    begins?.(index, scene);
    const ended = play(scene.clip);
    for (const cue of scene.cues ?? []) reached(scene.clip, cue.at).then(cue.run);
    await ended;
    await wait(scene.pause ?? BREATH);
  }
}
