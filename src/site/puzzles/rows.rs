//! Answers to puzzles.

use async_trait::async_trait;

use crate::secret::SecretHash;
use crate::site::shared::browser_rows::BrowserRows;
use crate::site::shared::networks::{COUNTED_PER_NETWORK, NetworkHash, lock_network_key};
use crate::store::{Change, ChangeConnection, ChangeError, Store, StoreError, params, row};

row! {
    /// The first answer of a browser to a puzzle.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct PuzzleAnswer {
        pub browser: SecretHash,
        pub puzzle: String,
        pub is_right: bool,
        /// Unix time, in milliseconds.
        pub at_ms: i64,
        /// Whether the public counts of the puzzle take it.
        pub is_counted: bool,
    }
}

row! {
    /// How often a puzzle was answered.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub struct PuzzleCount {
        pub puzzle: String,
        pub answers: u32,
        pub right: u32,
    }
}

/// What is done with the answers of browsers. A browser that has answered a puzzle keeps its own answer.
pub(in crate::site) const ROWS: BrowserRows = BrowserRows {
    copy: &[
        "INSERT INTO puzzle_answer (browser, puzzle, is_right, at_ms, network, is_counted)
            SELECT $2, puzzle, is_right, at_ms, network, is_counted FROM puzzle_answer WHERE browser = $1
        ON CONFLICT DO NOTHING",
    ],
    delete_old: &["DELETE FROM puzzle_answer WHERE at_ms < $1"],
    forget_networks: &[
        "UPDATE puzzle_answer SET network = NULL WHERE network IS NOT NULL AND at_ms < $1 * 86400000",
    ],
};

struct AddPuzzleAnswer {
    answer: PuzzleAnswer,
    network: Option<NetworkHash>,
}

#[async_trait]
impl Change for AddPuzzleAnswer {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let mut network = None;
        if let Some(NetworkHash { day, hash }) = &self.network
            && lock_network_key(connection, *day).await?
        {
            network = Some(hash);
        }
        let answer = &self.answer;
        let statement =
            "INSERT INTO puzzle_answer (browser, puzzle, is_right, at_ms, network, is_counted)
            VALUES ($1, $2, $3, $4, $5, CASE
                WHEN (SELECT count(*) FROM puzzle_answer WHERE puzzle = $2 AND network = $5) < $7
                THEN $6 ELSE 0 END)
            ON CONFLICT DO NOTHING";
        let values = params![
            &answer.browser,
            &answer.puzzle,
            answer.is_right,
            answer.at_ms,
            network,
            answer.is_counted,
            COUNTED_PER_NETWORK,
        ];
        Ok(connection.execute(statement, values).await?)
    }
}

impl dyn Store {
    /// Stores the answer unless the browser has answered this puzzle before. It is not counted if there are
    /// [`COUNTED_PER_NETWORK`] answers to the puzzle with the same network already.
    pub async fn add_puzzle_answer(
        &self,
        answer: PuzzleAnswer,
        network: Option<NetworkHash>,
    ) -> Result<(), StoreError> {
        let change = AddPuzzleAnswer { answer, network };
        self.apply(Box::new(change)).await.map(drop)
    }

    /// The answers of a browser, oldest first.
    pub async fn puzzle_answers(
        &self,
        browser: &SecretHash,
    ) -> Result<Vec<PuzzleAnswer>, StoreError> {
        let query = "SELECT * FROM puzzle_answer WHERE browser = $1 ORDER BY at_ms, puzzle";
        self.fetch(query, params![browser]).await
    }

    /// How often each puzzle was answered, by puzzle; only the answers that are counted.
    pub async fn puzzle_counts(&self) -> Result<Vec<PuzzleCount>, StoreError> {
        let query = r#"SELECT puzzle, count(*) AS answers, count(CASE WHEN is_right = 1 THEN 1 END) AS "right"
            FROM puzzle_answer WHERE is_counted = 1 GROUP BY puzzle ORDER BY puzzle"#;
        self.fetch(query, params![]).await
    }
}
