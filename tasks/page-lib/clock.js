// The page's clock: milliseconds since the host's start signal. Before the signal it stands at zero.

/** @type {number | null} */
let origin = null;

/** Sets t = 0. Only the first call counts: the host starts a page once. */
export function startClock() {
  origin ??= performance.now();
}

/** @returns {number} whole milliseconds since the start signal, 0 before it */
export function now() {
  return origin === null ? 0 : Math.round(performance.now() - origin);
}

/**
 * @param {number} ms
 * @returns {Promise<void>} resolved after that many milliseconds
 */
export function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
