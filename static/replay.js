// @ts-check
// Going through the plies of a game: no page is loaded between them, the address follows, and play moves
// the board as it moved at the table. Without this file the same links load pages.
import { animate, finish } from "./motion.js";
import { load, main, moves, onShow, pace, root, say, show, shown } from "./page.js";
import { choose, isBrief } from "./playback.js";

/** @typedef {import('./page.js').Answer} Answer */

/** A ply stays to be looked at before the next one is played. */
const LOOK_MS = { moved: 550, still: 900 };

/** @returns {HTMLElement | null} */
const box = () => main()?.querySelector(".replayer") ?? null;
/** @param {string} way @returns {string | undefined} */
const way = (way) => box()?.querySelector(`a[data-ply=${way}]`)?.getAttribute("href") ?? undefined;

/** Which play is under way; another number ends it. */
let run = 0;
let playing = false;

// ---- one ply

/** The address that is wanted last: an answer for another one comes too late. */
let wanted = "";

/** Shows the position at an address. @param {string} url */
async function go(url) {
  stop();
  finish();
  wanted = url;
  try {
    const answer = await load(url);
    if (wanted === url && box()) put(answer);
  } catch {
    location.assign(url);
  }
}

/** Everything but the slider is swapped: whoever drags it keeps it. @param {Answer} answer */
function put(answer) {
  const { next, title, url } = answer;
  const [old, now] = [box(), next.querySelector(".replayer")];
  const [under, below] = [old?.parentElement, now?.parentElement];
  if (!old || !now || !under || !below) return show(answer);
  const page = main();
  const focus = held();
  const scroll = page.querySelector(".scroll")?.scrollTop;
  const open = page.querySelector(".pass-on")?.hasAttribute("open") ?? false;
  for (const css of [".stage", ".rail"]) swap(page.querySelector(css), next.querySelector(css));
  for (const css of [".kbs", ".at", ".whole", ".near"]) swap(old.querySelector(css), now.querySelector(css));
  for (const gone of [...under.children]) gone === old || gone.remove();
  old.before(...[...below.children].filter((child) => child !== now));
  page.querySelector(".pass-on")?.toggleAttribute("open", open);
  const [slider, place] = [old.querySelector("input"), now.querySelector("input")];
  if (slider && place) {
    slider.max = place.max;
    slider.value = place.value;
    slider.setAttribute("aria-valuetext", place.getAttribute("aria-valuetext") ?? "");
  }
  for (const fact of Object.keys(page.dataset)) fact in next.dataset || delete page.dataset[fact];
  Object.assign(page.dataset, next.dataset);
  if (title) document.title = title;
  history.replaceState(null, "", url);
  const log = page.querySelector(".scroll");
  if (log && scroll) log.scrollTop = scroll;
  dress();
  refocus(focus);
  say((page.querySelector(".le.now span") ?? page.querySelector(".prompt h1"))?.textContent?.trim() ?? "");
}

/** @param {Element | null} old @param {Element | null} now */
function swap(old, now) {
  if (old && now) old.replaceWith(document.adoptNode(now));
}

/** What has the focus and is swapped; nothing where it stays. @returns {string} */
function held() {
  const at = document.activeElement;
  if (!(at instanceof Element) || !main().contains(at) || at.matches(".slider, [data-speed]")) return "";
  return at.getAttribute("data-ply") ?? (at.matches(".go") ? "go" : "other");
}

/** @param {string} focus */
function refocus(focus) {
  if (!focus) return;
  const same = focus === "other" ? null : box()?.querySelector(focus === "go" ? ".go" : `[data-ply=${focus}]`);
  const at = same ?? box()?.querySelector(".go");
  if (at instanceof HTMLElement) at.focus({ preventScroll: true });
}

// ---- play

/** @param {boolean} [returns] whether a reader who plays is led back to the game afterwards */
async function play(returns = false) {
  stop();
  const mine = ++run;
  playing = true;
  dress();
  try {
    const first = way("next") ? undefined : way("first");
    if (first) put(await load(first));
    /** @type {Promise<Answer> | null} */
    let ahead = null;
    while (mine === run && box()) {
      const next = way("next");
      if (!next) break;
      /** @type {Answer} */
      const answer = await (ahead ?? load(next));
      if (mine !== run || !box()) return;
      const after = answer.next.querySelector("a[data-ply=next]")?.getAttribute("href");
      ahead = after ? load(after) : null;
      ahead?.catch(() => null);
      const moved = moves() && Boolean(answer.next.dataset.event) && Number(answer.next.dataset.ply) === shown() + 1;
      if (moved) {
        root.classList.add("moves");
        const ply = JSON.parse(answer.next.dataset.event ?? "");
        await animate(ply, answer.next, () => { if (mine === run) put(answer); }, () => {}, { brief: isBrief(ply), factor: 1 });
      } else put(answer);
      await new Promise((then) => setTimeout(then, moved ? LOOK_MS.moved * pace() : LOOK_MS.still * pace()));
      if (document.hidden) break;
    }
  } catch {
    // The server is away: the position that is shown stays.
  } finally {
    const back = main()?.querySelector(".acts a[data-back]");
    if (mine === run && returns && !way("next") && back instanceof HTMLElement) back.click();
    if (mine === run) stop();
  }
}

function stop() {
  run += 1;
  playing = false;
  dress();
}

/** What only a script knows. */
function dress() {
  const at = box();
  if (!at) return;
  at.querySelector(".go")?.setAttribute("aria-pressed", String(playing));
  // The slider leads to every turn.
  for (const band of at.querySelectorAll(".scrub a")) band.setAttribute("tabindex", "-1");
}

// ---- what the reader does

document.addEventListener("click", (event) => {
  const at = event.target instanceof Element && box() ? event.target : null;
  if (!at) return;
  if (at.closest(".replayer .go")) return playing ? (stop(), finish()) : void play();
  const speed = at.closest(".replayer [data-speed]");
  if (speed) {
    choose(speed.getAttribute("data-speed") ?? "normal");
    for (const one of box()?.querySelectorAll("[data-speed]") ?? []) one.setAttribute("aria-pressed", String(one === speed));
  }
  const link = at.closest(".replayer a, .log .le a");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  go(link.getAttribute("href") ?? "");
});

let seeking = false;
/** @type {string | null} */
let sought = null;

/** Follows the slider, one page at a time. */
async function seek() {
  if (seeking) return;
  seeking = true;
  while (sought !== null) {
    const url = sought;
    sought = null;
    await go(url);
  }
  seeking = false;
}

document.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches(".replayer .slider")) return;
  sought = `${box()?.dataset.base}/${target.value}`;
  seek();
});

/** A page whose address says so plays at once. */
function begin() {
  stop();
  if (!box() || location.hash !== "#play") return;
  history.replaceState(null, "", location.pathname + location.search);
  play(true);
}

onShow(begin);
begin();
