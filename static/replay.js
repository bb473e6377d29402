// @ts-check
// The replay of a game: its links replace the position without loading a page, and "play" animates the plies. Without
// scripts the same links load pages.
import { animatePly, finishAnimations } from "./motion.js";
import { animationsEnabled, announce, currentPly, durationFactor, fetchPage, main, onPageShown, root, showPage } from "./page.js";
import { isBrief, saveSpeed } from "./playback.js";

/** @typedef {import('./page.js').Page} Page */

/** Pause after each ply, with and without animation. */
const DWELL_MS = { animated: 550, still: 900 };

/** @returns {HTMLElement | null} */
const replayControls = () => main()?.querySelector(".replayer") ?? null;
/** @param {string} direction @returns {string | undefined} */
const linkUrl = (direction) => replayControls()?.querySelector(`a[data-ply=${direction}]`)?.getAttribute("href") ?? undefined;

/** The number of the current playback; playbacks with other numbers stop. */
let currentRun = 0;
let isPlaying = false;

// ---- positions

/** The last address requested; responses for others are ignored. */
let wantedUrl = "";

/** Shows the position at an address. @param {string} url */
async function goTo(url) {
  stop();
  finishAnimations();
  wantedUrl = url;
  try {
    const page = await fetchPage(url);
    if (wantedUrl === url && replayControls()) showPosition(page);
  } catch {
    location.assign(url);
  }
}

/** Replaces everything but the slider, which may be being dragged. @param {Page} page */
function showPosition(page) {
  const { content, title, url } = page;
  const [oldControls, newControls] = [replayControls(), content.querySelector(".replayer")];
  const [oldStrip, newStrip] = [oldControls?.parentElement, newControls?.parentElement];
  if (!oldControls || !newControls || !oldStrip || !newStrip) return showPage(page);
  const current = main();
  const focusKey = focusedControl();
  const scroll = current.querySelector(".scroll")?.scrollTop;
  const isShareOpen = current.querySelector(".pass-on")?.hasAttribute("open") ?? false;
  for (const css of [".stage", ".rail"]) replaceElement(current.querySelector(css), content.querySelector(css));
  for (const css of [".kbs", ".at", ".whole", ".near"]) replaceElement(oldControls.querySelector(css), newControls.querySelector(css));
  for (const sibling of [...oldStrip.children]) sibling === oldControls || sibling.remove();
  oldControls.before(...[...newStrip.children].filter((child) => child !== newControls));
  current.querySelector(".pass-on")?.toggleAttribute("open", isShareOpen);
  const [slider, newSlider] = [oldControls.querySelector("input"), newControls.querySelector("input")];
  if (slider && newSlider) {
    slider.max = newSlider.max;
    slider.value = newSlider.value;
    slider.setAttribute("aria-valuetext", newSlider.getAttribute("aria-valuetext") ?? "");
  }
  for (const name of Object.keys(current.dataset)) name in content.dataset || delete current.dataset[name];
  Object.assign(current.dataset, content.dataset);
  if (title) document.title = title;
  history.replaceState(null, "", url);
  const log = current.querySelector(".scroll");
  if (log && scroll) log.scrollTop = scroll;
  updateControls();
  restoreFocus(focusKey);
  announce((current.querySelector(".le.now span") ?? current.querySelector(".prompt h1"))?.textContent?.trim() ?? "");
}

/** @param {Element | null} old @param {Element | null} replacement */
function replaceElement(old, replacement) {
  if (old && replacement) old.replaceWith(document.adoptNode(replacement));
}

/** Names the focused control if it will be replaced, for `restoreFocus`. @returns {string} */
function focusedControl() {
  const at = document.activeElement;
  if (!(at instanceof Element) || !main().contains(at) || at.matches(".slider, [data-speed]")) return "";
  return at.getAttribute("data-ply") ?? (at.matches(".go") ? "go" : "other");
}

/** @param {string} focusKey */
function restoreFocus(focusKey) {
  if (!focusKey) return;
  const same = focusKey === "other" ? null : replayControls()?.querySelector(focusKey === "go" ? ".go" : `[data-ply=${focusKey}]`);
  const element = same ?? replayControls()?.querySelector(".go");
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
}

// ---- play

/** @param {boolean} [returnsToGame] whether to return to the game afterwards */
async function play(returnsToGame = false) {
  stop();
  const run = ++currentRun;
  isPlaying = true;
  updateControls();
  try {
    const first = linkUrl("next") ? undefined : linkUrl("first");
    if (first) showPosition(await fetchPage(first));
    /** @type {Promise<Page> | null} */
    let prefetched = null;
    while (run === currentRun && replayControls()) {
      const next = linkUrl("next");
      if (!next) break;
      /** @type {Page} */
      const page = await (prefetched ?? fetchPage(next));
      if (run !== currentRun || !replayControls()) return;
      const followingUrl = page.content.querySelector("a[data-ply=next]")?.getAttribute("href");
      prefetched = followingUrl ? fetchPage(followingUrl) : null;
      prefetched?.catch(() => null);
      const isAnimated = animationsEnabled() && Boolean(page.content.dataset.event) && Number(page.content.dataset.ply) === currentPly() + 1;
      if (isAnimated) {
        root.classList.add("moves");
        const ply = JSON.parse(page.content.dataset.event ?? "");
        await animatePly(ply, page.content, () => { if (run === currentRun) showPosition(page); }, () => {}, { brief: isBrief(ply), factor: 1 });
      } else showPosition(page);
      await new Promise((resolve) => setTimeout(resolve, durationFactor() * (isAnimated ? DWELL_MS.animated : DWELL_MS.still)));
      if (document.hidden) break;
    }
  } catch {
    // Without a connection the current position stays.
  } finally {
    const back = main()?.querySelector(".acts a[data-back]");
    if (run === currentRun && returnsToGame && !linkUrl("next") && back instanceof HTMLElement) back.click();
    if (run === currentRun) stop();
  }
}

function stop() {
  currentRun += 1;
  isPlaying = false;
  updateControls();
}

function updateControls() {
  const controls = replayControls();
  if (!controls) return;
  controls.querySelector(".go")?.setAttribute("aria-pressed", String(isPlaying));
  // The slider already reaches every turn by keyboard.
  for (const band of controls.querySelectorAll(".scrub a")) band.setAttribute("tabindex", "-1");
}

// ---- input

document.addEventListener("click", (event) => {
  const at = event.target instanceof Element && replayControls() ? event.target : null;
  if (!at) return;
  if (at.closest(".replayer .go")) return isPlaying ? (stop(), finishAnimations()) : void play();
  const speed = at.closest(".replayer [data-speed]");
  if (speed) {
    saveSpeed(speed.getAttribute("data-speed") ?? "normal");
    for (const one of replayControls()?.querySelectorAll("[data-speed]") ?? []) one.setAttribute("aria-pressed", String(one === speed));
  }
  const link = at.closest(".replayer a, .log .le a");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  goTo(link.getAttribute("href") ?? "");
});

let isSeeking = false;
/** @type {string | null} */
let soughtUrl = null;

/** Follows the slider, one request at a time. */
async function seek() {
  if (isSeeking) return;
  isSeeking = true;
  while (soughtUrl !== null) {
    const url = soughtUrl;
    soughtUrl = null;
    await goTo(url);
  }
  isSeeking = false;
}

document.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches(".replayer .slider")) return;
  soughtUrl = `${replayControls()?.dataset.base}/${target.value}`;
  seek();
});

/** Starts playback if the address ends in `#play`. */
function playIfRequested() {
  stop();
  if (!replayControls() || location.hash !== "#play") return;
  history.replaceState(null, "", location.pathname + location.search);
  play(true);
}

onPageShown(playIfRequested);
playIfRequested();
