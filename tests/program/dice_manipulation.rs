//! Attacks on the dice by a player who knows the server's seed: choosing an entropy text that changes a roll, and
//! taking back a lost attack.

use std::sync::Arc;

use crate::common::{Server, ServerConfig, Table, number, problem};
use dice_of_doom::formats::saved_game::SavedGame;
use dice_of_doom::game::Player;
use dice_of_doom::games::{LiveGameRef, Registry, SubmittedAction};
use dice_of_doom::provably_fair::{self, GameDice, Sha256Digest};
use dice_of_doom::record::EntropyText;
use dice_of_doom::store::Store;
use dice_of_doom::verify::{VerifiedRecord, verify};
use serde_json::{Value, json};

/// An attacker who can read the store.
struct Attacker<'a> {
    store: &'a Arc<dyn Store>,
    table: &'a Table,
}

impl Attacker<'_> {
    /// The current game and its dice.
    async fn game_and_dice(&self) -> (LiveGameRef, GameDice) {
        let id = self.table.id.parse().unwrap();
        let stored = self.store.load(&id).await.unwrap().unwrap();
        let saved = SavedGame {
            parameters: &stored.header.game,
            start: &stored.header.start,
            entries: &stored.entries,
            ending: stored.ending,
        };
        let live = Registry::builtin().load(&saved).unwrap();
        let table = provably_fair::RollContext {
            game: self.table.id.clone(),
            deal: live.position_at(0).digest(),
        };
        (
            live,
            GameDice::Committed(stored.header.dice.unwrap(), table),
        )
    }

    /// Whether an attack of the first player would be won now.
    fn wins(live: &LiveGameRef, dice: &GameDice, path: &Value) -> bool {
        let action = SubmittedAction::Notation(format!("{}-{}", path[0], path[1]));
        let action = live.find_action(live.entry_count(), &action).unwrap();
        let prepared = live.prepare_ply(Player::FIRST, action, dice, 0);
        let row = prepared.unwrap().row;
        let sides = row.roll.split_once('/').unwrap();
        let sum = |side: &str| -> u32 {
            side.split(' ')
                .map(|face| face.parse::<u32>().unwrap())
                .sum()
        };
        sum(sides.0) > sum(sides.1)
    }

    /// An entropy text that would turn a lost attack into a won one; tried on a copy of the game.
    async fn find_changing_text(&self, path: &Value) -> Option<EntropyText> {
        let (live, dice) = self.game_and_dice().await;
        let tries = (0..200).map(|number| format!("try {number}").parse::<EntropyText>().unwrap());
        tries.into_iter().find(|text| {
            let next = live.with_entropy(Player::FIRST, text.clone(), 0);
            next.is_ok_and(|(_, next)| Self::wins(&next, &dice, path))
        })
    }

    /// An attack that would be lost, and an entropy text that would turn it.
    async fn find_steerable_attack(&self) -> Option<(Value, EntropyText)> {
        for path in self.losing_attacks().await {
            if let Some(text) = self.find_changing_text(&path).await {
                return Some((path, text));
            }
        }
        None
    }

    async fn add(&self, player: usize, text: &str) -> reqwest::Response {
        let (token, path) = (self.table.token(player), self.table.path("/entropy"));
        let ply = number(&self.table.state().await["ply"]);
        let body = json!({"ply": ply, "entropy": text});
        self.table.api.post_as(token, &path, &body).await
    }

    /// The legal attacks of the first player that would be lost.
    async fn losing_attacks(&self) -> Vec<Value> {
        let (live, dice) = self.game_and_dice().await;
        let moves = self.table.moves().await;
        let paths = moves["moves"].as_array().unwrap().iter();
        let attacks = paths.map(|one| one["path"].clone()).filter(Value::is_array);
        let losing = attacks.filter(|path| !Self::wins(&live, &dice, path));
        losing.collect()
    }
}

async fn serve() -> (Server, Arc<dyn Store>) {
    let config = ServerConfig::default();
    let store = Arc::clone(&config.store);
    (Server::start_with(config).await, store)
}

fn new(seed: u64) -> Value {
    json!({"game": "dice", "size": 4, "players": 2, "seats": ["human", "human"], "seed": seed, "takebacks": true})
}

#[tokio::test]
async fn knowing_the_seed_does_not_help_to_choose_an_entropy_text() {
    let (server, store) = serve().await;
    let mut tried = 0;
    for seed in 0..12 {
        let table = server.api().create(new(seed)).await;
        let attacker = Attacker {
            store: &store,
            table: &table,
        };
        let refused = async |text: &str, why: &str| {
            let refused = problem(attacker.add(0, text).await, 422).await;
            let detail = refused["detail"].as_str().unwrap();
            assert!(detail.contains(why), "seed {seed}: {detail}");
        };
        let Some((path, text)) = attacker.find_steerable_attack().await else {
            continue;
        };
        // Before any other player has added a text: neither without a commitment, nor before others have committed.
        let commitment_to = |text: &str| Sha256Digest::compute(text.as_bytes()).to_string();
        refused(
            text.as_str(),
            "first commit to the text by adding its SHA-256",
        )
        .await;
        assert_eq!(
            attacker
                .add(0, &commitment_to(text.as_str()))
                .await
                .status(),
            200
        );
        refused(text.as_str(), "other players have neither committed").await;
        let ply = number(&table.state().await["ply"]);
        let early = problem(table.post(0, ply, &path).await, 409).await;
        assert_eq!(early["code"], "not-your-turn", "seed {seed}");
        // The other player commits to a text and reveals it; a commitment cannot be changed.
        let honest = "3 5 2 6, rolled by hand";
        assert_eq!(attacker.add(1, &commitment_to(honest)).await.status(), 200);
        assert_eq!(attacker.add(1, honest).await.status(), 200);
        let better = attacker
            .find_changing_text(&path)
            .await
            .filter(|better| *better != text);
        if let Some(better) = &better {
            refused(better.as_str(), "its SHA-256 differs").await;
        }
        // Nobody rolls before it is revealed or its time is over, and the player cannot decline any more.
        refused("-", "adds entropy text once").await;
        let ply = number(&table.state().await["ply"]);
        problem(table.post(0, ply, &path).await, 409).await;
        assert_eq!(attacker.add(0, text.as_str()).await.status(), 200);
        refused(honest, "adds entropy text once").await;
        // After a roll.
        let ply = number(&table.state().await["ply"]);
        table.play(0, ply, &path).await;
        refused("try 0", "before the first roll").await;
        tried += 1;
    }
    assert!(tried >= 6, "{tried}");
}

#[tokio::test]
async fn entropy_texts_are_committed_revealed_and_verified() {
    let (server, store) = serve().await;
    let mut three = new(1);
    three["players"] = json!(3);
    three["seats"] = json!(["human", "human", "human"]);
    let table = server.api().create(three).await;
    let attacker = Attacker {
        store: &store,
        table: &table,
    };
    let commitment_to = |text: &str| Sha256Digest::compute(text.as_bytes()).to_string();
    for (player, text) in [
        (0, commitment_to("чай").as_str()),
        (1, commitment_to("a cat walked here").as_str()),
        (2, "-"),
        (1, "a cat walked here"),
        (0, "чай"),
    ] {
        assert_eq!(attacker.add(player, text).await.status(), 200, "{text}");
    }
    table.play_to_the_end().await;
    let record = table.record().await;
    let games = Registry::builtin();
    let holds = verify(&games, &record.to_string());
    assert!(
        matches!(holds, Ok(VerifiedRecord::DiceVerified { rolls: 1.. })),
        "{holds:?}"
    );
    // A record in which a text was revealed before the others had committed is invalid, whatever its checksum.
    let mut late = record.clone();
    late["plies"][0]["entropy"] = json!("tea");
    let refused = verify(&games, &late.to_string()).unwrap_err().to_string();
    assert!(refused.contains("the entropy text of entry 1"), "{refused}");
}

#[tokio::test]
async fn a_takeback_does_not_change_the_roll() {
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
