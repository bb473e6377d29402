// @ts-check
// Small comforts around a turn: a card that was put away stays away, and a turn in which nothing else
// can be done ends by itself, for who asked for that.
import { isPlaying, isStale, onFound } from "./live.js";
import { game, main, onShow, root, shown } from "./page.js";

/** Long enough to see that the turn is ending. */
const REST_MS = 1200;

/** The turn whose card was put away. */
let away = "";
const turn = () => `${game()}/${shown()}`;

document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLInputElement && target.matches(".since input")) away = target.checked ? turn() : "";
});

function keepAway() {
  const box = main()?.querySelector(".since input");
  if (box instanceof HTMLInputElement && away === turn()) box.checked = true;
}

/** @type {number | undefined} */
let rest;

/** Ends the turn after a moment, if it is still the same page then and nobody is reading the help. */
function endAlone() {
  clearTimeout(rest);
  const form = main()?.querySelector("[data-alone] form");
  if (root.dataset.ends !== "on" || !(form instanceof HTMLFormElement)) return;
  rest = setTimeout(() => {
    const busy = document.hidden || isPlaying() || isStale() || document.querySelector("dialog[open]");
    if (form.isConnected && !busy) form.requestSubmit();
  }, REST_MS);
}

onShow(keepAway);
onShow(endAlone);
// What could not be sent is sent when somebody listens again.
onFound(endAlone);
document.addEventListener("visibilitychange", endAlone);
document.addEventListener("close", endAlone, { capture: true });
endAlone();
