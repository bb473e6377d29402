// @ts-check
// Synthesised sounds: noise for dice on wood, and tones. Loaded only if sounds are switched on.

/** @type {AudioContext | null} */
let context = null;
/** @type {AudioBuffer | null} */
let noise = null;

/** Must be called from a user gesture: browsers block audio until then. */
export function enableAudio() {
  context ??= new AudioContext();
  context.resume();
}

/**
 * @param {string} sound `rattle`, `drop`, `capture`, `hold` or `turn`
 * @param {number} delay in milliseconds
 */
export function play(sound, delay) {
  if (context?.state !== "running") return;
  const start = context.currentTime + delay / 1000;
  if (sound === "rattle") for (let i = 0; i < 7; i++) knock(start + 0.07 * i + 0.04 * Math.random(), 900 + 900 * Math.random(), 0.16 - 0.015 * i);
  else if (sound === "drop") knock(start, 700, 0.2);
  else if (sound === "capture") { knock(start, 420, 0.3); tone(start + 0.02, 196, 0.12, 0.18); }
  else if (sound === "hold") tone(start, 147, 0.1, 0.14);
  else if (sound === "turn") { tone(start, 523, 0.09, 0.25); tone(start + 0.14, 784, 0.09, 0.4); }
}

/** A short burst of noise through a band-pass filter. */
function knock(/** @type {number} */ start, /** @type {number} */ pitch, /** @type {number} */ volume) {
  if (!context) return;
  if (!noise) {
    noise = context.createBuffer(1, context.sampleRate / 10, context.sampleRate);
    const samples = noise.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  }
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 4 });
  source.connect(filter).connect(gainEnvelope(start, volume, 0.06)).connect(context.destination);
  source.start(start);
}

function tone(/** @type {number} */ start, /** @type {number} */ pitch, /** @type {number} */ volume, /** @type {number} */ duration) {
  if (!context) return;
  const oscillator = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  oscillator.connect(gainEnvelope(start, volume, duration)).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + duration);
}

function gainEnvelope(/** @type {number} */ start, /** @type {number} */ volume, /** @type {number} */ duration) {
  const gain = new GainNode(/** @type {AudioContext} */ (context), { gain: 0 });
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + duration);
  return gain;
}
