//! Attacks on the dice by somebody who knows the server's seed and sits at the table: choosing words that turn
//! a roll, and taking back what was lost.

use std::sync::Arc;

use crate::common::{House, Server, Table, number, problem};
use dice_of_doom::game::Player;
use dice_of_doom::game_adapters::{LiveGameRef, Registry, SavedGame};
use dice_of_doom::provably_fair::{self, GameDice, Sha256Digest};
use dice_of_doom::record::EntropyText;
use dice_of_doom::store::GameStore;
use dice_of_doom::verify::{VerifiedRecord, verify};
use serde_json::{Value, json};

/// Who attacks, with what the archive holds.
struct Knower<'a> {
    archive: &'a Arc<dyn GameStore>,
    table: &'a Table,
}

impl Knower<'_> {
    /// The game as it stands, and its dice.
    async fn look(&self) -> (LiveGameRef, GameDice) {
        let id = self.table.id.parse().unwrap();
        let stored = self.archive.load(&id).await.unwrap().unwrap();
        let kept = SavedGame {
            parameters: &stored.header.game,
            start: &stored.header.start,
            entries: &stored.entries,
            ending: stored.ending,
        };
        let live = Registry::builtin().resume(&kept).unwrap();
        let table = provably_fair::RollContext {
            game: self.table.id.clone(),
            deal: live.deal(),
        };
        (live, GameDice::new(stored.header.dice, table))
    }

    /// Whether an attack of the first player would be won now.
    fn wins(live: &LiveGameRef, dice: &GameDice, path: &Value) -> bool {
        let action = format!("{}-{}", path[0], path[1]);
        let row = live
            .prepare_action(Player::FIRST, &action, dice, 0)
            .unwrap()
            .row;
        let sides = row.roll.split_once('/').unwrap();
        let sum = |side: &str| -> u32 {
            side.split(' ')
                .map(|face| face.parse::<u32>().unwrap())
                .sum()
        };
        sum(sides.0) > sum(sides.1)
    }

    /// Words that would turn a lost attack into a won one; tried on a copy of the game.
    async fn turning(&self, path: &Value) -> Option<EntropyText> {
        let (live, dice) = self.look().await;
        let tries = (0..200).map(|number| format!("try {number}").parse::<EntropyText>().unwrap());
        tries.into_iter().find(|words| {
            let (_, next) = live.with_entropy(Player::FIRST, words.clone(), 0).unwrap();
            Self::wins(&next, &dice, path)
        })
    }

    /// An attack that would be lost, and words that would turn it.
    async fn steerable(&self) -> Option<(Value, EntropyText)> {
        for path in self.losing().await {
            if let Some(words) = self.turning(&path).await {
                return Some((path, words));
            }
        }
        None
    }

    async fn add(&self, player: usize, words: &str) -> reqwest::Response {
        let (token, path) = (self.table.token(player), self.table.path("/entropy"));
        let ply = number(&self.table.look().await["ply"]);
        let body = json!({"ply": ply, "entropy": words});
        self.table.api.post_as(token, &path, &body).await
    }

    /// The attacks that the first player may make, and would lose.
    async fn losing(&self) -> Vec<Value> {
        let (live, dice) = self.look().await;
        let moves = self.table.moves().await;
        let paths = moves["moves"].as_array().unwrap().iter();
        let attacks = paths.map(|one| one["path"].clone()).filter(Value::is_array);
        let losing = attacks.filter(|path| !Self::wins(&live, &dice, path));
        losing.collect()
    }
}

async fn serve() -> (Server, Arc<dyn GameStore>) {
    let house = House {
        moves: 10_000,
        reads: 10_000,
        ..House::default()
    };
    let archive = Arc::clone(&house.archive);
    (Server::of(house).await, archive)
}

fn new(seed: u64) -> Value {
    json!({"game": "dice", "size": 4, "players": 2, "seats": ["human", "human"], "seed": seed, "takebacks": true})
}

#[tokio::test]
async fn who_knows_the_seed_cannot_choose_words_that_turn_a_roll() {
    let (server, archive) = serve().await;
    let mut tried = 0;
    for seed in 0..12 {
        let table = server.api().create(new(seed)).await;
        let knower = Knower {
            archive: &archive,
            table: &table,
        };
        let refused = async |words: &str, why: &str| {
            let refused = problem(knower.add(0, words).await, 422).await;
            let told = refused["detail"].as_str().unwrap();
            assert!(told.contains(why), "seed {seed}: {told}");
        };
        let Some((path, words)) = knower.steerable().await else {
            continue;
        };
        // Before anybody else has added words: not told at once, and not without waiting for others.
        let fixing = |words: &str| Sha256Digest::compute(words.as_bytes()).to_string();
        refused(words.as_str(), "words are fixed before they are told").await;
        assert_eq!(knower.add(0, &fixing(words.as_str())).await.status(), 200);
        refused(words.as_str(), "others have neither fixed").await;
        let ply = number(&table.look().await["ply"]);
        let early = problem(table.post(0, ply, &path).await, 409).await;
        assert_eq!(early["code"], "not-your-turn", "seed {seed}");
        // The other player fixes words and tells them; what was fixed cannot be changed any more.
        let honest = "3 5 2 6, rolled by hand";
        assert_eq!(knower.add(1, &fixing(honest)).await.status(), 200);
        assert_eq!(knower.add(1, honest).await.status(), 200);
        let better = knower
            .turning(&path)
            .await
            .filter(|better| *better != words);
        if let Some(better) = &better {
            refused(better.as_str(), "their SHA-256 is another one").await;
        }
        // Not to tell them is no choice between two sets of dice.
        let ply = number(&table.look().await["ply"]);
        problem(table.post(0, ply, &path).await, 409).await;
        assert_eq!(knower.add(0, words.as_str()).await.status(), 200);
        refused(honest, "adds words once").await;
        // After a roll.
        let ply = number(&table.look().await["ply"]);
        table.play(0, ply, &path).await;
        if let Some((_, words)) = knower.steerable().await {
            refused(words.as_str(), "before the first roll").await;
            tried += 1;
        }
    }
    assert!(tried >= 6, "{tried}");
}

#[tokio::test]
async fn words_are_fixed_and_then_told_and_hold() {
    let (server, archive) = serve().await;
    let mut three = new(1);
    three["players"] = json!(3);
    three["seats"] = json!(["human", "human", "human"]);
    let table = server.api().create(three).await;
    let knower = Knower {
        archive: &archive,
        table: &table,
    };
    let fixing = |words: &str| Sha256Digest::compute(words.as_bytes()).to_string();
    for (player, words) in [
        (0, fixing("чай").as_str()),
        (1, fixing("a cat walked here").as_str()),
        (2, "-"),
        (1, "a cat walked here"),
        (0, "чай"),
    ] {
        assert_eq!(knower.add(player, words).await.status(), 200, "{words}");
    }
    table.play_to_the_end().await;
    let record = table.record().await;
    let games = Registry::builtin();
    let holds = verify(&games, &record.to_string());
    assert!(
        matches!(holds, Ok(VerifiedRecord::Proved { rolls: 1.. })),
        "{holds:?}"
    );
    // A record in which words were told before others were fixed does not hold, whatever its seal.
    let mut late = record.clone();
    late["plies"][0]["entropy"] = json!("tea");
    let refused = verify(&games, &late.to_string()).unwrap_err().to_string();
    assert!(refused.contains("the words of entry 1"), "{refused}");
}

#[tokio::test]
async fn what_is_taken_back_is_not_rolled_anew() {
    let (server, _) = serve().await;
    for seed in 0..4 {
        let mut alone = new(seed);
        alone["seats"] = json!(["human", "random"]);
        let table = server.api().create(alone).await;
        let moves = table.moves().await;
        let path = moves["moves"][0]["path"].clone();
        for round in 0..4 {
            table.play(0, 2 * round, &path).await;
            let (token, undo) = (table.token(0), table.path("/undo"));
            let body = json!({"ply": 2 * round + 1});
            let answer = table.api.post_as(token, &undo, &body).await;
            assert_eq!(answer.status(), 200, "seed {seed}");
        }
        let record = table.record().await;
        for number in [2, 4, 6] {
            let [first, again] = [0, number].map(|number| &record["plies"][number]);
            assert_eq!(again["roll"], first["roll"], "seed {seed}");
            assert_eq!(again["before"], first["before"]);
        }
        assert!(record["plies"][0]["before"].is_string(), "{record}");
    }
}
