// Runs on the browser's audio thread: gathers the microphone's samples into chunks of 40 ms of 16-bit PCM.

/** Samples in one chunk at 16 kHz: 40 ms. */
const CHUNK = 640;

class Chunks extends AudioWorkletProcessor {
  constructor() {
    super();
    this.samples = new Int16Array(CHUNK);
    this.filled = 0;
    this.power = 0;
  }

  /**
   * @param {Float32Array[][]} inputs
   * @returns {boolean} true: keep running
   */
  process(inputs) {
    const channel = inputs[0]?.[0];
    if (channel === undefined) return true; // the device has not delivered anything yet
    for (const value of channel) {
      const sample = Math.max(-1, Math.min(1, value));
      this.samples[this.filled] = Math.round(sample * 32767);
      this.power += sample * sample;
      this.filled += 1;
      if (this.filled === CHUNK) this.hand();
    }
    return true;
  }

  hand() {
    const pcm = this.samples.buffer;
    const level = Math.min(1, Math.sqrt((2 * this.power) / CHUNK));
    this.port.postMessage({ pcm, level }, [pcm]);
    this.samples = new Int16Array(CHUNK);
    this.filled = 0;
    this.power = 0;
  }
}

registerProcessor("chunks", Chunks);
