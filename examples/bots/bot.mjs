// A bot for Dice of Doom. It makes the attack with the best odds, and ends its turn when no attack has 60 %.
//
//   node bot.mjs                          answers an arena on stdin and stdout
//   node bot.mjs http://localhost:8080    plays a game on a server

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** The path of the best move: from hex to hex, or null to end the turn. */
function choose(moves) {
  const value = ({ path, odds }) => (path ? odds : 0.6);
  return moves.reduce((best, move) => (value(move) > value(best) ? move : best)).path;
}

async function playInArena() {
  const engine = spawn(process.env.DICE_OF_DOOM ?? "dice-of-doom", ["engine"], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: engine.stdout })[Symbol.asyncIterator]();
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, position } = JSON.parse(line);
    engine.stdin.write(JSON.stringify({ op: "moves", position, successors: false }) + "\n");
    const { moves } = JSON.parse((await answers.next()).value).ok;
    console.log(JSON.stringify({ id, ok: { path: choose(moves) } }));
  }
  engine.stdin.end();
}

async function playOnServer(url) {
  const headers = { "Content-Type": "application/json" };

  async function send(path, body) {
    const options = { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) };
    for (;;) {
      // No answer: a move that is sent twice is played once.
      const answer = await fetch(`${url}/api/v1${path}`, options).catch((error) => console.error(String(error.cause)));
      // 409: the game has moved on, and the next `turn` tells how.
      if (answer?.ok || answer?.status === 409) return answer;
      if (answer && ![429, 503].includes(answer.status)) throw new Error(await answer.text());
      await sleep(1000 * (answer?.headers.get("Retry-After") ?? 1));
    }
  }

  /** The events of all games of the bot, for ever: when the stream ends, it is opened again. */
  async function* events() {
    const event = { id: "0", retry: "1000" };
    for (;;) {
      headers["Last-Event-ID"] = event.id;
      const stream = await send("/events");
      try {
        for await (const line of createInterface({ input: Readable.fromWeb(stream.body) })) {
          const [field, value] = line.split(/: (.*)/);
          event[field] = value;
          if (field === "data") yield [event.event, JSON.parse(value)];
        }
      } catch (error) {
        console.error(String(error));
      }
      await sleep(Number(event.retry));
    }
  }

  const bot = await (await send("/programs", { name: "JavaScript bot" })).json();
  headers.Authorization = `Bearer ${bot.token}`;
  const created = await (await send("/games", { game: "dice", seats: ["human", "book", "book", "book"] })).json();
  console.log(`${url}/g/${created.id}`);
  for await (const [name, game] of events()) {
    if (name === "turn") await send(`/games/${game.id}/moves`, { ply: game.ply, path: choose(game.moves) });
    if (name === "gameFinish" && game.id === created.id) {
      console.log("winners:", JSON.stringify(game.winners));
      process.exit(); // the stream is still open
    }
  }
}

const [url] = process.argv.slice(2);
await (url ? playOnServer(url.replace(/\/$/, "")) : playInArena());
