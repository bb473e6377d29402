// Plays whole games of both games with openapi-fetch and the types that openapi-typescript made from the
// document. The compiler holds every request and every answer against it.

import createClient from "openapi-fetch";
import type { components, paths } from "./document.js";

declare const process: { argv: string[] };

type Schemas = components["schemas"];
type Ply = Schemas["Play"];

const games: Schemas["NewGame"][] = [
  { game: "dice", rules: "v4", size: 3, players: 3, seed: 1, seats: ["human", "random", "book"] },
  { game: "dice", rules: "v2", seed: 2, seats: ["human", "human"] },
  { game: "trilobite", width: 5, height: 4, win: 3, seats: ["human", "random"] },
  { game: "trilobite", seats: ["human", "human"] },
];

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });

/** The answer, where it is what was asked for. */
function answered<T>(answer: { data?: T; error?: Schemas["Problem"] }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

/** A ply that sooner or later ends every game: the likeliest attack, and none below 0.4. */
function plyOf(ply: number, moves: Schemas["Moves"]): Ply {
  if (moves.game === "trilobite") {
    const cell = moves.moves[0];
    if (cell === undefined) throw new Error("a game that goes on has an action");
    return { ply, cell };
  }
  const attacks = moves.moves.filter((move) => move.path !== null);
  const passes = attacks.length < moves.moves.length;
  attacks.sort((a, b) => (b.odds ?? 1) - (a.odds ?? 1));
  const likely = attacks[0];
  if (likely === undefined || (passes && (likely.odds ?? 1) <= 0.4)) return { ply, path: null };
  return { ply, path: likely.path };
}

/** The compiler tells the events of a stream apart by their field `event`. */
export function winnersAfter(event: Schemas["StreamedEvent"]): readonly number[] | null {
  switch (event.event) {
    case "over":
      return event.winners;
    case "ply":
      return event.after.winners;
    default:
      return null;
  }
}

async function playWhole(body: Schemas["NewGame"]) {
  let game = answered(await client.POST("/api/v1/games", { body }));
  const tokens = game.seats.map((seat) => seat.token);
  const params = { path: { id: game.id } };
  while (!game.over) {
    const token = game.player === null ? undefined : tokens[game.player];
    if (token === undefined) {
      const query = { wait: game.ply + 1 };
      game = answered(await client.GET("/api/v1/games/{id}", { params: { ...params, query } }));
      continue;
    }
    const moves = answered(await client.GET("/api/v1/games/{id}/moves", { params }));
    const headers = { Authorization: `Bearer ${token}` };
    const body = plyOf(game.ply, moves);
    answered(await client.POST("/api/v1/games/{id}/moves", { params, headers, body }));
    game = answered(await client.GET("/api/v1/games/{id}", { params }));
  }
  const record = answered(await client.GET("/api/v1/games/{id}/record", { params }));
  if (record.game !== game.game || record.plies.length !== game.ply) throw new Error("another game");
  return game;
}

for (const body of games) {
  const game = await playWhole(body);
  console.log(`typescript: ${game.game}, ${game.ply} plies, winners ${game.winners?.join(" ")}`);
}
