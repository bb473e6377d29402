// @ts-check
// A win is celebrated once, for less than three seconds: the winner's hexes rise one after another from left to right on
// columns of their colour, their number counts up, and they sink to where the page draws them. It imports nothing,
// because it is loaded after the page.

const [STEP_MS, ALL_STEPS_MS, RISE_MS, SINK_FROM_MS, END_MS] = [60, 1200, 420, 2000, 2500];
/** Heights in units of the board; a tile is thicker than a layer. */
const [HEIGHT, REST_HEIGHT, LAYER] = [46, 10, 9];

/**
 * @param {HTMLElement} content the page of a game that the reader has won
 * @param {number} factor the reader's speed, as a factor of every duration
 */
export function celebrate(content, factor) {
  const left = (/** @type {Element} */ hex) => hex.getBoundingClientRect().left;
  const hexes = [...content.querySelectorAll(".risen")].sort((a, b) => left(a) - left(b));
  const step = Math.min(STEP_MS, ALL_STEPS_MS / hexes.length);
  const sum = content.querySelector(".sums b");
  const total = sum?.textContent ?? "";
  for (const [number, hex] of hexes.entries()) {
    const height = HEIGHT - 7 * (number % 4);
    const rise = (/** @type {Element} */ layer, /** @type {number} */ share) => {
      const at = (/** @type {number} */ up, /** @type {number} */ ms) =>
        ({ transform: `translateY(${-up * share}px)`, offset: ms / END_MS, easing: "cubic-bezier(.2, .8, .3, 1)" });
      const begin = number * step;
      const frames = [at(0, 0), at(0, begin), at(height, begin + RISE_MS), at(height, SINK_FROM_MS), at(REST_HEIGHT, END_MS)];
      return layer.animate(frames, END_MS * factor);
    };
    const tile = hex.previousElementSibling;
    const layers = Math.floor(height / LAYER);
    for (let layer = 1; tile && layer < layers; layer++) {
      const copy = /** @type {Element} */ (tile.cloneNode());
      hex.before(copy);
      rise(copy, layer / layers).onfinish = () => copy.remove();
    }
    const risen = rise(hex, 1);
    if (!sum) continue;
    setTimeout(() => { sum.textContent = number + 1 < hexes.length ? `${number + 1}` : total; }, number * step * factor);
    risen.onfinish = () => { sum.textContent = total; };
  }
}
