//! A player that plays until the server goes away, and notes what was acknowledged.

use serde_json::{Value, json};

use super::{Table, likely, number};

/// A ply that the server has answered with 200.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Acknowledged {
    pub(crate) ply: u64,
    pub(crate) path: Value,
    pub(crate) roll: Value,
}

/// Plays for the people of a table until the server goes away, the game is over, or `note`, which is called with each
/// acknowledged ply, returns false.
pub(crate) async fn play_until_the_end(table: Table, mut note: impl FnMut(Acknowledged) -> bool) {
    let client = table.api.client.clone();
    let url = |rest: &str| format!("{}{}", table.api.url, table.path(rest));
    loop {
        let look = async |rest: &str| -> Option<Value> {
            client.get(url(rest)).send().await.ok()?.json().await.ok()
        };
        let Some(now) = look("").await else { return };
        let Some(player) = now["player"].as_u64() else {
            return;
        };
        let ply = number(&now["ply"]);
        let Some(token) = table.tokens[player as usize].as_deref() else {
            if look(&format!("?wait={}", ply + 1)).await.is_none() {
                return;
            }
            continue;
        };
        let Some(moves) = look("/moves")
            .await
            .filter(|moves| moves["moves"].is_array())
        else {
            return;
        };
        let path = likely(&moves);
        let body = json!({"ply": ply, "path": path});
        let sent = client
            .post(url("/moves"))
            .bearer_auth(token)
            .json(&body)
            .send()
            .await;
        let Ok(response) = sent else { return };
        if response.status() != 200 {
            return;
        }
        let Ok(answer) = response.json::<Value>().await else {
            return;
        };
        let roll = answer["roll"].clone();
        if !note(Acknowledged { ply, path, roll }) {
            return;
        }
    }
}

/// The plies of a record; panics if their numbers have a gap.
pub(crate) fn plies(record: &Value) -> Vec<Value> {
    let plies = record["plies"].as_array().unwrap().clone();
    for (at, ply) in plies.iter().enumerate() {
        assert_eq!(ply["ply"], at, "{record}");
    }
    plies
}

/// Whether these plies of a record include the acknowledged one.
pub(crate) fn has(plies: &[Value], acknowledged: &Acknowledged) -> bool {
    let Acknowledged { ply, path, roll } = acknowledged;
    let recorded = plies.get(*ply as usize);
    recorded.is_some_and(|recorded| (&recorded["path"], &recorded["roll"]) == (path, roll))
}
