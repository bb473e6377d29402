//! The boards of the days, the scored games that browsers have begun, and their scores.

use async_trait::async_trait;

use crate::day::Day;
use crate::provably_fair::{CommittedSeed, Salt};
use crate::rng::DiceSeed;
use crate::seats::{Seat, Seats};
use crate::secret::SecretHash;
use crate::site::shared::browser_rows::BrowserRows;
use crate::site::shared::networks::{COUNTED_PER_NETWORK, NetworkHash, lock_network_key};
use crate::store::{
    Change, ChangeConnection, ChangeError, FromRow, GameHeader, GameId, GameOrigin, RowReadError,
    SqlRow, Store, StoreError, params, row,
};

/// The secret of a day, from which its deal and its dice are derived.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DailyDeal {
    pub day: Day,
    pub secret: CommittedSeed,
    /// Unix time at which the secret was stored and its commitment became public, in milliseconds.
    pub committed_ms: i64,
}

impl FromRow for DailyDeal {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError> {
        Ok(DailyDeal {
            day: row.get("day")?,
            secret: CommittedSeed {
                seed: DiceSeed::from_bytes(row.get("seed")?),
                salt: Salt::from_bytes(row.get("salt")?),
            },
            committed_ms: row.get("committed_ms")?,
        })
    }
}

row! {
    /// The result of a browser's scored game of a day.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub struct DailyScore {
        pub day: Day,
        pub browser: SecretHash,
        pub game: GameId,
        /// The hexes at the end.
        pub hexes: u32,
        pub is_won: bool,
        /// Whether the public counts take it.
        pub is_counted: bool,
        /// Whether everybody may watch the game once its day is over.
        pub is_shown: bool,
    }
}

row! {
    /// How many of the counted games of a day ended with a score.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct DailyCount {
        pub hexes: u32,
        pub is_won: bool,
        pub games: u32,
    }
}

const FIND_ATTEMPT: &str = "SELECT game FROM daily_attempt WHERE day = $1 AND browser = $2";

/// What is done with the attempts and scores of browsers: of two games of a day the one that was begun first remains,
/// with its score. A result that is stored after the hash of its network was deleted is not counted.
pub(in crate::site) const ROWS: BrowserRows = BrowserRows {
    copy: &[
        "INSERT INTO daily_attempt (browser, day, game, begun_ms, network, is_counted)
            SELECT $2, day, game, begun_ms, network, is_counted FROM daily_attempt WHERE browser = $1
        ON CONFLICT (browser, day) DO UPDATE SET game = excluded.game, begun_ms = excluded.begun_ms,
                network = excluded.network, is_counted = excluded.is_counted
            WHERE excluded.begun_ms < daily_attempt.begun_ms",
        "DELETE FROM daily_score WHERE browser IN ($1, $2) AND EXISTS (
            SELECT 1 FROM daily_attempt AS kept
            WHERE kept.browser = $2 AND kept.day = daily_score.day AND kept.game <> daily_score.game)",
        "INSERT INTO daily_score (browser, day, game, hexes, is_won, is_counted, is_shown)
            SELECT $2, day, game, hexes, is_won, is_counted, is_shown FROM daily_score WHERE browser = $1
        ON CONFLICT DO NOTHING",
    ],
    delete_old: &[
        "DELETE FROM daily_attempt WHERE day < $1 / 86400000",
        "DELETE FROM daily_score WHERE day < $1 / 86400000",
    ],
    forget_networks: &[
        "UPDATE daily_attempt SET network = NULL, is_counted = CASE WHEN EXISTS (
                SELECT 1 FROM daily_score
                WHERE daily_score.browser = daily_attempt.browser AND daily_score.day = daily_attempt.day)
            THEN is_counted ELSE 0 END
        WHERE network IS NOT NULL AND day < $1",
    ],
};

/// The attempt of a browser with a new game. Rejected if it has one of this day.
struct AddDailyAttempt {
    browser: SecretHash,
    day: Day,
    game: GameId,
    begun_ms: i64,
    network: Option<NetworkHash>,
}

#[async_trait]
impl Change for AddDailyAttempt {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let mut network = None;
        if let Some(NetworkHash { day, hash }) = &self.network
            && lock_network_key(connection, *day).await?
        {
            network = Some(hash);
        }
        let statement = "INSERT INTO daily_attempt (browser, day, game, begun_ms, network)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
        let values = params![&self.browser, self.day, &self.game, self.begun_ms, network];
        match connection.execute(statement, values).await? {
            0 => Err(StoreError::Exists.into()),
            added => Ok(added),
        }
    }
}

struct AddDailyScore {
    score: DailyScore,
    before_ms: i64,
}

#[async_trait]
impl Change for AddDailyScore {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let score = &self.score;
        // Servers count the scores of a day one after the other.
        lock_network_key(connection, score.day).await?;
        let statement = "INSERT INTO daily_score (browser, day, game, hexes, is_won, is_counted, is_shown)
            SELECT $1, $2, $3, $4, $5, CASE
                WHEN (SELECT count(*) FROM daily_attempt AS own
                        JOIN daily_attempt AS other ON other.day = own.day AND other.network = own.network
                        JOIN daily_score AS counted
                            ON counted.browser = other.browser AND counted.day = other.day
                      WHERE own.browser = $1 AND own.day = $2 AND counted.is_counted = 1) < $8
                  AND NOT EXISTS
                    (SELECT 1 FROM daily_attempt WHERE browser = $1 AND day = $2 AND is_counted = 0)
                THEN $7 ELSE 0 END, $9
            WHERE NOT EXISTS (SELECT 1 FROM entry WHERE game = $3 AND coalesce(stored_ms, at_ms) >= $6)
            ON CONFLICT DO NOTHING";
        let values = params![
            &score.browser,
            score.day,
            &score.game,
            score.hexes,
            score.is_won,
            self.before_ms,
            score.is_counted,
            COUNTED_PER_NETWORK,
            score.is_shown,
        ];
        Ok(connection.execute(statement, values).await?)
    }
}

impl dyn Store {
    /// Creates the scored game of a day ([`GameOrigin::Daily`]), which its creator has then begun from this network.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the creator has begun a game of this day; [`StoreError::NotFound`] if the game is none of
    /// a day, or without a creator.
    pub async fn create_daily_game(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        network: Option<NetworkHash>,
    ) -> Result<(), StoreError> {
        let (Some(GameOrigin::Daily { day }), Some(browser)) = (&header.origin, header.creator)
        else {
            return Err(StoreError::NotFound);
        };
        let attempt = AddDailyAttempt {
            browser,
            day: *day,
            game: header.id.clone(),
            begun_ms: header.created_ms,
            network,
        };
        let (seats, attempt) = (Seats::new(seats), Box::new(attempt));
        self.create_together(header, seats, Vec::new(), Some(attempt))
            .await
    }

    /// Stores the secret of a day unless it has one.
    pub async fn add_daily_deal(&self, deal: DailyDeal) -> Result<(), StoreError> {
        let statement =
            "INSERT INTO daily_deal (day, seed, salt, committed_ms) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING";
        let (seed, salt) = (deal.secret.seed.as_bytes(), deal.secret.salt.as_bytes());
        let values = params![deal.day, seed, salt, deal.committed_ms];
        self.execute(statement, values).await.map(drop)
    }

    pub async fn daily_deal(&self, day: Day) -> Result<Option<DailyDeal>, StoreError> {
        let query = "SELECT * FROM daily_deal WHERE day = $1";
        self.fetch_optional(query, params![day]).await
    }

    /// The days from `since` on that have a secret, oldest first.
    pub async fn daily_days(&self, since: Day) -> Result<Vec<Day>, StoreError> {
        let query = "SELECT day FROM daily_deal WHERE day >= $1 ORDER BY day";
        self.fetch(query, params![since]).await
    }

    /// The scored game of a day ([`GameOrigin::Daily`]) that the browser has begun.
    pub async fn daily_game(
        &self,
        day: Day,
        browser: &SecretHash,
    ) -> Result<Option<GameId>, StoreError> {
        self.fetch_optional(FIND_ATTEMPT, params![day, browser])
            .await
    }

    /// The browser that has begun this scored game, whose result it is. None if its browser has begun an earlier one on
    /// that day in another browser that was joined to it, or is deleted.
    pub async fn daily_player(&self, game: &GameId) -> Result<Option<SecretHash>, StoreError> {
        let query = "SELECT browser FROM daily_attempt WHERE game = $1";
        self.fetch_optional(query, params![game]).await
    }

    /// The days from `since` on whose scored game the browser has begun, oldest first.
    pub async fn daily_attempts(
        &self,
        browser: &SecretHash,
        since: Day,
    ) -> Result<Vec<Day>, StoreError> {
        let query = "SELECT day FROM daily_attempt WHERE browser = $1 AND day >= $2 ORDER BY day";
        self.fetch(query, params![browser, since]).await
    }

    /// Stores a score unless the browser has one of this day, or an entry of the game was stored at `before_ms` or later
    /// by the store's clock: for PostgreSQL that of the database when it inserted the entry, otherwise that of the
    /// process, which is the time in the entry. It is not counted if there are [`COUNTED_PER_NETWORK`] counted scores of
    /// the day with the same network already, or if the hash of its network was deleted before.
    pub async fn add_daily_score(
        &self,
        score: DailyScore,
        before_ms: i64,
    ) -> Result<(), StoreError> {
        let change = AddDailyScore { score, before_ms };
        self.apply(Box::new(change)).await.map(drop)
    }

    /// The scores of a browser, oldest day first.
    pub async fn daily_scores(&self, browser: &SecretHash) -> Result<Vec<DailyScore>, StoreError> {
        let query = "SELECT * FROM daily_score WHERE browser = $1 ORDER BY day";
        self.fetch(query, params![browser]).await
    }

    /// The best counted score of a day: the one with the most hexes; of equal ones a won one, then one whose game is shown.
    pub async fn best_daily_score(&self, day: Day) -> Result<Option<DailyScore>, StoreError> {
        let query = "SELECT * FROM daily_score WHERE day = $1 AND is_counted = 1
            ORDER BY hexes DESC, is_won DESC, is_shown DESC, game LIMIT 1";
        self.fetch_optional(query, params![day]).await
    }

    /// Sets whether everybody may watch the scored game of a day once the day is over.
    pub async fn set_daily_game_shown(
        &self,
        day: Day,
        browser: &SecretHash,
        is_shown: bool,
    ) -> Result<(), StoreError> {
        let statement = "UPDATE daily_score SET is_shown = $3 WHERE browser = $1 AND day = $2";
        let values = params![browser, day, is_shown];
        self.execute(statement, values).await.map(drop)
    }

    /// Whether the player of this scored game shows it.
    pub async fn is_daily_game_shown(&self, day: Day, game: &GameId) -> Result<bool, StoreError> {
        let query = "SELECT game FROM daily_score WHERE day = $1 AND game = $2 AND is_shown = 1";
        let shown: Option<GameId> = self.fetch_optional(query, params![day, game]).await?;
        Ok(shown.is_some())
    }

    /// How many of the counted games of a day ended with each score, by hexes, lost before won.
    pub async fn daily_counts(&self, day: Day) -> Result<Vec<DailyCount>, StoreError> {
        let query = "SELECT hexes, is_won, count(*) AS games FROM daily_score WHERE day = $1 AND is_counted = 1
            GROUP BY hexes, is_won ORDER BY hexes, is_won";
        self.fetch(query, params![day]).await
    }
}
