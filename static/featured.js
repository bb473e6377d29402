// @ts-check
// Updates the board of the featured game on the start page. It imports nothing, because it is loaded after the page.

const POLL_MS = 4000;
/** A page that stays open stops polling. */
const MAX_POLLS = 150;

/** The path of the start page. */
const base = document.querySelector("a.brand")?.getAttribute("href") ?? "/";

let polls = 0;

async function poll() {
  const current = document.getElementById("live");
  if (!current || polls++ > MAX_POLLS) return;
  setTimeout(poll, POLL_MS);
  if (document.hidden) return;
  try {
    const headers = { Accept: "text/html", "X-Language": document.documentElement.lang };
    const response = await fetch(`${base}onair`, { headers, signal: AbortSignal.timeout?.(10_000) });
    if (response.status !== 200) return;
    const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = parsed.getElementById("live");
    if (!next || next.dataset.ply === current.dataset.ply) return;
    const hasFocus = current.contains(document.activeElement);
    current.replaceWith(document.adoptNode(next));
    if (hasFocus) next.querySelector("a")?.focus({ preventScroll: true });
  } catch {
    // The next poll tries again.
  }
}

const isMotionReduced = matchMedia("(prefers-reduced-motion: reduce)").matches || document.documentElement.dataset.speed === "off";
if (!isMotionReduced) setTimeout(poll, POLL_MS);

export {};
