// @ts-check
// What moves when a ply is played, on the server's own picture. Times are those of the storyboard.
//
// All movements of a ply are begun together, each with its delay: they can be finished at once, and a
// test can stop them at any moment. How the board looks afterwards is the server's picture alone.
import { main, pace } from "./page.js";

/**
 * @typedef {object} Ply What the server tells of one.
 * @property {number} ply its number, from 0
 * @property {number} player
 * @property {[number, number] | null} [path] source and target of an attack
 * @property {number} [cell] where a chip lies now
 * @property {{ attack: number[], defend: number[] } | null} [roll]
 * @property {boolean | null} [captured]
 * @property {[number, number][]} [reinforced] hexes, and the dice they got
 * @property {boolean} [over]
 * @property {number} [takeback] no ply: the game stands again before the one with this number
 * @property {string} [entropy] no ply: words for the dice
 */

const OUT = "cubic-bezier(.2,.8,.3,1)";
const DROP = "cubic-bezier(.5,0,.9,.4)";
const BOUNCE = "cubic-bezier(.3,1.5,.5,1)";
const LIFT = 18;

/** An attack among others is told in so much of its time. */
const BRIEF = 0.38;

/** @type {Set<Animation>} */
const running = new Set();
/** How long things take at the moment, next to the storyboard. */
let rate = 1;

/**
 * @param {Element | null | undefined} at
 * @param {Keyframe[] | PropertyIndexedKeyframes} frames
 * @param {number} delay in milliseconds at normal speed, as the duration
 * @param {number} duration
 * @param {string} [easing]
 * @param {FillMode} [fill]
 */
function move(at, frames, delay, duration, easing = OUT, fill = "both") {
  if (!at) return;
  const scale = pace() * rate;
  const animation = at.animate(frames, { delay: delay * scale, duration: duration * scale, easing, fill });
  running.add(animation);
}

/** What is on the board only while it moves. @type {Set<Element>} */
const props = new Set();
/** @template {Element} T @param {T} prop @returns {T} */
function prop(prop) {
  props.add(prop);
  return prop;
}

/** Until everything has moved; afterwards things are where the page has them. */
async function done() {
  const [mine, used] = [[...running], [...props]];
  props.clear();
  await Promise.allSettled(mine.map((animation) => animation.finished));
  for (const animation of mine) {
    animation.cancel();
    running.delete(animation);
  }
  for (const gone of used) gone.remove();
}

/** Ends every movement now. */
export function finish() {
  for (const animation of running) animation.finish();
}

/** @param {ParentNode} page @param {number} hex */
const hexOf = (page, hex) => page.querySelector(`#h${hex}`);
/** @param {Element | null} hex @returns {SVGUseElement[]} */
const diceOf = (hex) => [...(hex?.querySelectorAll("use") ?? [])].filter((use) => use.getAttribute("href")?.startsWith("#die"));
/** @param {Element | null} hex @returns {SVGUseElement | undefined} */
const tileOf = (hex) => [...(hex?.querySelectorAll("use") ?? [])].find((use) => /^#f?tile$/.test(use.getAttribute("href") ?? ""));
/** @param {Element | null} hex @returns {[number, number]} */
function placeOf(hex) {
  const [x, y] = (hex?.getAttribute("transform") ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [0, 0];
  return [x, y];
}
/** The number that is written on a tile. @param {number} hex */
const countOf = (hex) => main().querySelector(`#h${hex} .inlay text:not(.num)`);
/** @param {Element} use @param {string} name */
const at = (use, name) => Number(use.getAttribute(name) ?? 0);
/** @param {string} name @param {Record<string, string | number>} attributes */
function svg(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/**
 * A ply, from the board that is shown to the next one.
 * @param {Ply} ply
 * @param {HTMLElement} next the page after it
 * @param {() => void} pass shows that page
 * @param {(sound: string, delay: number) => void} hear
 * @param {{ brief: boolean, factor: number }} how in brief where it concerns nobody here
 */
export async function animate(ply, next, pass, hear, { brief, factor }) {
  rate = (brief ? BRIEF : 1) * factor;
  const sound = (/** @type {string} */ name, /** @type {number} */ delay) => hear(name, delay * rate);
  if (ply.path) {
    attack(ply, ply.path, next, brief, sound);
    await done();
    pass();
    settle();
  } else if (typeof ply.cell === "number") {
    pass();
    fall(ply.cell, sound);
    await done();
  } else {
    const placed = ply.reinforced ?? [];
    const before = new Map(placed.map(([hex]) => [hex, countOf(hex)?.textContent ?? ""]));
    pass();
    reinforce(placed, before, sound);
    await done();
  }
}

/**
 * @param {Ply} ply
 * @param {[number, number]} path
 * @param {HTMLElement} next
 * @param {boolean} brief
 * @param {(sound: string, delay: number) => void} hear
 */
function attack(ply, [from, to], next, brief, hear) {
  const page = main();
  const [source, target] = [hexOf(page, from), hexOf(page, to)];
  const rolled = Boolean(ply.roll?.attack?.length);
  // A chosen source is up already.
  if (!source?.classList.contains("src")) move(source, { translate: ["0 0", `0 ${-LIFT}px`] }, 0, 220);
  [source, target].forEach((hex, second) => {
    const tile = tileOf(hex);
    const ring = svg("use", { href: tile?.getAttribute("href") === "#ftile" ? "#frt" : "#rt", class: "now-ring" });
    tile?.after(prop(ring));
    move(ring, { opacity: [0, 1] }, 110 * second, 220);
  });
  if (rolled && brief) sums(next);
  else if (rolled) roll(next, hear);
  const outcome = rolled && !brief ? 1400 : 380;
  if (!source || !target) return;
  if (ply.captured) capture(ply, source, target, next, from, to, outcome, hear);
  else hold(source, target, next, from, outcome, hear);
}

/** The strip of the next page in brief: the sums and who won. */
function sums(/** @type {HTMLElement} */ next) {
  const strip = next.querySelector(".roll")?.cloneNode(true);
  if (!(strip instanceof Element)) return;
  strip.classList.add("brief");
  main().querySelector(".roll")?.replaceWith(strip);
  for (const part of strip.querySelectorAll(".sum, .vs, .told")) move(part, { opacity: [0, 1] }, 160, 200);
}

/** The strip of the next page with its real faces, hidden until they tumble in. */
function roll(/** @type {HTMLElement} */ next, /** @type {(sound: string, delay: number) => void} */ hear) {
  const strip = next.querySelector(".roll")?.cloneNode(true);
  if (!(strip instanceof Element)) return;
  main().querySelector(".roll")?.replaceWith(strip);
  /** @type {[string, number, number][]} */
  const sides = [[".side:not(.def)", 220, -1], [".side.def", 520, 1]];
  const sums = strip.querySelectorAll(".sum");
  sides.forEach(([css, start, way], side) => {
    const box = strip.querySelector(css);
    // Whose dice are grey is said with the verdict.
    move(box, { "--dull": ["0", "0"] }, 0, 1200, "linear", "backwards");
    const faces = [...(box?.querySelectorAll(".face") ?? [])];
    faces.forEach((face, i) => {
      const turn = way * (540 + 90 * ((i * 7) % 4));
      move(face, [
        { opacity: 0, transform: `translate(${way * 64}px,-46px) rotate(${turn}deg) scale(.7)`, easing: DROP },
        { opacity: 1, transform: `translate(${way * 34}px,4px) rotate(${turn * 0.45}deg) scale(1.02)`, offset: 0.4, easing: "ease-out" },
        { transform: `translate(${way * 12}px,-13px) rotate(${turn * 0.16}deg) scale(1.02)`, offset: 0.66, easing: "ease-in" },
        { opacity: 1, transform: "none" },
      ], start + 40 * i, 620 - Math.min(40 * i, 200), "linear");
    });
    if (faces.length) hear("rattle", start);
    move(sums[side], { opacity: [0, 1] }, start + 480, 160);
  });
  move(strip.querySelector(".vs"), { opacity: [0, 1] }, 1200, 200);
  move(strip.querySelector(".told"), { opacity: [0, 1] }, 1200, 200);
  move(strip.querySelector(".sum.won"), { scale: ["1", "1.06", "1"] }, 1200, 260, "ease-in-out", "none");
  for (const sum of sums) move(sum, { "--dull": ["0", "0"] }, 0, 1200, "linear", "backwards");
}

/**
 * The defenders sink, the attackers hop over from the top of the pile down, the tile changes hands.
 * @param {Ply} ply @param {Element} source @param {Element} target @param {HTMLElement} next
 * @param {number} from @param {number} to @param {number} start
 * @param {(sound: string, delay: number) => void} hear
 */
function capture(ply, source, target, next, from, to, start, hear) {
  for (const die of diceOf(target)) move(die, { translate: ["0 0", "0 16px"], opacity: [1, 0] }, start, 220, DROP);
  const movers = diceOf(source).slice(1).reverse();
  const landed = diceOf(hexOf(next, to));
  const [[sx, sy], [tx, ty]] = [placeOf(source), placeOf(target)];
  // In front of everything, so that no nearer pile cuts the arc.
  const fly = svg("g", { class: `fly p${ply.player % 6}`, transform: `translate(${sx} ${sy})` });
  const tags = target.parentNode?.querySelector(":scope > .tags");
  tags ? tags.before(prop(fly)) : target.parentNode?.append(prop(fly));
  movers.forEach((die, i) => {
    const goal = landed[i] ?? die;
    const [x, y] = [at(die, "x"), at(die, "y")];
    const [dx, dy] = [tx - sx + at(goal, "x") - x, ty - sy + at(goal, "y") - y];
    const flying = svg("use", { href: goal.getAttribute("href") ?? "", x, y });
    fly.append(flying);
    const begin = start + 50 * i;
    const top = Math.min(-LIFT, dy) - 46;
    move(die, { opacity: [1, 0] }, begin, 1, "linear");
    move(flying, { opacity: [0, 1] }, begin, 1, "linear");
    move(flying, [
      { translate: `0px ${-LIFT}px`, easing: "cubic-bezier(.2,.6,.5,1)" },
      { translate: `${dx / 2}px ${top}px`, offset: 0.45, easing: DROP },
      { translate: `${dx}px ${dy}px`, offset: 0.86, easing: "ease-out" },
      { translate: `${dx}px ${dy - 4}px`, offset: 0.93, easing: "ease-in" },
      { translate: `${dx}px ${dy}px` },
    ], begin, 420, "linear");
  });
  const touchdown = start + 360;
  change(target, hexOf(next, to), ply.player, touchdown);
  change(source, hexOf(next, from), null, start);
  hear("capture", touchdown);
  move(fly, { opacity: [1, 1] }, touchdown, 60 + Math.max(1, movers.length) * 50 + 80, "linear");
}

/**
 * All but the lowest die sink where they stand; the defender shivers once.
 * @param {Element} source @param {Element} target @param {HTMLElement} next @param {number} from
 * @param {number} start @param {(sound: string, delay: number) => void} hear
 */
function hold(source, target, next, from, start, hear) {
  const lost = diceOf(source).slice(1);
  lost.forEach((die, i) => move(die, { translate: ["0 0", "0 16px"], opacity: [1, 0] }, start + 30 * (lost.length - 1 - i), 220, DROP));
  move(target, { translate: ["0 0", "3px 0", "-3px 0", "2px 0", "-1px 0", "0 0"] }, start + 60, 300, "linear");
  change(source, hexOf(next, from), null, start + 160);
  hear("hold", start);
}

/**
 * The number on a tile, and its owner's colour if that is another one, become the next picture's.
 * @param {Element} hex @param {Element | null} next @param {number | null} owner @param {number} start
 */
function change(hex, next, owner, start) {
  const tile = tileOf(hex);
  const [old, inlay] = [hex.querySelector(".inlay"), next?.querySelector(".inlay")?.cloneNode(true)];
  if (!tile || !old || !(inlay instanceof Element)) return;
  const flat = tile.getAttribute("href") === "#ftile";
  if (owner !== null) {
    const skin = svg("g", { class: `p${owner % 6}` });
    skin.append(svg("use", { href: tile.getAttribute("href") ?? "" }));
    tile.after(prop(skin));
    // A flat tile is turned over, one under dice is painted.
    move(skin, flat ? { opacity: [0, 1, 1], transform: ["scaleX(0)", "scaleX(.4)", "scaleX(1)"] } : { opacity: [0, 1] }, start, flat ? 260 : 160);
    inlay.classList.add(`p${owner % 6}`);
  }
  old.after(prop(inlay));
  move(old, { opacity: [1, 0] }, start, 120);
  move(inlay, { opacity: [0, 1] }, start + (owner === null ? 0 : 80), 160);
  if (flat) move(inlay.querySelector(".big"), { scale: ["1", "1.3", "1"] }, start + 80, 320, "ease-out", "none");
}

/** After an attack: the rings, the arrow and the line of the log come up. */
function settle() {
  for (const late of main().querySelectorAll(".board .arrow, .board use[href$='rl'], .log .le.now")) {
    move(late, { opacity: [0, 1] }, 0, 220, OUT, "backwards");
  }
  done();
}

/**
 * The cluster is outlined, then one die after another falls, in the order of the hexes.
 * @param {[number, number][]} placed
 * @param {Map<number, string>} before the numbers on the tiles
 * @param {(sound: string, delay: number) => void} hear
 */
function reinforce(placed, before, hear) {
  const page = main();
  move(page.querySelector(".pc.on .who"), { opacity: [0.3, 1] }, 0, 220);
  if (!placed.length) return;
  for (const line of page.querySelectorAll(".board .cluster")) move(line, { opacity: [0, 1] }, 0, 400);
  /** @type {[Element, number][]} */
  const falls = [...placed].sort(([a], [b]) => a - b).flatMap(([hex, count]) => {
    const dice = diceOf(hexOf(page, hex)).slice(-count);
    const falling = dice.length ? dice : [...(hexOf(page, hex)?.querySelectorAll(".big") ?? [])];
    return falling.map((die) => /** @type {[Element, number]} */ ([die, hex]));
  });
  const apart = Math.min(70, 780 / falls.length);
  falls.forEach(([die, hex], i) => {
    const start = 400 + apart * i;
    const last = falls[i + 1]?.[1] !== hex;
    // The number is the old one until the last die has landed.
    const [count, old] = [countOf(hex), before.get(hex)];
    if (last && count && old) {
      const clone = prop(/** @type {Element} */ (count.cloneNode(true)));
      clone.textContent = old;
      count.after(clone);
      move(clone, { opacity: [1, 0] }, start + 230, 60, "linear");
      move(count, { opacity: [0, 1] }, start + 230, 60, "linear");
    }
    if (die.matches(".big")) return move(die, { scale: ["1", "1.4", "1"] }, start + 230, 300, "ease-out", "none");
    move(die, [
      { translate: "0 -64px", opacity: 0, easing: DROP },
      { opacity: 1, offset: 0.2 },
      { translate: "0 0", offset: 0.6, easing: "ease-out" },
      { translate: "0 -7px", offset: 0.78, easing: "ease-in" },
      { translate: "0 0", opacity: 1 },
    ], start, 420, "linear");
    hear("drop", start + 250);
  });
  const landed = 400 + apart * falls.length + 300;
  for (const tag of page.querySelectorAll(".board .plus > g")) {
    move(tag, { opacity: [0, 1], translate: ["0 8px", "0 0"] }, landed, 220, BOUNCE);
  }
  // A moment to see where they came to lie.
  move(page.querySelector(".bd"), { opacity: [1, 1] }, landed, 360, "linear");
}

/** @param {number} cell @param {(sound: string, delay: number) => void} hear */
function fall(cell, hear) {
  const page = main();
  const chip = page.querySelector(`#k${cell}`);
  if (!chip) return;
  const height = at(chip, "y") + 80;
  // As things fall: twice as far takes 1.4 times as long.
  const time = 110 + 18 * Math.sqrt(height);
  move(chip, [
    { translate: `0 ${-height}px`, easing: "cubic-bezier(.45,0,.9,.55)" },
    { translate: "0 0", offset: 0.68, easing: "ease-out" },
    { translate: `0 ${-Math.min(26, height * 0.06)}px`, offset: 0.84, easing: "ease-in" },
    { translate: "0 0" },
  ], 0, time, "linear");
  hear("drop", time * 0.68);
  for (const ring of page.querySelectorAll(".board .ring-last, .board .lit, .board .lit-case")) {
    move(ring, { opacity: [0, 1] }, time, 160);
  }
  for (const line of page.querySelectorAll(".board .line, .board .line-case")) {
    if (!(line instanceof SVGPathElement)) continue;
    const length = line.getTotalLength();
    const dashes = `${length} ${length + 20}`;
    move(line, { opacity: [0, 1], strokeDasharray: [dashes, dashes], strokeDashoffset: [length, 0] }, time + 120, 420);
    // Lit long enough to be seen before the page says who won.
    move(page.querySelector(".bd"), { opacity: [1, 1] }, time + 540, 700, "linear");
  }
}
