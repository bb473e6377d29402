// @ts-check
// The animation of a ply, on the server's SVG. Times are in milliseconds at normal speed.
//
// All animations of a ply start together, each with its delay, so that they can be finished at once and tests can
// pause them. Afterwards they are removed: the final state is the server's page.
import { durationFactor, main } from "./page.js";

/**
 * @typedef {object} Ply An entry of the record, from the event stream.
 * @property {number} ply its number, from 0
 * @property {number} player
 * @property {[number, number] | null} [path] source and target of an attack
 * @property {number} [cell] where the dropped chip lies
 * @property {{ attack: number[], defend: number[] } | null} [roll]
 * @property {boolean | null} [captured]
 * @property {[number, number][]} [reinforced] hexes and the number of dice that each received
 * @property {boolean} [over]
 * @property {number} [takeback] not a ply: the plies from this number on were taken back
 * @property {string} [entropy] not a ply: a player's contribution to the seed of the dice
 */

const EASE_OUT = "cubic-bezier(.2,.8,.3,1)";
const EASE_DROP = "cubic-bezier(.5,0,.9,.4)";
const EASE_BOUNCE = "cubic-bezier(.3,1.5,.5,1)";
const LIFT_PX = 18;

/** Fraction of the normal duration for attacks that do not involve the reader. */
const BRIEF_DURATION_FACTOR = 0.38;

/** @type {Set<Animation>} */
const running = new Set();
/** Factor of the durations of the current ply, in addition to the reader's setting. */
let durationScale = 1;

/**
 * @param {Element | null | undefined} element
 * @param {Keyframe[] | PropertyIndexedKeyframes} keyframes
 * @param {number} delay
 * @param {number} duration
 * @param {string} [easing]
 * @param {FillMode} [fill]
 */
function tween(element, keyframes, delay, duration, easing = EASE_OUT, fill = "both") {
  if (!element) return;
  const scale = durationFactor() * durationScale;
  const animation = element.animate(keyframes, { delay: delay * scale, duration: duration * scale, easing, fill });
  running.add(animation);
}

/** Elements that are removed after the animations. @type {Set<Element>} */
const temporaryElements = new Set();
/** @template {Element} T @param {T} element @returns {T} */
function addTemporary(element) {
  temporaryElements.add(element);
  return element;
}

/** Waits for all animations, then removes them and the temporary elements. */
async function animationsFinished() {
  const [animations, elements] = [[...running], [...temporaryElements]];
  temporaryElements.clear();
  await Promise.allSettled(animations.map((animation) => animation.finished));
  for (const animation of animations) {
    animation.cancel();
    running.delete(animation);
  }
  for (const element of elements) element.remove();
}

export function finishAnimations() {
  for (const animation of running) animation.finish();
}

/** @param {ParentNode} page @param {number} hex */
const findHex = (page, hex) => page.querySelector(`#h${hex}`);
/** @param {Element | null} hex @returns {SVGUseElement[]} */
const diceOf = (hex) => [...(hex?.querySelectorAll("use") ?? [])].filter((use) => use.getAttribute("href")?.startsWith("#die"));
/** @param {Element | null} hex @returns {SVGUseElement | undefined} */
const tileOf = (hex) => [...(hex?.querySelectorAll("use") ?? [])].find((use) => /^#f?tile$/.test(use.getAttribute("href") ?? ""));
/** @param {Element | null} hex @returns {[number, number]} */
function positionOf(hex) {
  const [x, y] = (hex?.getAttribute("transform") ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [0, 0];
  return [x, y];
}
/** The text element with the number of dice on a tile. @param {number} hex */
const findDiceCount = (hex) => main().querySelector(`#h${hex} .inlay text:not(.num)`);
/** @param {Element} use @param {string} name */
const numberAttribute = (use, name) => Number(use.getAttribute(name) ?? 0);
/** @param {string} name @param {Record<string, string | number>} attributes */
function createSvg(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/**
 * Animates a ply, from the current page to the next one.
 * @param {Ply} ply
 * @param {HTMLElement} next the page after it, or its parts that change
 * @param {() => void} showNext shows that page
 * @param {(sound: string, delay: number) => void} playSound
 * @param {{ brief: boolean, factor: number }} how `brief`: an attack that does not involve the reader
 */
export async function animatePly(ply, next, showNext, playSound, { brief, factor }) {
  durationScale = (brief ? BRIEF_DURATION_FACTOR : 1) * factor;
  const sound = (/** @type {string} */ name, /** @type {number} */ delay) => playSound(name, delay * durationScale);
  if (ply.path) {
    animateAttack(ply, ply.path, next, brief, sound);
    await animationsFinished();
    showNext();
    fadeInMarks();
  } else if (typeof ply.cell === "number") {
    showNext();
    animateChip(ply.cell, sound);
    await animationsFinished();
  } else {
    const placed = ply.reinforced ?? [];
    const before = new Map(placed.map(([hex]) => [hex, findDiceCount(hex)?.textContent ?? ""]));
    showNext();
    animateReinforcement(placed, before, sound);
    await animationsFinished();
  }
}

/**
 * @param {Ply} ply
 * @param {[number, number]} path
 * @param {HTMLElement} next
 * @param {boolean} brief
 * @param {(sound: string, delay: number) => void} playSound
 */
function animateAttack(ply, [from, to], next, brief, playSound) {
  const current = main();
  const [source, target] = [findHex(current, from), findHex(current, to)];
  const hasRoll = Boolean(ply.roll?.attack?.length);
  // A selected source is raised already.
  if (!source?.classList.contains("src")) tween(source, { translate: ["0 0", `0 ${-LIFT_PX}px`] }, 0, 220);
  [source, target].forEach((hex, i) => {
    const tile = tileOf(hex);
    const ring = createSvg("use", { href: tile?.getAttribute("href") === "#ftile" ? "#frt" : "#rt", class: "now-ring" });
    tile?.after(addTemporary(ring));
    tween(ring, { opacity: [0, 1] }, 110 * i, 220);
  });
  if (hasRoll && brief) showSums(next);
  else if (hasRoll) showRoll(next, playSound);
  const outcome = hasRoll && !brief ? 1400 : 380;
  if (!source || !target) return;
  if (ply.captured) animateCapture(ply, source, target, next, from, to, outcome, playSound);
  else animateFailedAttack(source, target, next, from, outcome, playSound);
}

/** Shows the sums and the winner of the next page's roll, without faces. */
function showSums(/** @type {HTMLElement} */ next) {
  const rollStrip = next.querySelector(".roll")?.cloneNode(true);
  if (!(rollStrip instanceof Element)) return;
  rollStrip.classList.add("brief");
  main().querySelector(".roll")?.replaceWith(rollStrip);
  for (const part of rollStrip.querySelectorAll(".sum, .vs, .told")) tween(part, { opacity: [0, 1] }, 160, 200);
}

/** Shows the next page's roll, with faces that tumble in. */
function showRoll(/** @type {HTMLElement} */ next, /** @type {(sound: string, delay: number) => void} */ playSound) {
  const rollStrip = next.querySelector(".roll")?.cloneNode(true);
  if (!(rollStrip instanceof Element)) return;
  main().querySelector(".roll")?.replaceWith(rollStrip);
  /** @type {[string, number, number][]} */
  const sides = [[".side:not(.def)", 220, -1], [".side.def", 520, 1]];
  const sums = rollStrip.querySelectorAll(".sum");
  sides.forEach(([css, start, direction], side) => {
    const box = rollStrip.querySelector(css);
    // The losing side turns grey only with the result.
    tween(box, { "--dull": ["0", "0"] }, 0, 1200, "linear", "backwards");
    const faces = [...(box?.querySelectorAll(".face") ?? [])];
    faces.forEach((face, i) => {
      const turn = direction * (540 + 90 * ((i * 7) % 4));
      tween(face, [
        { opacity: 0, transform: `translate(${direction * 64}px,-46px) rotate(${turn}deg) scale(.7)`, easing: EASE_DROP },
        { opacity: 1, transform: `translate(${direction * 34}px,4px) rotate(${turn * 0.45}deg) scale(1.02)`, offset: 0.4, easing: "ease-out" },
        { transform: `translate(${direction * 12}px,-13px) rotate(${turn * 0.16}deg) scale(1.02)`, offset: 0.66, easing: "ease-in" },
        { opacity: 1, transform: "none" },
      ], start + 40 * i, 620 - Math.min(40 * i, 200), "linear");
    });
    if (faces.length) playSound("rattle", start);
    tween(sums[side], { opacity: [0, 1] }, start + 480, 160);
  });
  tween(rollStrip.querySelector(".vs"), { opacity: [0, 1] }, 1200, 200);
  tween(rollStrip.querySelector(".told"), { opacity: [0, 1] }, 1200, 200);
  tween(rollStrip.querySelector(".sum.won"), { scale: ["1", "1.06", "1"] }, 1200, 260, "ease-in-out", "none");
  for (const sum of sums) tween(sum, { "--dull": ["0", "0"] }, 0, 1200, "linear", "backwards");
}

/**
 * The defender's dice sink, all but one of the attacker's dice move over from the top down, the tile changes colour.
 * @param {Ply} ply @param {Element} source @param {Element} target @param {HTMLElement} next
 * @param {number} from @param {number} to @param {number} start
 * @param {(sound: string, delay: number) => void} playSound
 */
function animateCapture(ply, source, target, next, from, to, start, playSound) {
  for (const die of diceOf(target)) tween(die, { translate: ["0 0", "0 16px"], opacity: [1, 0] }, start, 220, EASE_DROP);
  const movingDice = diceOf(source).slice(1).reverse();
  const landedDice = diceOf(findHex(next, to));
  const [[sx, sy], [tx, ty]] = [positionOf(source), positionOf(target)];
  // Above all hexes, so that no pile covers the flying dice.
  const flyingDice = createSvg("g", { class: `fly p${ply.player % 6}`, transform: `translate(${sx} ${sy})` });
  const tags = target.parentNode?.querySelector(":scope > .tags");
  tags ? tags.before(addTemporary(flyingDice)) : target.parentNode?.append(addTemporary(flyingDice));
  movingDice.forEach((die, i) => {
    const landedDie = landedDice[i] ?? die;
    const [x, y] = [numberAttribute(die, "x"), numberAttribute(die, "y")];
    const [dx, dy] = [tx - sx + numberAttribute(landedDie, "x") - x, ty - sy + numberAttribute(landedDie, "y") - y];
    const flying = createSvg("use", { href: landedDie.getAttribute("href") ?? "", x, y });
    flyingDice.append(flying);
    const begin = start + 50 * i;
    const top = Math.min(-LIFT_PX, dy) - 46;
    tween(die, { opacity: [1, 0] }, begin, 1, "linear");
    tween(flying, { opacity: [0, 1] }, begin, 1, "linear");
    tween(flying, [
      { translate: `0px ${-LIFT_PX}px`, easing: "cubic-bezier(.2,.6,.5,1)" },
      { translate: `${dx / 2}px ${top}px`, offset: 0.45, easing: EASE_DROP },
      { translate: `${dx}px ${dy}px`, offset: 0.86, easing: "ease-out" },
      { translate: `${dx}px ${dy - 4}px`, offset: 0.93, easing: "ease-in" },
      { translate: `${dx}px ${dy}px` },
    ], begin, 420, "linear");
  });
  const touchdown = start + 360;
  changeTile(target, findHex(next, to), ply.player, touchdown);
  changeTile(source, findHex(next, from), null, start);
  playSound("capture", touchdown);
  tween(flyingDice, { opacity: [1, 1] }, touchdown, 60 + Math.max(1, movingDice.length) * 50 + 80, "linear");
}

/**
 * All but one of the attacker's dice sink; the defender's tile shakes.
 * @param {Element} source @param {Element} target @param {HTMLElement} next @param {number} from
 * @param {number} start @param {(sound: string, delay: number) => void} playSound
 */
function animateFailedAttack(source, target, next, from, start, playSound) {
  const lostDice = diceOf(source).slice(1);
  lostDice.forEach((die, i) => tween(die, { translate: ["0 0", "0 16px"], opacity: [1, 0] }, start + 30 * (lostDice.length - 1 - i), 220, EASE_DROP));
  tween(target, { translate: ["0 0", "3px 0", "-3px 0", "2px 0", "-1px 0", "0 0"] }, start + 60, 300, "linear");
  changeTile(source, findHex(next, from), null, start + 160);
  playSound("hold", start);
}

/**
 * Changes the number on a tile, and its colour if it has a new owner.
 * @param {Element} hex @param {Element | null} next @param {number | null} owner @param {number} start
 */
function changeTile(hex, next, owner, start) {
  const tile = tileOf(hex);
  const [old, inlay] = [hex.querySelector(".inlay"), next?.querySelector(".inlay")?.cloneNode(true)];
  if (!tile || !old || !(inlay instanceof Element)) return;
  const isFlat = tile.getAttribute("href") === "#ftile";
  if (owner !== null) {
    const overlay = createSvg("g", { class: `p${owner % 6}` });
    overlay.append(createSvg("use", { href: tile.getAttribute("href") ?? "" }));
    tile.after(addTemporary(overlay));
    // A flat tile flips, a tile under dice fades.
    tween(overlay, isFlat ? { opacity: [0, 1, 1], transform: ["scaleX(0)", "scaleX(.4)", "scaleX(1)"] } : { opacity: [0, 1] }, start, isFlat ? 260 : 160);
    inlay.classList.add(`p${owner % 6}`);
  }
  old.after(addTemporary(inlay));
  tween(old, { opacity: [1, 0] }, start, 120);
  tween(inlay, { opacity: [0, 1] }, start + (owner === null ? 0 : 80), 160);
  if (isFlat) tween(inlay.querySelector(".big"), { scale: ["1", "1.3", "1"] }, start + 80, 320, "ease-out", "none");
}

/** After an attack: fades in the rings, the arrow and the log line. */
function fadeInMarks() {
  for (const mark of main().querySelectorAll(".board .arrow, .board use[href$='rl'], .log .le.now")) {
    tween(mark, { opacity: [0, 1] }, 0, 220, EASE_OUT, "backwards");
  }
  animationsFinished();
}

/**
 * Outlines the largest cluster, then drops one die after another, in the order of the hexes.
 * @param {[number, number][]} placed
 * @param {Map<number, string>} oldCounts the dice counts before
 * @param {(sound: string, delay: number) => void} playSound
 */
function animateReinforcement(placed, oldCounts, playSound) {
  const page = main();
  tween(page.querySelector(".pc.on .who"), { opacity: [0.3, 1] }, 0, 220);
  if (!placed.length) return;
  for (const line of page.querySelectorAll(".board .cluster")) tween(line, { opacity: [0, 1] }, 0, 400);
  /** @type {[Element, number][]} */
  const falls = [...placed].sort(([a], [b]) => a - b).flatMap(([hex, count]) => {
    const dice = diceOf(findHex(page, hex)).slice(-count);
    const falling = dice.length ? dice : [...(findHex(page, hex)?.querySelectorAll(".big") ?? [])];
    return falling.map((die) => /** @type {[Element, number]} */ ([die, hex]));
  });
  const interval = Math.min(70, 780 / falls.length);
  falls.forEach(([die, hex], i) => {
    const start = 400 + interval * i;
    const isLastOnHex = falls[i + 1]?.[1] !== hex;
    // The old number stays until the last die has landed.
    const [count, old] = [findDiceCount(hex), oldCounts.get(hex)];
    if (isLastOnHex && count && old) {
      const clone = addTemporary(/** @type {Element} */ (count.cloneNode(true)));
      clone.textContent = old;
      count.after(clone);
      tween(clone, { opacity: [1, 0] }, start + 230, 60, "linear");
      tween(count, { opacity: [0, 1] }, start + 230, 60, "linear");
    }
    if (die.matches(".big")) return tween(die, { scale: ["1", "1.4", "1"] }, start + 230, 300, "ease-out", "none");
    tween(die, [
      { translate: "0 -64px", opacity: 0, easing: EASE_DROP },
      { opacity: 1, offset: 0.2 },
      { translate: "0 0", offset: 0.6, easing: "ease-out" },
      { translate: "0 -7px", offset: 0.78, easing: "ease-in" },
      { translate: "0 0", opacity: 1 },
    ], start, 420, "linear");
    playSound("drop", start + 250);
  });
  const landed = 400 + interval * falls.length + 300;
  for (const tag of page.querySelectorAll(".board .plus > g")) {
    tween(tag, { opacity: [0, 1], translate: ["0 8px", "0 0"] }, landed, 220, EASE_BOUNCE);
  }
  // A pause to look at the result.
  tween(page.querySelector(".bd"), { opacity: [1, 1] }, landed, 360, "linear");
}

/** @param {number} cell @param {(sound: string, delay: number) => void} playSound */
function animateChip(cell, playSound) {
  const page = main();
  const chip = page.querySelector(`#k${cell}`);
  if (!chip) return;
  const height = numberAttribute(chip, "y") + 80;
  // As in free fall: twice the height takes 1.4 times as long.
  const time = 110 + 18 * Math.sqrt(height);
  tween(chip, [
    { translate: `0 ${-height}px`, easing: "cubic-bezier(.45,0,.9,.55)" },
    { translate: "0 0", offset: 0.68, easing: "ease-out" },
    { translate: `0 ${-Math.min(26, height * 0.06)}px`, offset: 0.84, easing: "ease-in" },
    { translate: "0 0" },
  ], 0, time, "linear");
  playSound("drop", time * 0.68);
  for (const ring of page.querySelectorAll(".board .ring-last, .board .lit, .board .lit-case")) {
    tween(ring, { opacity: [0, 1] }, time, 160);
  }
  for (const line of page.querySelectorAll(".board .line, .board .line-case")) {
    if (!(line instanceof SVGPathElement)) continue;
    const length = line.getTotalLength();
    const dashes = `${length} ${length + 20}`;
    tween(line, { opacity: [0, 1], strokeDasharray: [dashes, dashes], strokeDashoffset: [length, 0] }, time + 120, 420);
    // A pause to see the line before the result is shown.
    tween(page.querySelector(".bd"), { opacity: [1, 1] }, time + 540, 700, "linear");
  }
}
