// @ts-check
// The table as it is played: the server tells of every ply, and plies are shown one after another.
//
// The queue holds what was told and not yet shown. Whatever is shown in between, the last picture is
// the server's newest page. A page that has lost the server says so until it has caught up.
import { animate, finish } from "./motion.js";
import { base, dress, game, guard, held, isLive, load, main, moves, onShow, pace, root, say, show, shown } from "./page.js";
import { check, follow, leave } from "./stream.js";
import { caption, isBrief, isMine, offer, ready, rest, squeeze, unpause } from "./playback.js";

/** @typedef {import('./motion.js').Ply} Ply */
/** @typedef {import('./page.js').Answer} Answer */

/** More plies than these are not played one by one: somebody was away. */
const MANY = 120;
/** Told of a newer position than its plies, the page waits so long for them. */
const GRACE_MS = 1500;
/** A connection may be gone for so long before the page says so. */
const BLINK_MS = 800;
/** Between two looks at the server: while it answers, and at most. */
const [LOOK_MS, LONGEST_LOOK_MS] = [1000, 4000];
/** So long after the last look the machine has slept. */
const SLEPT_MS = 10_000;

/** @type {Ply[]} */
let queue = [];
let told = 0;
let playing = false;
let hurry = false;
/** Nothing is shown ply by ply until the reader is to move: computers may still be playing what is skipped. */
let skipping = false;
/** What the reader's own ply was answered, and where the focus goes then. @type {Answer | null} */
let goal = null;
/** @type {string | undefined} */
let aim;
/** A page is asked for in the reader's name. @type {Promise<unknown> | null} */
let coming = null;
/** @type {(() => void) | null} */
let heard = null;
/** What is shown is on its way, or has changed in a way that its ply does not tell. */
let passing = false;
/** The newest ply for which the page to end with was asked for. */
let foreseen = -1;
/** Nobody but the reader has played what is shown now. */
let mine = false;
/** Something has changed that no ply tells, since the newest page was asked for. */
let dated = false;
/** The newest page, as it was shown after its plies. @type {Answer | null} */
let last = null;

const address = () => `${base}g/${game()}`;
export const isPlaying = () => playing && main().classList.contains("playing");

/** The id of the hex that was pressed while plies were shown. */
let pressed = "";

/** Shows the newest position at once, and then chooses a hex there if it can be chosen. @param {string} [hex] */
export function skip(hex = "") {
  if (!isPlaying()) return;
  pressed = hex;
  skipping = Boolean(main().dataset.mine);
  hurry = true;
  unpause();
  finish();
}

/**
 * Something of the reader's own is under way: its answer is the page to end with.
 * @param {Promise<Answer>} answer
 * @param {string} [focus]
 */
export async function arrive(answer, focus) {
  coming = answer.catch(() => null);
  aim = focus ?? aim;
  try {
    goal = await answer;
  } finally {
    coming = null;
  }
  told = Math.max(told, Number(goal.next.dataset.ply));
  await play();
}

/** Shows everything that was told. */
async function play() {
  if (playing || !game()) return;
  playing = true;
  mine = main().dataset.yours !== undefined;
  try {
    do {
      await showPlies();
    } while ((await catchUp()) || (isLive() && (goal || dated)));
  } catch {
    lose();
  } finally {
    playing = hurry = false;
    main().classList.remove("playing");
    offer(false);
  }
  // A server that is away is looked for, not asked at once again.
  if (isLive() && !isStale() && queue.some((ply) => ply.ply >= shown())) return play();
  const hex = pressed && main().querySelector(`.board a.can#${pressed}`);
  pressed = "";
  if (hex) hex.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
}

/** Another page is shown than the plies lead to: they end here. @param {Answer} answer */
function interrupt(answer) {
  if (!playing || answer === last) return;
  hurry = true;
  unpause();
  finish();
}

async function showPlies() {
  /** @type {Map<number, Promise<Answer>>} */
  const pictures = new Map();
  const picture = (/** @type {number} */ ply) => {
    const known = pictures.get(ply) ?? load(`${address()}/${ply}`, {}, "passing");
    known.catch(() => null);
    pictures.set(ply, known);
    return known;
  };
  const one = game();
  for (;;) {
    queue = queue.filter((ply) => ply.ply >= shown());
    // What was taken back is not played any more: the board is shown as it stands again.
    if (queue.some((ply) => ply.takeback !== undefined)) hurry = true;
    const ply = queue[0];
    const gap = ply?.ply !== shown() || queue.length > MANY;
    if (!ply || gap || hurry || skipping || !moves() || !isLive() || !main().querySelector(".stage")) break;
    const isNext = () => game() === one && isLive() && ply.ply === shown();
    const next = await picture(ply.ply + 1);
    if (queue[1]) picture(queue[1].ply + 1);
    if (hurry || !isNext()) break;
    if (ply.entropy !== undefined) {
      pass(next);
      queue.shift();
      continue;
    }
    aim ??= held();
    root.classList.add("moves");
    main().classList.add("playing");
    delete main().dataset.yours;
    dress();
    const others = queue.slice(1);
    offer(others.length > 0 || !isMine(ply));
    await ready();
    if (hurry) break;
    if (!isMine(ply)) foresee();
    const factor = squeeze(ply, others);
    caption(ply, others, isMineAfter(queue));
    const shows = () => {
      if (!isNext()) return;
      pass(next);
      // What others do is read out when the reader's turn begins.
      if (isMine(ply)) say(main().querySelector(".le.now span")?.textContent ?? "");
    };
    await animate(ply, next.next, shows, hear, { brief: isBrief(ply), factor });
    queue.shift();
    if (queue.length && !hurry) await new Promise((then) => setTimeout(then, 60 * pace() * factor));
    if (!queue.length) rest();
  }
}

/** Asks for the page to end with, once: it tells whose turn comes after all that is shown. */
function foresee() {
  if (goal || coming || foreseen === told) return;
  foreseen = told;
  load(address()).then((answer) => { if (playing) goal ??= answer; }, () => null);
}

/** Whether the newest page is known, follows these plies, and is the reader's turn. @param {Ply[]} plies */
function isMineAfter(plies) {
  const page = goal?.next.dataset;
  return page?.yours !== undefined && Number(page.ply) === (plies.at(-1)?.ply ?? -2) + 1;
}

/** Shows the parts of a page in between; nothing in it can be clicked. */
function pass(/** @type {Answer} */ { next, title }) {
  const page = main();
  // The title says whose turn is shown; the reader's own is said with the newest page.
  if (title && next.dataset.past === undefined) document.title = title;
  const inside = document.activeElement?.closest?.("#main .bd, #main .acts, #main .attacks, #main .log, #main .prompt");
  if (inside && document.activeElement !== document.body) {
    page.tabIndex = -1;
    page.focus({ preventScroll: true });
  }
  const parts = [".bd", ".players", ".log", ".roll", ...(next.dataset.past === undefined ? [".prompt"] : [])];
  for (const css of parts) {
    const [old, now] = [page.querySelector(css), next.querySelector(css)];
    // The caption of a turn stays while the turn goes on.
    if (css === ".prompt" && old?.querySelector(".ticks") && old.className === now?.className) continue;
    if (!old || !now) continue;
    const shown = document.importNode(now, true);
    if (css === ".prompt") shown.querySelector(".tempo")?.replaceWith(old.querySelector(".tempo") ?? "");
    // The sums stay until the next dice are thrown.
    if (css === ".roll" && old.classList.contains("brief")) shown.classList.add("brief");
    old.replaceWith(shown);
  }
  if (next.dataset.past !== undefined) {
    // The reader's own turn: whose it is can be said, what to do only on the newest page.
    const [old, now] = [page.querySelector(".prompt"), next.querySelector(".prompt")];
    old?.querySelector(".whose")?.replaceWith(document.importNode(/** @type {Node} */ (now?.querySelector(".whose") ?? new Text()), true));
    if (old && now) old.className = `${now.className} brief`;
  }
  for (const gone of page.querySelectorAll(".notice, .attacks form")) gone.remove();
  page.dataset.ply = next.dataset.ply;
  passing = true;
  // What was chosen before a ply is not chosen after it.
  if (location.search) history.replaceState(null, "", address());
}

/** Whether a page says nothing that is not shown: swapping it would lose a click that is under way. */
function isShown(/** @type {Answer} */ { next, url }) {
  const page = main();
  const facts = ["ply", "seats", "refresh", "yours", "past", "ahead"];
  return (
    !passing &&
    new URL(url, location.href).href === location.href &&
    facts.every((fact) => next.dataset[fact] === page.dataset[fact]) &&
    [".res", ".notice:not(.away)"].every((css) => !next.querySelector(css) === !page.querySelector(css))
  );
}

/**
 * Shows the newest page. Answers whether there are plies to be shown before it.
 */
async function catchUp() {
  if (coming) await coming;
  const now = hurry;
  hurry = false;
  let answer = goal;
  goal = null;
  if (!isLive()) return false;
  const from = location.href;
  if (!answer || Number(answer.next.dataset.ply) < told) {
    dated = false;
    answer = await newest();
  }
  if (!isLive() || answer.next.dataset.game !== game()) return false;
  const ply = Number(answer.next.dataset.ply);
  // Meanwhile the reader has chosen something on this very board: that is newer.
  if (location.href !== from && ply === shown()) {
    found();
    return queue.length > 0;
  }
  const stepwise = !now && !skipping && moves() && ply > shown() && main().querySelector(".stage");
  const isTold = () => queue.some((one) => one.ply === shown());
  if (stepwise && !isTold() && connected) await soon();
  if (stepwise && isTold() && queue.length <= MANY) {
    goal = answer;
    return true;
  }
  found();
  if (isShown(answer)) {
    settle();
    return queue.length > 0;
  }
  passing = false;
  if (new URL(answer.url, location.href).href !== location.href) history.replaceState(null, "", answer.url);
  const away = document.activeElement !== document.body && !main().contains(document.activeElement);
  last = answer;
  show(answer, away ? undefined : aim);
  if (main().dataset.yours !== undefined || main().querySelector(".res")) skipping = false;
  settle();
  told = ply;
  queue = queue.filter((one) => one.ply >= ply);
  if (!mine && main().dataset.yours !== undefined) {
    hear("turn", 0);
    guard();
  }
  return queue.length > 0;
}

/** The newest page, with what is chosen where the board is still the same. */
async function newest() {
  if (told <= shown()) {
    const answer = await load(location.href);
    if (!location.search || Number(answer.next.dataset.ply) === shown()) return answer;
  }
  return load(address());
}

/** The focus has come to where it goes, unless others are still to move: then nothing can take it yet. */
function settle() {
  if (main().dataset.yours !== undefined || main().querySelector(".res")) aim = undefined;
}

/** Until the next ply is told, but not for ever. */
const soon = () =>
  new Promise((then) => {
    heard = () => then(undefined);
    setTimeout(heard, GRACE_MS);
  });

// ---- what the server tells

/** The stream is open and has told what there was. */
let connected = false;
/** The game that is or was followed. */
let of = "";
let following = false;
let failed = false;
/** @type {number | undefined} */
let blink;

/** Follows the game that is shown, and no other. */
function listen() {
  const wanted = isLive() ? game() ?? "" : "";
  const over = wanted === of && main().querySelector(".res");
  if (over || (wanted === of && following)) return;
  hangUp();
  of = wanted;
  following = wanted !== "";
  if (!following) return;
  told = Math.max(shown(), 0);
  follow(wanted, told, (name, data) => events[name]?.(data));
}

/** What to do with what the stream tells. @type {Record<string, (data: string) => void>} */
const events = {
  open() {
    clearTimeout(blink);
    connected = true;
    // Where it was cut the plies are told again; a page tells what else has changed.
    if (failed || isStale()) refresh();
    failed = false;
  },
  ply(data) {
    const ply = /** @type {Ply} */ (JSON.parse(data));
    told = Math.max(told, ply.ply + 1);
    if (ply.ply >= shown() && !queue.some((one) => one.ply === ply.ply)) queue.push(ply);
    queue.sort((a, b) => a.ply - b.ply);
    heard?.();
    if (ply.takeback !== undefined) skip();
    play();
    if (!isMine(ply)) mine = false;
  },
  seats(data) {
    if (JSON.parse(data).revision > Number(main().dataset.seats ?? 0)) refresh();
  },
  over() {
    main().querySelector(".res") ?? refresh();
  },
  rematch() {
    passing = true;
    refresh();
  },
  bye() {
    connected = false;
    // A finished game has nothing more to tell.
    if (main().querySelector(".res")) hangUp();
  },
  watchers: (data) => watch(JSON.parse(data).count),
  lost() {
    connected = false;
    failed = true;
    clearTimeout(blink);
    // The page itself may still be had: only where it cannot is anything old.
    blink = setTimeout(() => !connected && look(), BLINK_MS);
  },
  silent() {
    connected = false;
    failed = true;
    lose();
  },
};

function hangUp() {
  leave();
  following = connected = false;
  clearTimeout(blink);
}

/** Asks for the page as it is now, after what is being shown. */
export async function refresh() {
  if (!isLive()) return;
  dated = true;
  await play();
}

function watch(/** @type {number} */ count) {
  main().dataset.watchers = String(count);
  const at = main().querySelector(".watching");
  if (!(at instanceof HTMLElement)) return;
  at.hidden = count === 0;
  const number = at.querySelector("b");
  if (number) number.textContent = String(count);
  // Where the words depend on the number, the page has those of each kind, with bars where the number goes.
  const { [new Intl.PluralRules(root.lang).select(count)]: words = at.dataset.other } = at.dataset;
  if (!words || !number) return;
  const [before, , after = ""] = words.split("|");
  at.replaceChildren(before, number, after);
}

// ---- without the server

export const isStale = () => main()?.dataset.stale !== undefined;

/**
 * The server is away: what is shown may be old, and says so.
 * @param {string} [wanted] what was chosen, as the address of the page to be shown when the server is back
 */
export function lose(wanted) {
  if (!isLive()) return;
  if (wanted !== undefined) {
    history.replaceState(null, "", wanted);
    passing = true;
  }
  if (isStale()) return;
  main().dataset.stale = "";
  const words = main().dataset.reconnecting ?? "";
  const at = document.createElement("p");
  at.className = "notice away";
  at.textContent = words;
  main().append(at);
  say(words);
}

/** @type {(() => void)[]} */
const afterwards = [];
/** @param {() => void} tell called whenever a server that was away is back */
export const onFound = (tell) => afterwards.push(tell);

function found() {
  if (!isStale()) return;
  delete main().dataset.stale;
  main().querySelector(".away")?.remove();
  for (const then of afterwards) then();
}

/** Asks for the page where nothing is told. */
async function look() {
  if (!isLive() || playing || coming) return;
  try {
    const from = location.href;
    const answer = await load(from);
    if (playing || coming || !isLive() || location.href !== from) return;
    found();
    if (!isShown(answer)) show(answer);
  } catch {
    lose();
  }
}

let pause = LOOK_MS;
let looked = Date.now();

/**
 * Looks again and again while others are to move or the server is away, then a little less often each time.
 * A stream tells of the former, but not of the queue that a computer waits in; and that it is open does not
 * say that requests are answered.
 */
function lookOut() {
  pause = isStale() ? Math.min(1.2 * pause, LONGEST_LOOK_MS) : LOOK_MS;
  setTimeout(lookOut, pause);
  const slept = Date.now() - looked > SLEPT_MS;
  looked = Date.now();
  if (document.hidden) return;
  if (slept) wake();
  const isTold = connected && main()?.dataset.ahead === undefined;
  if (isStale()) refresh();
  else if (!isTold && main()?.dataset.refresh !== undefined) look();
}
setTimeout(lookOut, LOOK_MS);
addEventListener("online", wake);

/** Catches up after a time in which the tab, the machine or its network was asleep. */
function wake() {
  if (!isLive()) return;
  listen();
  check();
  refresh();
}

document.addEventListener("visibilitychange", () => (document.hidden ? finish() : wake()));

// A page that is left keeps no stream open, and one that is come back to follows the game again.
addEventListener("pagehide", hangUp);
addEventListener("pageshow", (event) => {
  if (event.persisted) wake();
});

// ---- sounds, for who asked for them

/** @type {typeof import('./sound.js') | null} */
let sounds = null;
for (const gesture of ["pointerdown", "keydown"]) {
  addEventListener(gesture, async () => {
    if (root.dataset.sound === "on") (sounds ??= await import("./sound.js")).wake();
  }, { capture: true });
}

function hear(/** @type {string} */ sound, /** @type {number} */ delay) {
  if (root.dataset.sound === "on") sounds?.play(sound, delay * pace());
}

onShow(interrupt);
onShow(listen);
listen();
