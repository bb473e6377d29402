// @ts-check
// Notifications of the browser: shown when it is the reader's turn in a game with other people and the page is not in
// front. The settings page asks for the permission. Loaded only where it is needed; `page.js` sends the events.

/** @type {Notification | null} */
let shown = null;

function close() {
  shown?.close();
  shown = null;
}

/** @returns {keyof DOMStringMap} the name of the text about notifications in this browser */
function state() {
  if (!isSecureContext) return "insecure";
  return "Notification" in window ? Notification.permission : "unsupported";
}

document.addEventListener("turnbegin", () => {
  const isInFront = !document.hidden && document.hasFocus();
  if (document.documentElement.dataset.notify !== "on" || isInFront || state() !== "granted") return;
  const main = document.getElementById("main");
  const body = main?.querySelector(".log .le span")?.textContent ?? "";
  try {
    // One for each game, also if it is open in several tabs.
    shown = new Notification(document.title, { body, tag: main?.dataset.game, icon: new URL("icon-192.png", import.meta.url).href });
  } catch {
    // Chrome on Android shows notifications of service workers only.
    return;
  }
  shown.onclick = () => {
    window.focus();
    close();
  };
});
document.addEventListener("turnend", close);
addEventListener("focus", close);

// ---- the settings page

const line = document.getElementById("notify-state");
const describe = () => {
  if (line) line.textContent = line.dataset[state()] ?? line.textContent;
};
describe();
document.getElementById("notify-on")?.addEventListener("change", () => {
  if (state() === "default") Notification.requestPermission().then(describe, describe);
});
