// @ts-check
// Ends a turn in which no attack is possible, if the reader has set that option.
import { isPlaying, isStale, onReconnected } from "./live.js";
import { main, onPageShown, submitForm, root } from "./page.js";

const DELAY_MS = 1200;

/** @type {number | undefined} */
let timer;

/** Ends the turn after a delay, unless the page has changed or a dialog is open by then. */
function scheduleAutoEnd() {
  clearTimeout(timer);
  const form = main()?.querySelector("[data-alone] form");
  if (root.dataset.ends !== "on" || !(form instanceof HTMLFormElement)) return;
  timer = setTimeout(() => {
    const isBusy = document.hidden || isPlaying() || isStale() || document.querySelector("dialog[open]");
    if (form.isConnected && !isBusy) submitForm(form);
  }, DELAY_MS);
}

onPageShown(scheduleAutoEnd);
onReconnected(scheduleAutoEnd);
document.addEventListener("visibilitychange", scheduleAutoEnd);
document.addEventListener("close", scheduleAutoEnd, { capture: true });
scheduleAutoEnd();
