// @ts-check
// Counts the clock of a turn down, from the time left that the page states: the clock of the reader's machine may be
// wrong, and may be set meanwhile. It imports nothing, because it is loaded after the page.

const TICK_MS = 200;
/** From this many seconds on the time is bold. */
const LAST_S = 10;

/** The clock on the page, and when its turn ends, by `performance.now()`. @type {{ element: HTMLElement, endsAt: number } | null} */
let shown = null;

/** @param {number} seconds */
function digits(seconds) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function tick() {
  const element = document.querySelector(".clock");
  if (!(element instanceof HTMLElement)) {
    shown = null;
    return;
  }
  if (shown?.element !== element) shown = { element, endsAt: performance.now() + 1000 * Number(element.dataset.left) };
  const left = Math.max(0, Math.ceil((shown.endsAt - performance.now()) / 1000));
  if (String(left) === element.dataset.shown) return;
  element.dataset.shown = String(left);
  for (const time of document.querySelectorAll(".time")) {
    time.textContent = digits(left);
    time.classList.toggle("last", left <= LAST_S);
  }
  document.querySelector(".left rect")?.setAttribute("width", String(Math.min(left, Number(element.dataset.turn))));
  const sentence = element.getAttribute(`data-say-${left}`);
  const region = document.getElementById("say");
  if (sentence && region) region.textContent = sentence;
}

tick();
setInterval(tick, TICK_MS);

export {};
