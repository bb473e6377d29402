// @ts-check
// The time left until something happens, once a minute, and that time on the reader's clock.

const MINUTE_MS = 60_000;
const { lang } = document.documentElement;
const locale = lang === "en" ? "en-GB" : lang;
// The clocks of the reader and of the server may differ, so only the time since loading is measured.
const loadedMs = Date.now();

/** @type {NodeListOf<HTMLElement>} */
const countdowns = document.querySelectorAll("[data-left]");

function update() {
  const passed = Math.floor((Date.now() - loadedMs) / MINUTE_MS);
  for (const countdown of countdowns) {
    const { left, hours = "", minutes = "" } = countdown.dataset;
    const rest = Math.max(0, Number(left) - passed);
    const text = rest < 60 ? minutes : hours;
    countdown.textContent = text.replace("|h|", `${Math.floor(rest / 60)}`).replace("|m|", `${rest % 60}`);
  }
}
setInterval(update, MINUTE_MS);
document.addEventListener("visibilitychange", update);

for (const at of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-at]"))) {
  const date = new Date(Number(at.dataset.at));
  const time = date.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
  const day = date.toLocaleDateString(locale, { weekday: "long" });
  at.textContent = (at.dataset.local ?? "").replace("|t|", time).replace("|d|", day);
}
