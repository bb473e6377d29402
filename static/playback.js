// @ts-check
// How fast the plies of others are shown, what is said meanwhile, and the controls for it.
//
// What concerns nobody here is shown in brief. A round of others is never longer than ROUND_MS at
// normal speed: where more happened, everything goes a little faster.
import { cookiePath, main, pace, root, say } from "./page.js";

/** @typedef {import('./motion.js').Ply} Ply */

/** The longest that a round of others may take. */
const ROUND_MS = 12_500;
/** What plies take, about. */
const TAKES = { brief: 430, full: 2100, end: 700, chip: 900 };
/** However much happened, it can still be seen. */
const FASTEST = 0.25;

// ---- how long

const mine = () => (main().dataset.mine ?? "").split(" ").filter(Boolean).map(Number);

/** The owner of a hex on the board that is shown. @param {number} hex */
function ownerOf(hex) {
  const names = main().querySelector(`#h${hex}`)?.getAttribute("class") ?? "";
  return Number(/(?:^| )p(\d)/.exec(names)?.[1] ?? -1);
}

/** @param {Ply} ply */
export const isMine = (ply) => mine().includes(ply.player);

/** Whether an attack is by or on somebody who plays here. @param {Ply} ply */
function concerns(ply) {
  return isMine(ply) || (ply.path ? mine().includes(ownerOf(ply.path[1])) : false);
}

/** @param {Ply} ply */
export const isBrief = (ply) => ply.cell === undefined && !concerns(ply);

/** @param {Ply} ply */
function takes(ply) {
  if (ply.cell !== undefined) return TAKES.chip;
  if (!ply.path) return TAKES.end;
  return concerns(ply) ? TAKES.full : TAKES.brief;
}

/** @param {Ply[]} plies */
const sum = (plies) => plies.reduce((all, ply) => all + takes(ply), 0);

/** When this round of others began to be shown; none while the reader plays. @type {number | null} */
let began = null;
/** Since when nothing is shown. @type {number | null} */
let idle = null;
/** The ply that is shown: since when, and how long it should take. @type {{ at: number, planned: number } | null} */
let one = null;
/** How much longer than planned plies take here: pages have to come and to be drawn. */
let lag = 1;

/** Nothing more is to be shown for now, which does not count as a part of the round. */
export function rest() {
  idle ??= performance.now();
}

function wake() {
  if (idle === null) return;
  if (began !== null) began += performance.now() - idle;
  idle = one = null;
}

/**
 * How much faster than usual the next ply goes, 1 or less.
 * @param {Ply} ply @param {Ply[]} others what comes after it
 */
export function squeeze(ply, others) {
  wake();
  if (!mine().length || isMine(ply)) {
    began = one = null;
    return 1;
  }
  const now = performance.now();
  began ??= now;
  if (one) lag = Math.min(4, Math.max(1, (lag + (now - one.at) / one.planned) / 2));
  const next = others.findIndex(isMine);
  const ahead = sum([ply, ...(next < 0 ? others : others.slice(0, next))]) * pace();
  const left = ROUND_MS * pace() - (now - began);
  const factor = Math.min(1, Math.max(FASTEST, left / (ahead * lag)));
  one = { at: now, planned: takes(ply) * pace() * factor };
  return factor;
}

// ---- what is said

/** The turn that is shown: whose it is and how many attacks there were. */
let turn = { player: -1, attacks: 0 };

const box = () => /** @type {HTMLElement | null} */ (main().querySelector(".tempo"));

/**
 * Says which attack of a turn is shown, and when the reader is on turn again.
 * @param {Ply} ply @param {Ply[]} others what comes after it
 * @param {boolean} thenMine whether the reader is to move after all of them
 */
export function caption(ply, others, thenMine) {
  const words = box()?.dataset;
  if (!words || isMine(ply) || ply.cell !== undefined) {
    turn = { player: -1, attacks: 0 };
    return;
  }
  const prompt = main().querySelector(".prompt");
  const head = prompt?.querySelector("h1");
  if (!prompt || !head) return;
  if (turn.player !== ply.player) {
    turn = { player: ply.player, attacks: 0 };
    say(prompt.querySelector(".whose")?.textContent ?? "");
  }
  // What was said there is about the newest position; what follows it would move.
  for (const gone of prompt.querySelectorAll(".sub")) gone.remove();
  if (ply.path) {
    turn.attacks += 1;
    const end = others.findIndex((one) => !one.path || one.player !== ply.player);
    const all = turn.attacks + (end < 0 ? 0 : end);
    const sentence = end < 0 ? words.attack : words.attackOf;
    head.textContent = (sentence ?? "").replace("#n", String(turn.attacks)).replace("#m", String(all));
    head.after(ticks(turn.attacks, end < 0 ? turn.attacks : all));
  } else {
    head.textContent = words.end ?? "";
    head.after(ticks(0, 0));
    turn = { player: -1, attacks: 0 };
  }
  if (!thenMine) return;
  const spent = began === null ? 0 : performance.now() - began;
  const left = Math.min(sum([ply, ...others]) * pace(), ROUND_MS * pace() - spent) / 1000;
  const sub = document.createElement("p");
  sub.className = "sub";
  sub.textContent = (words.soon ?? "").replace("#s", String(Math.max(1, Math.round(left))));
  box()?.after(sub);
}

/** One mark an attack of this turn. @param {number} done @param {number} all */
function ticks(done, all) {
  main().querySelector(".ticks")?.remove();
  const marks = document.createElement("span");
  marks.className = "ticks";
  marks.ariaHidden = "true";
  for (let i = 0; i < Math.min(all, 12); i++) {
    const mark = document.createElement("i");
    if (i < done) mark.className = "on";
    marks.append(mark);
  }
  return marks;
}

// ---- the controls

/** @type {(() => void) | null} */
let resume = null;
let paused = false;

/** Shows the controls while plies are shown. @param {boolean} on */
export function offer(on) {
  const controls = box();
  if (!controls) return;
  controls.hidden = !on;
  if (!on) unpause();
}

/** Until the reader wants to see more. */
export async function ready() {
  if (!paused) return;
  rest();
  await new Promise((then) => { resume = () => then(undefined); });
}

export function unpause() {
  paused = false;
  box()?.querySelector(".pause")?.setAttribute("aria-pressed", "false");
  resume?.();
  resume = null;
}

export function pause() {
  if (paused) return unpause();
  paused = true;
  box()?.querySelector(".pause")?.setAttribute("aria-pressed", "true");
}

/** Keeps the speed, for this page and for every other one. @param {string} word */
export function choose(word) {
  if (word === "normal") delete root.dataset.speed;
  else root.dataset.speed = word;
  for (const button of box()?.querySelectorAll("[data-speed]") ?? []) {
    button.setAttribute("aria-pressed", String(button.getAttribute("data-speed") === word));
  }
  const kept = /(?:^|; )dod_look=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  const others = kept.split(".").filter((pair) => pair && !pair.startsWith("speed-"));
  const all = (word === "normal" ? others : [...others, `speed-${word}`]).join(".");
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `dod_look=${all}; path=${cookiePath}; max-age=${all ? 31536000 : 0}; samesite=lax${secure}`;
}
