// @ts-check
// How fast other players' plies are animated, their caption, and the playback controls.
//
// Attacks that do not involve the reader are shorter. A round of other players takes at most about MAX_ROUND_MS at
// normal speed: the more plies, the faster each is.
import { announce, announcesEachMove, cookiePath, durationFactor, main, root } from "./page.js";

/** @typedef {import('./motion.js').Ply} Ply */

const MAX_ROUND_MS = 6500;
/** Estimates for the countdown and the speed-up; the actual durations are in motion.js. */
const ESTIMATED_MS = { brief: 430, full: 2100, end: 700, chip: 900 };
/** Plies are never faster than this fraction of their duration. */
const MIN_FACTOR = 0.25;

// ---- speed

const readerSeats = () => (main().dataset.mine ?? "").split(" ").filter(Boolean).map(Number);

/** The owner of a hex on the current board. @param {number} hex */
function ownerOf(hex) {
  const names = main().querySelector(`#h${hex}`)?.getAttribute("class") ?? "";
  return Number(/(?:^| )p(\d)/.exec(names)?.[1] ?? -1);
}

/** @param {Ply} ply */
export const isMine = (ply) => readerSeats().includes(ply.player);

/** Whether an attack is by or on the reader. @param {Ply} ply */
function involvesReader(ply) {
  return isMine(ply) || (ply.path ? readerSeats().includes(ownerOf(ply.path[1])) : false);
}

/** @param {Ply} ply */
export const isBrief = (ply) => ply.cell === undefined && !involvesReader(ply);

/** Whether the reader wants to see only attacks on them, and this is something else. @param {Ply} ply */
export const isHidden = (ply) => root.dataset.fights === "mine" && isBrief(ply);

/** @param {Ply} ply */
function estimatedMs(ply) {
  if (ply.cell !== undefined) return ESTIMATED_MS.chip;
  if (!ply.path) return ESTIMATED_MS.end;
  return involvesReader(ply) ? ESTIMATED_MS.full : ESTIMATED_MS.brief;
}

/** @param {Ply[]} plies */
const totalMs = (plies) => plies.reduce((total, ply) => total + estimatedMs(ply), 0);

/** When playback of this round of other players began; null while the reader plays. @type {number | null} */
let roundStartedAt = null;
/** Since when no ply is animated. @type {number | null} */
let idleSince = null;
/** The start and the planned duration of the ply that is being animated. @type {{ startedAt: number, plannedMs: number } | null} */
let currentPly = null;
/** Measured ratio of actual to planned durations: pages must also be fetched and rendered. */
let slowdown = 1;

/** Time without animation does not count towards the duration of the round. */
export function pauseRoundTimer() {
  idleSince ??= performance.now();
}

function resumeRoundTimer() {
  if (idleSince === null) return;
  if (roundStartedAt !== null) roundStartedAt += performance.now() - idleSince;
  idleSince = currentPly = null;
}

/**
 * The duration factor of the next ply: at most 1, at least MIN_FACTOR; 1 for the reader's own plies and for spectators.
 * @param {Ply} ply @param {Ply[]} following the plies after it
 */
export function plyDurationFactor(ply, following) {
  resumeRoundTimer();
  if (!readerSeats().length || isMine(ply)) {
    roundStartedAt = currentPly = null;
    return 1;
  }
  const now = performance.now();
  roundStartedAt ??= now;
  if (currentPly) slowdown = Math.min(4, Math.max(1, (slowdown + (now - currentPly.startedAt) / currentPly.plannedMs) / 2));
  const next = following.findIndex(isMine);
  const remaining = totalMs([ply, ...(next < 0 ? following : following.slice(0, next))]) * durationFactor();
  const left = MAX_ROUND_MS * durationFactor() - (now - roundStartedAt);
  const factor = Math.min(1, Math.max(MIN_FACTOR, left / (remaining * slowdown)));
  currentPly = { startedAt: now, plannedMs: estimatedMs(ply) * durationFactor() * factor };
  return factor;
}

// ---- caption

/** The turn being shown: its player and the number of attacks so far. */
let shownTurn = { player: -1, attacks: 0 };

const playbackControls = () => /** @type {HTMLElement | null} */ (main().querySelector(".tempo"));

/**
 * Shows which attack of a turn is being animated, and the time until the reader's turn.
 * @param {Ply} ply @param {Ply[]} following the plies after it
 * @param {boolean} isReaderNext whether it is the reader's turn after all of them
 */
export function showCaption(ply, following, isReaderNext) {
  const texts = playbackControls()?.dataset;
  const prompt = main().querySelector(".prompt");
  const head = prompt?.querySelector("h1");
  if (!texts || !prompt || !head || isMine(ply) || ply.cell !== undefined) {
    shownTurn = { player: -1, attacks: 0 };
    const [attack, defend] = [ply.roll?.attack.length, ply.roll?.defend.length];
    if (!attack || !head) return;
    head.textContent = (texts?.rolling ?? "").replace("#n", String(attack)).replace("#m", String(defend));
    announce(head.textContent);
    removeInstructions();
    return;
  }
  if (shownTurn.player !== ply.player) {
    shownTurn = { player: ply.player, attacks: 0 };
    if (!announcesEachMove()) announce(prompt.querySelector(".whose")?.textContent ?? "");
  }
  removeInstructions();
  if (ply.path) {
    shownTurn.attacks += 1;
    const end = following.findIndex((next) => !next.path || next.player !== ply.player);
    const total = shownTurn.attacks + (end < 0 ? 0 : end);
    const sentence = end < 0 ? texts.attack : texts.attackOf;
    head.textContent = (sentence ?? "").replace("#n", String(shownTurn.attacks)).replace("#m", String(total));
    head.after(attackMarks(shownTurn.attacks, end < 0 ? shownTurn.attacks : total));
  } else {
    head.textContent = texts.end ?? "";
    head.after(attackMarks(0, 0));
    shownTurn = { player: -1, attacks: 0 };
  }
  if (!isReaderNext) return;
  const elapsed = roundStartedAt === null ? 0 : performance.now() - roundStartedAt;
  const left = Math.min(totalMs([ply, ...following]) * durationFactor(), MAX_ROUND_MS * durationFactor() - elapsed) / 1000;
  const sub = document.createElement("p");
  sub.className = "sub";
  sub.textContent = (texts.soon ?? "").replace("#s", String(Math.max(1, Math.round(left))));
  playbackControls()?.after(sub);
}

/** What to press is said for the position before the ply. */
function removeInstructions() {
  for (const outdated of main().querySelectorAll(".prompt .sub")) outdated.remove();
}

/** A row of marks, one per attack of this turn. @param {number} done @param {number} total */
function attackMarks(done, total) {
  main().querySelector(".ticks")?.remove();
  const marks = document.createElement("span");
  marks.className = "ticks";
  marks.ariaHidden = "true";
  for (let i = 0; i < Math.min(total, 12); i++) {
    const mark = document.createElement("i");
    if (i < done) mark.className = "on";
    marks.append(mark);
  }
  return marks;
}

// ---- controls

/** @type {(() => void) | null} */
let resumePlayback = null;
let isPaused = false;

/** @param {boolean} isShown */
export function showControls(isShown) {
  const controls = playbackControls();
  if (!controls) return;
  controls.hidden = !isShown;
  if (!isShown) unpause();
}

export async function waitWhilePaused() {
  if (!isPaused) return;
  pauseRoundTimer();
  await new Promise((resolve) => { resumePlayback = () => resolve(undefined); });
}

export function unpause() {
  isPaused = false;
  playbackControls()?.querySelector(".pause")?.setAttribute("aria-pressed", "false");
  resumePlayback?.();
  resumePlayback = null;
}

export function togglePause() {
  const { going, paused } = playbackControls()?.dataset ?? {};
  announce((isPaused ? going : paused) ?? "");
  if (isPaused) return unpause();
  isPaused = true;
  playbackControls()?.querySelector(".pause")?.setAttribute("aria-pressed", "true");
}

/** @param {string} speed */
export function saveSpeed(speed) {
  for (const button of playbackControls()?.querySelectorAll("[data-speed]") ?? []) {
    button.setAttribute("aria-pressed", String(button.getAttribute("data-speed") === speed));
  }
  saveSetting("speed", speed === "normal" ? "" : speed);
}

/** Shows only attacks on the reader, or all moves again. @param {Element} button */
export function toggleFights(button) {
  const isOnlyMine = root.dataset.fights !== "mine";
  button.setAttribute("aria-pressed", String(isOnlyMine));
  saveSetting("fights", isOnlyMine ? "mine" : "");
}

/** Sets a setting and saves it in the cookie of the display options. @param {string} name @param {string} value empty for the default */
function saveSetting(name, value) {
  if (value) root.dataset[name] = value;
  else delete root.dataset[name];
  const saved = /(?:^|; )dod_look=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  const others = saved.split(".").filter((pair) => pair && !pair.startsWith(`${name}-`));
  const all = (value ? [...others, `${name}-${value}`] : others).join(".");
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `dod_look=${all}; path=${cookiePath}; max-age=${all ? 31536000 : 0}; samesite=lax${secure}`;
}
