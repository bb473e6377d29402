// @ts-check
// The page of a running game: plies arrive on the event stream, wait in a queue and are animated one after another.
// After the queue, the server's newest page is shown. While the server cannot be reached, the page says so.
import { animatePly, finishAnimations } from "./motion.js";
import { animationsEnabled, announce, announceMoves, announcesEachMove, base, blockControls, currentPly, durationFactor, fetchPage, focusedId, focusPage, gameId, isLive, main, onPageShown, root, showPage, updateIcon } from "./page.js";
import { checkConnection, follow, unfollow } from "./stream.js";
import { isBrief, isHidden, isMine, pauseRoundTimer, plyDurationFactor, showCaption, showControls, unpause, waitWhilePaused } from "./playback.js";

/** @typedef {import('./motion.js').Ply} Ply */
/** @typedef {import('./page.js').Page} Page */

/** How long a screen reader takes for a letter. */
const SPOKEN_LETTER_MS = 60;
/** A longer queue is not animated. */
const MAX_ANIMATED_PLIES = 120;
/** How long to wait for the plies that lead to a newer page. */
const PLY_WAIT_MS = 1500;
/** How long a connection may be lost before the page says so. */
const DISCONNECT_GRACE_MS = 800;
/** Pause between polls while the server responds, and at most. */
const [POLL_MS, MAX_POLL_MS] = [1000, 4000];
/** A longer pause since the last poll means that the machine was asleep. */
const SLEEP_THRESHOLD_MS = 10_000;

/** Plies that were received and not yet shown. @type {Ply[]} */
let queue = [];
/** How many plies have been played, as far as this page knows. */
let newestPly = 0;
let isPlayingQueue = false;
/** The rest of the queue is not animated. */
let isSkippingQueue = false;
/** Nothing is animated until it is the reader's turn, including plies that are still to be played. */
let isSkippingToTurn = false;
/** The page to show after the queue, if it is known already. @type {Page | null} */
let finalPage = null;
/** The id of the element that gets the focus after the queue. @type {string | undefined} */
let focusTarget;
/** The reader's own move or takeback, while it is being sent. @type {Promise<unknown> | null} */
let pendingRequest = null;
/** @type {(() => void) | null} */
let onPlyReceived = null;
/** The shown page is intermediate or outdated, although its ply may be the newest. */
let mustReplacePage = false;
/** The `newestPly` for which the page after the queue was prefetched. */
let prefetchedPly = -1;
/** It was the reader's turn when playback began, and nobody else has moved since. */
let isTurnUninterrupted = false;
/** Something other than a ply has changed since the newest page was requested. */
let isOutdated = false;
/** The last page shown after a queue. @type {Page | null} */
let lastPage = null;

const gameUrl = () => `${base}g/${gameId()}`;
export const isPlaying = () => isPlayingQueue && main().classList.contains("playing");

/** The id of the hex that was clicked during playback. */
let hexToSelect = "";

/** Shows the newest position at once and selects a hex there, if it can be selected. @param {string} [hex] its id */
export function skipPlayback(hex = "") {
  if (!isPlaying()) return;
  hexToSelect = hex;
  isSkippingToTurn = Boolean(main().dataset.mine);
  isSkippingQueue = true;
  unpause();
  finishAnimations();
}

/**
 * Shows the response to the reader's own request, after the plies that lead to it.
 * @param {Promise<Page>} response
 * @param {string} [focus]
 */
export async function showResponse(response, focus) {
  pendingRequest = response.catch(() => null);
  focusTarget = focus ?? focusTarget;
  try {
    finalPage = await response;
  } finally {
    pendingRequest = null;
  }
  newestPly = Math.max(newestPly, Number(finalPage.content.dataset.ply));
  await playQueue();
}

/** Animates the queue, then shows the newest page. */
async function playQueue() {
  if (isPlayingQueue || !gameId()) return;
  isPlayingQueue = true;
  isTurnUninterrupted = main().dataset.yours !== undefined;
  try {
    do {
      await animateQueue();
    } while ((await showNewestPage()) || (isLive() && (finalPage || isOutdated)));
  } catch {
    markStale();
  } finally {
    isPlayingQueue = isSkippingQueue = false;
    main().classList.remove("playing");
    showControls(false);
  }
  // While the server cannot be reached, the poll tries again.
  if (isLive() && !isStale() && queue.some((ply) => ply.ply >= currentPly())) return playQueue();
  const hex = hexToSelect && main().querySelector(`.board a.can#${hexToSelect}`);
  hexToSelect = "";
  if (hex) hex.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
}

/** Ends the playback when another page is shown. @param {Page} page */
function stopIfReplaced(page) {
  if (!isPlayingQueue || page === lastPage) return;
  isSkippingQueue = true;
  unpause();
  finishAnimations();
}

async function animateQueue() {
  /** @type {Map<number, Promise<Page>>} */
  const pages = new Map();
  const pageAfter = (/** @type {number} */ ply) => {
    const page = pages.get(ply) ?? fetchPage(`${gameUrl()}/${ply}`, {}, "passing");
    page.catch(() => null);
    pages.set(ply, page);
    return page;
  };
  const game = gameId();
  for (;;) {
    queue = queue.filter((ply) => ply.ply >= currentPly());
    // A takeback is not animated.
    if (queue.some((ply) => ply.takeback !== undefined)) isSkippingQueue = true;
    const ply = queue[0];
    const hasGap = ply?.ply !== currentPly() || queue.length > MAX_ANIMATED_PLIES;
    if (!ply || hasGap || isSkippingQueue || isSkippingToTurn || !animationsEnabled() || !isLive() || !main().querySelector(".stage")) break;
    const isStillNext = () => gameId() === game && isLive() && ply.ply === currentPly();
    const next = await pageAfter(ply.ply + 1);
    if (queue[1]) pageAfter(queue[1].ply + 1);
    if (isSkippingQueue || !isStillNext()) break;
    if (ply.entropy !== undefined || isHidden(ply)) {
      showIntermediatePage(next);
      queue.shift();
      continue;
    }
    focusTarget ??= focusedId();
    root.classList.add("moves");
    // The buttons disappear now, so the focus must not be on one of them.
    if (document.activeElement?.closest("#main :is(.acts, .aids, .advice, .attacks)")) focusPage();
    main().classList.add("playing");
    delete main().dataset.yours;
    updateIcon();
    const following = queue.slice(1);
    showControls(following.length > 0 || !isMine(ply));
    await waitWhilePaused();
    if (isSkippingQueue) break;
    if (!isMine(ply)) prefetchNewestPage();
    const factor = plyDurationFactor(ply, following);
    showCaption(ply, following, isReaderNextAfter(queue));
    const showNext = () => {
      if (!isStillNext()) return;
      showIntermediatePage(next);
      // Own moves are announced with the next prompt, and those of others summed up when the reader's turn begins.
      if (!isMine(ply) && announcesEachMove()) said = announceMoves();
    };
    let said = "";
    await animatePly(ply, next.content, showNext, playSound, { brief: isBrief(ply), factor });
    // The next move waits until this one is read.
    for (let left = said.length * SPOKEN_LETTER_MS; left > 0 && !isSkippingQueue; left -= 100) await new Promise((resolve) => setTimeout(resolve, 100));
    queue.shift();
    if (queue.length && !isSkippingQueue) await new Promise((resolve) => setTimeout(resolve, 60 * durationFactor() * factor));
    if (!queue.length) pauseRoundTimer();
  }
}

/** Prefetches the page after the queue, which says whose turn it is then. */
function prefetchNewestPage() {
  if (finalPage || pendingRequest || prefetchedPly === newestPly) return;
  prefetchedPly = newestPly;
  fetchPage(gameUrl()).then((page) => { if (isPlayingQueue) finalPage ??= page; }, () => null);
}

/** Whether the newest page is known, follows these plies and is the reader's turn. @param {Ply[]} plies */
function isReaderNextAfter(plies) {
  const newest = finalPage?.content.dataset;
  return newest?.yours !== undefined && Number(newest.ply) === (plies.at(-1)?.ply ?? -2) + 1;
}

/** Shows the position between two queued plies, without controls. */
function showIntermediatePage(/** @type {Page} */ { content, title }) {
  const current = main();
  // The title announces the reader's turn only with the newest page.
  if (title && content.dataset.past === undefined) document.title = title;
  if (document.activeElement?.closest("#main :is(.bd, .acts, .attacks, .log, .prompt)")) focusPage();
  const selectors = [".bd", ".players", ".log", ".roll", ...(content.dataset.past === undefined ? [".prompt"] : [])];
  for (const selector of selectors) {
    const [old, next] = [current.querySelector(selector), content.querySelector(selector)];
    // The caption of a turn stays during that turn.
    if (selector === ".prompt" && old?.querySelector(".ticks") && old.className === next?.className) continue;
    if (!old || !next) continue;
    const copy = document.importNode(next, true);
    if (selector === ".prompt") copy.querySelector(".tempo")?.replaceWith(old.querySelector(".tempo") ?? "");
    // The sums stay until the next roll.
    if (selector === ".roll" && old.classList.contains("brief")) copy.classList.add("brief");
    old.replaceWith(copy);
  }
  if (content.dataset.past !== undefined) {
    // On the reader's turn only the name is shown; the instructions come with the newest page.
    const [old, next] = [current.querySelector(".prompt"), content.querySelector(".prompt")];
    old?.querySelector(".whose")?.replaceWith(document.importNode(/** @type {Node} */ (next?.querySelector(".whose") ?? new Text()), true));
    if (old && next) old.className = `${next.className} brief`;
  }
  for (const element of current.querySelectorAll(".notice, .attacks form")) element.remove();
  current.dataset.ply = content.dataset.ply;
  mustReplacePage = true;
  // A ply clears the selection and closes the hint.
  if (location.search || location.pathname.endsWith("/hint")) history.replaceState(null, "", gameUrl());
}

/** Whether a page equals the shown one; replacing it would lose a click in progress. */
function isAlreadyShown(/** @type {Page} */ { content, url }) {
  const current = main();
  const names = ["ply", "seats", "said", "refresh", "yours", "past", "ahead"];
  return (
    !mustReplacePage &&
    new URL(url, location.href).href === location.href &&
    names.every((name) => content.dataset[name] === current.dataset[name]) &&
    [".res", ".notice:not(.away)"].every((selector) => !content.querySelector(selector) === !current.querySelector(selector))
  );
}

/** Shows the newest page, unless plies must be shown before it. Returns whether the queue must be played again. */
async function showNewestPage() {
  if (pendingRequest) await pendingRequest;
  const isImmediate = isSkippingQueue;
  isSkippingQueue = false;
  let page = finalPage;
  finalPage = null;
  if (!isLive()) return false;
  const startUrl = location.href;
  if (!page || Number(page.content.dataset.ply) < newestPly) {
    isOutdated = false;
    page = await fetchNewestPage();
  }
  if (!isLive() || page.content.dataset.game !== gameId()) return false;
  const ply = Number(page.content.dataset.ply);
  // The reader has selected something on this board since the request.
  if (location.href !== startUrl && ply === currentPly()) {
    markFresh();
    return queue.length > 0;
  }
  const canAnimate = !isImmediate && !isSkippingToTurn && animationsEnabled() && ply > currentPly() && main().querySelector(".stage");
  const hasNextPly = () => queue.some((one) => one.ply === currentPly());
  if (canAnimate && !hasNextPly() && isConnected) await waitForPly();
  if (canAnimate && hasNextPly() && queue.length <= MAX_ANIMATED_PLIES) {
    finalPage = page;
    return true;
  }
  markFresh();
  if (isAlreadyShown(page)) {
    clearFocusTarget();
    return queue.length > 0;
  }
  mustReplacePage = false;
  if (new URL(page.url, location.href).href !== location.href) history.replaceState(null, "", page.url);
  const isFocusElsewhere = document.activeElement !== document.body && !main().contains(document.activeElement);
  lastPage = page;
  showPage(page, isFocusElsewhere ? undefined : focusTarget);
  if (main().dataset.yours !== undefined || main().querySelector(".res")) isSkippingToTurn = false;
  clearFocusTarget();
  newestPly = ply;
  queue = queue.filter((one) => one.ply >= ply);
  if (!isTurnUninterrupted && main().dataset.yours !== undefined) {
    playSound("turn", 0);
    blockControls();
  }
  return queue.length > 0;
}

/** The newest page, with the current selection if the board is still the same. */
async function fetchNewestPage() {
  if (newestPly <= currentPly()) {
    const page = await fetchPage(location.href);
    if (!location.search || Number(page.content.dataset.ply) === currentPly()) return page;
  }
  return fetchPage(gameUrl());
}

/** Called after the focus was set. While others are to move, nothing can take it yet, so the target is kept. */
function clearFocusTarget() {
  if (main().dataset.yours !== undefined || main().querySelector(".res")) focusTarget = undefined;
}

/** Waits for the next ply, with a time limit. */
const waitForPly = () =>
  new Promise((resolve) => {
    onPlyReceived = () => resolve(undefined);
    setTimeout(onPlyReceived, PLY_WAIT_MS);
  });

// ---- the event stream

let isConnected = false;
/** The id of the game that is, or was last, followed. */
let followedGame = "";
let isFollowing = false;
let hasFailed = false;
/** @type {number | undefined} */
let disconnectTimer;

/** Follows the shown game, and no other. */
function followGame() {
  const wanted = isLive() ? gameId() ?? "" : "";
  const isOver = wanted === followedGame && main().querySelector(".res");
  if (isOver || (wanted === followedGame && isFollowing)) return;
  stopFollowing();
  followedGame = wanted;
  isFollowing = wanted !== "";
  if (!isFollowing) return;
  newestPly = Math.max(currentPly(), 0);
  follow(wanted, newestPly, (name, data) => handlers[name]?.(data));
}

/** Handlers of the events of `stream.js`. @type {Record<string, (data: string) => void>} */
const handlers = {
  open() {
    clearTimeout(disconnectTimer);
    isConnected = true;
    // The stream repeats missed plies; other changes need a new page.
    if (hasFailed || isStale()) refresh();
    hasFailed = false;
  },
  ply(data) {
    const ply = /** @type {Ply} */ (JSON.parse(data));
    newestPly = Math.max(newestPly, ply.ply + 1);
    if (ply.ply >= currentPly() && !queue.some((one) => one.ply === ply.ply)) queue.push(ply);
    queue.sort((a, b) => a.ply - b.ply);
    onPlyReceived?.();
    if (ply.takeback !== undefined) skipPlayback();
    playQueue();
    if (!isMine(ply)) isTurnUninterrupted = false;
  },
  async seats(data) {
    if (JSON.parse(data).revision <= Number(main().dataset.seats ?? 0)) return;
    await refreshWithNews();
  },
  async phrase() {
    await refresh();
    const newest = main().querySelector(".said li");
    if (newest?.textContent) announce(newest.textContent);
  },
  over() {
    main().querySelector(".res") ?? refresh();
  },
  async rematch() {
    mustReplacePage = true;
    await refreshWithNews();
  },
  bye() {
    isConnected = false;
    // Nothing more happens in a finished game.
    if (main().querySelector(".res")) stopFollowing();
  },
  watchers: (data) => showWatchers(JSON.parse(data).count),
  lost() {
    isConnected = false;
    hasFailed = true;
    clearTimeout(disconnectTimer);
    // The page is stale only if it cannot be requested either.
    disconnectTimer = setTimeout(() => !isConnected && poll(), DISCONNECT_GRACE_MS);
  },
  silent() {
    isConnected = false;
    hasFailed = true;
    markStale();
  },
};

function stopFollowing() {
  unfollow();
  isFollowing = isConnected = false;
  clearTimeout(disconnectTimer);
}

/** Shows the newest page, after the queue. */
export async function refresh() {
  if (!isLive()) return;
  isOutdated = true;
  await playQueue();
}

/** Shows the newest page and announces its news, if they are new. */
async function refreshWithNews() {
  const { news: before } = main().dataset;
  const peopleBefore = peopleInLobby();
  await refresh();
  const left = showWhoLeft(peopleBefore);
  const { news } = main().dataset;
  if (news && news !== before) announce(`${left} ${news}`.trim());
}

/** The names of the people in a game that waits for players. */
const peopleInLobby = () => [...document.querySelectorAll(".lobby .there b")].map((name) => name.textContent);

/** Says on the page of a game that waits for players who of these people has left it. @param {string[]} people */
function showWhoLeft(people) {
  const lobby = document.querySelector(".lobby");
  const gone = lobby && people.find((name) => !peopleInLobby().includes(name));
  if (!gone) return "";
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.textContent = (lobby.getAttribute("data-left") ?? "").replace("#", gone);
  lobby.prepend(notice);
  return notice.textContent;
}

function showWatchers(/** @type {number} */ count) {
  main().dataset.watchers = String(count);
  const element = main().querySelector(".watching");
  if (!(element instanceof HTMLElement)) return;
  element.hidden = count === 0;
  const number = element.querySelector("b");
  if (number) number.textContent = String(count);
  // The page has a text per plural category, as `data-one`, `data-other` …, with the number between two bars.
  const { [new Intl.PluralRules(root.lang).select(count)]: text = element.dataset.other } = element.dataset;
  if (!text || !number) return;
  const [before, , after = ""] = text.split("|");
  element.replaceChildren(before, number, after);
}

// ---- without a connection

export const isStale = () => main()?.dataset.stale !== undefined;

/**
 * Marks the page as possibly outdated, because the server cannot be reached.
 * @param {string} [url] the page to show when the server is back
 */
export function markStale(url) {
  if (!isLive()) return;
  if (url !== undefined) {
    history.replaceState(null, "", url);
    mustReplacePage = true;
  }
  if (isStale()) return;
  main().dataset.stale = "";
  const text = main().dataset.reconnecting ?? "";
  const notice = document.createElement("p");
  notice.className = "notice away";
  notice.textContent = text;
  main().append(notice);
  announce(text);
}

/** @type {(() => void)[]} */
const reconnectListeners = [];
/** @param {() => void} listener called when the server can be reached again */
export const onReconnected = (listener) => reconnectListeners.push(listener);

function markFresh() {
  if (!isStale()) return;
  delete main().dataset.stale;
  main().querySelector(".away")?.remove();
  for (const listener of reconnectListeners) listener();
}

/** Requests the page and shows it if it has changed. */
async function poll() {
  if (!isLive() || isPlayingQueue || pendingRequest) return;
  try {
    const startUrl = location.href;
    const page = await fetchPage(startUrl);
    if (isPlayingQueue || pendingRequest || !isLive() || location.href !== startUrl) return;
    markFresh();
    if (!isAlreadyShown(page)) showPage(page);
  } catch {
    markStale();
  }
}

let pollDelay = POLL_MS;
let polledAt = Date.now();

/**
 * Polls while others are to move or the server cannot be reached; in the latter case with growing pauses. The stream
 * does not report a computer's position in the server's queue, and an open stream does not prove that requests work.
 */
function pollRepeatedly() {
  pollDelay = isStale() ? Math.min(1.2 * pollDelay, MAX_POLL_MS) : POLL_MS;
  setTimeout(pollRepeatedly, pollDelay);
  const hasSlept = Date.now() - polledAt > SLEEP_THRESHOLD_MS;
  polledAt = Date.now();
  if (document.hidden) return;
  if (hasSlept) resume();
  const isNotified = isConnected && main()?.dataset.ahead === undefined;
  if (isStale()) refresh();
  else if (!isNotified && main()?.dataset.refresh !== undefined) poll();
}
setTimeout(pollRepeatedly, POLL_MS);
addEventListener("online", resume);

/** Catches up after the tab, the machine or its network was asleep. */
function resume() {
  if (!isLive()) return;
  followGame();
  checkConnection();
  refresh();
}

document.addEventListener("visibilitychange", () => (document.hidden ? finishAnimations() : resume()));

// The page may be restored from the back/forward cache.
addEventListener("pagehide", stopFollowing);
addEventListener("pageshow", (event) => {
  if (event.persisted) resume();
});

// ---- sounds

/** @type {typeof import('./sound.js') | null} */
let sounds = null;
for (const gesture of ["pointerdown", "keydown"]) {
  addEventListener(gesture, async () => {
    if (root.dataset.sound === "on") (sounds ??= await import("./sound.js")).enableAudio();
  }, { capture: true });
}

export function playSound(/** @type {string} */ sound, /** @type {number} */ delay) {
  if (root.dataset.sound === "on") sounds?.play(sound, delay * durationFactor());
}

/** When the player left about whom the reader has dismissed the notice. @type {string | undefined} */
let dismissed;
addEventListener("click", ({ target }) => {
  const notice = target instanceof Element && target.closest(".departed button")?.parentElement;
  if (!notice) return;
  dismissed = notice.dataset.at;
  notice.remove();
});
onPageShown(({ content }) => content.querySelector(`.departed[data-at="${dismissed}"]`)?.remove());
onPageShown(stopIfReplaced);
onPageShown(followGame);
followGame();
