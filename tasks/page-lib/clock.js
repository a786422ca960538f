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

/**
 * Waits for something, but not for ever.
 * @template T
 * @param {number} ms
 * @param {Promise<T>} event
 * @returns {Promise<T | undefined>} what the event gave, or `undefined` once the time is over
 */
export function within(ms, event) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    event.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * @param {number} seconds
 * @returns {string} as players and calls write it: `0:07`, `12:30`
 */
export function clockText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/**
 * Calls back with the time that is left, ten times a second, until it is over.
 * @param {number} ms
 * @param {(left: number) => void} show  gets milliseconds; the last call gets 0
 * @returns {() => void} stops it before its time
 */
export function countdown(ms, show) {
  const end = performance.now() + ms;
  let timer = 0;
  const tick = () => {
    const left = Math.max(0, end - performance.now());
    show(left);
    if (left > 0) timer = setTimeout(tick, 100);
  };
  tick();
  return () => clearTimeout(timer);
}
