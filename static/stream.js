// @ts-check
// One event stream for all tabs of a browser, because browsers open at most six connections to a server over HTTP/1.1
// and each stream needs one. This module is both the API for pages and the shared worker that holds the stream. Without
// shared workers (Chrome on Android) each visible tab has its own stream.

/** @typedef {(name: string, data: string) => void} Listener called with each event, and with `open`, `lost` and `silent` for the connection */
/** @typedef {{ game: string, next: number, handle: Listener }} Follower a tab, its game and the next ply that it needs */

/** Pause between the server's `ping` events, until the first of them states it. */
const DEFAULT_PING_MS = 15_000;
/** After this many pauses without an event the connection is considered dead. */
const SILENCE_FACTOR = 1.5;
/** How long a game stays in the stream after its last tab has left, which may only be reloading. */
const LINGER_MS = 5000;
const MAX_RECONNECT_MS = 15_000;

class Stream {
  /** @type {Set<Follower>} */
  followers = new Set();
  /** The games of the open stream, each with the number of its next ply. @type {Map<string, number>} */
  games = new Map();
  /** @type {EventSource | null} */
  source = null;
  lastEventAt = 0;
  pingIntervalMs = DEFAULT_PING_MS;
  failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  reconnectTimer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  checkTimer;

  follow(/** @type {Follower} */ follower) {
    this.followers.add(follower);
    const next = this.games.get(follower.game);
    if (!this.source || next === undefined || next > follower.next) this.open();
    else if (this.source.readyState === EventSource.OPEN) follower.handle("open", "");
  }

  leave(/** @type {Follower} */ follower, lingerMs = LINGER_MS) {
    this.followers.delete(follower);
    setTimeout(() => {
      const wanted = new Set([...this.followers].map(({ game }) => game));
      if ([...this.games.keys()].some((game) => !wanted.has(game))) this.open();
    }, lingerMs);
  }

  close() {
    this.source?.close();
    this.source = null;
    clearTimeout(this.reconnectTimer);
    clearTimeout(this.checkTimer);
  }

  open() {
    this.close();
    this.games.clear();
    for (const { game, next } of this.followers) this.games.set(game, Math.min(next, this.games.get(game) ?? next));
    if (!this.games.size) return;
    const query = new URLSearchParams([...this.games].map(([game, next]) => ["game", `${game}.${next}`]));
    const source = new EventSource(new URL(`../../events?${query}`, import.meta.url));
    this.source = source;
    this.lastEventAt = Date.now();
    this.checkConnection();
    let aboutGame = "";
    const on = (/** @type {string} */ name, /** @type {(data: string) => void} */ listener) =>
      source.addEventListener(name, (event) => {
        this.lastEventAt = Date.now();
        listener(/** @type {MessageEvent} */ (event).data);
      });
    on("open", () => this.dispatch(() => true, "open"));
    on("ping", (data) => { this.pingIntervalMs = JSON.parse(data).next_ms; });
    on("about", (data) => { aboutGame = JSON.parse(data).game; });
    for (const name of ["watchers", "seats", "ply", "phrase", "rematch", "over", "bye"]) {
      on(name, (data) => {
        if (name === "ply") this.advance(aboutGame, JSON.parse(data).ply + 1);
        // A stream that the server rejects has `bye` only.
        if (name === "watchers") this.failures = 0;
        this.dispatch(({ game }) => game === aboutGame, name, data);
      });
    }
    source.addEventListener("error", () => this.reconnect("lost"));
  }

  advance(/** @type {string} */ game, /** @type {number} */ next) {
    this.games.set(game, next);
    for (const follower of this.followers) if (follower.game === game) follower.next = Math.max(follower.next, next);
  }

  dispatch(/** @type {(follower: Follower) => boolean} */ filter, /** @type {string} */ name, data = "") {
    for (const follower of [...this.followers].filter(filter)) follower.handle(name, data);
  }

  /** Opens a new stream, after a pause that grows with each failure. */
  reconnect(/** @type {string} */ reason) {
    this.close();
    const pause = Math.min(MAX_RECONNECT_MS, 500 * 2 ** this.failures++) * (0.5 + Math.random());
    this.reconnectTimer = setTimeout(() => this.open(), reason === "silent" ? 0 : pause);
    this.dispatch(() => true, reason);
  }

  /** Reconnects after a long silence: the connection may have died while the machine was asleep. */
  checkConnection() {
    clearTimeout(this.checkTimer);
    if (!this.source) return;
    if (Date.now() - this.lastEventAt > SILENCE_FACTOR * this.pingIntervalMs) this.reconnect("silent");
    else this.checkTimer = setTimeout(() => this.checkConnection(), this.pingIntervalMs / 10);
  }
}

// ---- the shared worker

if ("onconnect" in globalThis) {
  const stream = new Stream();
  /** @type {any} */ (globalThis).onconnect = (/** @type {MessageEvent} */ { ports: [port] }) => {
    /** @type {Follower | null} */
    let follower = null;
    port.onmessage = ({ data }) => {
      if (data === "check") return stream.checkConnection();
      if (follower) stream.leave(follower);
      follower = data && { ...data, handle: (...event) => port.postMessage([data.game, ...event]) };
      if (follower) stream.follow(follower);
    };
  };
}

// ---- the API for pages

/** @type {MessagePort | null} */
let port = null;
let isShared = typeof SharedWorker !== "undefined";
/** The stream of this page, without a shared worker. @type {Stream | null} */
let ownStream = null;
/** @type {Follower | null} */
let subscription = null;

/**
 * Follows this game instead of any other.
 * @param {string} game
 * @param {number} next the first ply that is needed
 * @param {Listener} handle
 */
export function follow(game, next, handle) {
  unfollow();
  subscription = { game, next, handle };
  if (isShared) port ??= connectToWorker();
  if (!isShared) return followAlone();
  port?.postMessage({ game, next });
}

function connectToWorker() {
  try {
    const worker = new SharedWorker(import.meta.url, { type: "module" });
    worker.onerror = () => {
      isShared = false;
      followAlone();
    };
    // Ignores late events of a game that was followed before.
    worker.port.onmessage = ({ data: [game, name, data] }) => game === subscription?.game && subscription?.handle(name, data);
    return worker.port;
  } catch {
    // Firefox refuses shared workers where it blocks all cookies.
    isShared = false;
    return null;
  }
}

export function unfollow() {
  if (subscription) ownStream?.leave(subscription, 0);
  subscription = null;
  if (isShared) port?.postMessage(null);
}

export function checkConnection() {
  ownStream?.checkConnection();
  if (isShared) port?.postMessage("check");
}

function followAlone() {
  if (!subscription || document.hidden) return;
  ownStream ??= new Stream();
  ownStream.follow(subscription);
}

if (typeof document !== "undefined") {
  document.addEventListener("visibilitychange", () => {
    if (isShared || !subscription) return;
    if (document.hidden) ownStream?.leave(subscription, 0);
    else followAlone();
  });
}
