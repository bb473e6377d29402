// @ts-check
// Lessons and puzzles: an answer on the board or in the list is fetched, its dice roll in the tray as in a game, and
// then its page is shown. Without this script each link and each button loads a page.
import { playSound } from "./live.js";
import { animatePly, finishAnimations } from "./motion.js";
import { animationsEnabled, announce, durationFactor, fetchPage, focusedId, focusPage, main, root, showPage } from "./page.js";

/** How long the board of a wrong answer is shown before it is set back. */
const SET_BACK_MS = 900;

let isBusy = false;

/** @param {Page} page @typedef {import('./page.js').Page} Page */
async function playAnswer({ content }) {
  const { played, rolling } = content.dataset;
  if (!played || !animationsEnabled()) return;
  const current = main();
  const before = content.querySelector("template")?.content;
  const next = document.createElement("div");
  for (const part of [(before ?? content).querySelector(".bd"), content.querySelector(".roll")]) if (part) next.append(document.importNode(part, true));
  root.classList.add("moves");
  current.classList.add("playing");
  const frame = current.querySelector(".task, .play-it");
  if (frame && rolling) frame.textContent = rolling;
  if (rolling) announce(rolling);
  current.querySelector(".roll")?.scrollIntoView({ block: "nearest" });
  const showBoard = () => {
    if (document.activeElement?.closest("#main .bd")) focusPage();
    current.querySelector(".bd")?.replaceWith(next.querySelector(".bd") ?? "");
  };
  await animatePly(JSON.parse(played), next, showBoard, playSound, { brief: false, factor: 1 });
  if (before) await new Promise((resolve) => setTimeout(resolve, SET_BACK_MS * durationFactor()));
}

/** Shows another page of the exercise, after the action that leads to it. @param {string} url @param {RequestInit} [options] */
async function open(url, options) {
  const focus = focusedId();
  const page = await fetchPage(url, options);
  await playAnswer(page);
  history.replaceState(null, "", page.url);
  showPage(page, focus);
  announce(main().dataset.said ?? main().querySelector(".play-it, .task")?.textContent ?? "");
  main().querySelector(".verdict-of")?.scrollIntoView({ block: "nearest" });
  const next = main().querySelector(".later");
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/** @param {() => Promise<void>} act @param {() => void} fallback */
async function once(act, fallback) {
  isBusy = true;
  try {
    await act();
  } catch {
    fallback();
  } finally {
    isBusy = false;
  }
}

/** Says that an action is none of the answers, and shakes its hex. @param {string | undefined} hex */
function refuse(hex) {
  const { refused = "" } = main().dataset;
  const frame = main().querySelector(".play-it");
  if (frame) frame.textContent = refused;
  announce(refused);
  if (animationsEnabled()) document.getElementById(`h${hex}`)?.animate({ translate: ["0 0", "4px 0", "-4px 0", "3px 0", "0 0"] }, 200);
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const link = target?.closest("#main :is(.bd, .answers, .state) a:not(.later)");
  if (!link && isBusy && target?.closest("#main")) finishAnimations();
  if (!(link instanceof HTMLElement || link instanceof SVGElement) || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (isBusy) return finishAnimations();
  const href = link.getAttribute("href") ?? "";
  const answer = [...main().querySelectorAll("button")].find((button) => button.dataset.link === href);
  if (answer) return answer.click();
  if (main().dataset.refused && link.dataset.to) return refuse(link.dataset.to);
  once(() => open(href), () => location.assign(href));
});

let isSubmittedPlainly = false;

document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  if (isSubmittedPlainly || !(form instanceof HTMLFormElement) || form.id !== "answers" || !(button instanceof HTMLButtonElement)) return;
  event.preventDefault();
  if (isBusy) return;
  const body = new URLSearchParams({ answer: button.value });
  once(() => open(form.action, { method: "POST", body }), () => {
    isSubmittedPlainly = true;
    button.click();
  });
});
