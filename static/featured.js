// @ts-check
// The board of the start page follows the game that is on the air. It imports nothing, because it is
// loaded later than the page.

const EVERY_MS = 4000;
/** Whoever leaves the page open is not shown everything. */
const LOOKS = 150;

/** The path of the start page. */
const base = document.querySelector("a.brand")?.getAttribute("href") ?? "/";

let looks = 0;

async function look() {
  const at = document.getElementById("live");
  if (!at || looks++ > LOOKS) return;
  setTimeout(look, EVERY_MS);
  if (document.hidden) return;
  try {
    const headers = { Accept: "text/html", "X-Language": document.documentElement.lang };
    const answer = await fetch(`${base}onair`, { headers, signal: AbortSignal.timeout?.(10_000) });
    if (answer.status !== 200) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("live");
    if (!next || next.dataset.ply === at.dataset.ply) return;
    const held = at.contains(document.activeElement);
    at.replaceWith(document.adoptNode(next));
    if (held) next.querySelector("a")?.focus({ preventScroll: true });
  } catch {
    // The next look may find the server again.
  }
}

const still = matchMedia("(prefers-reduced-motion: reduce)").matches || document.documentElement.dataset.speed === "off";
if (!still) setTimeout(look, EVERY_MS);

export {};
