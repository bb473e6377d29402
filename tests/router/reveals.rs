//! Entropy text that a player has committed to and does not reveal: the others wait for a minute at most, and nobody
//! else is replaced meanwhile.

use std::sync::Arc;
use std::time::Duration;

use crate::game_double::GameDouble;
use dice_of_doom::game::Player;
use dice_of_doom::games::{Registry, StartPosition, SubmittedAction};
use dice_of_doom::provably_fair::{AwaitedEntropy, EntropyRejection, Sha256Digest};
use dice_of_doom::record::EntryRow;
use dice_of_doom::seats::{ComputerPace, Credentials, SeatSpec};
use dice_of_doom::secret::Secret;
use dice_of_doom::store::{self, GameId};
use dice_of_doom::tables::{
    EntryResult, Environment, GameCreator, NewGame, SeatChange, SeatChangeError, SeatClaimant,
    Service, ServiceError, ServiceSettings, Snapshot,
};
use dice_of_doom::verify::verify;
use serde_json::Value;
use tokio::time::sleep;

use crate::clock::{CLAIM_MS, START_MS, create, credentials, dice, service};

/// A new game of two people.
struct Table {
    id: GameId,
    people: [Credentials; 2],
}

impl Table {
    async fn new(service: &Service, pace: ComputerPace) -> Self {
        let [host, guest] = [Secret::random(), Secret::random()];
        let seats = vec![SeatSpec::Human, SeatSpec::Open];
        let new = NewGame {
            creator: GameCreator::Browser(host.clone()),
            pace,
            replace_after_s: Some(10),
            ..NewGame::new(dice(), StartPosition::Dealt(7), seats)
        };
        let created = create(service, new).await;
        let link = created.derive_table_token(&host).unwrap();
        let change = SeatChange::Take {
            link: link.hash(),
            by: SeatClaimant::Browser(guest.clone()),
            name: None,
        };
        let by = Credentials::default();
        service.change_seat(&created.id, by, change).await.unwrap();
        let (by, start) = (credentials(&host), SeatChange::Start);
        service.change_seat(&created.id, by, start).await.unwrap();
        Table {
            id: created.id.clone(),
            people: [credentials(&host), credentials(&guest)],
        }
    }

    async fn add(
        &self,
        service: &Service,
        player: usize,
        text: &str,
    ) -> Result<EntryResult, ServiceError> {
        let next = self.now(service).await.live.entry_count();
        self.add_at(service, player, next, text).await
    }

    async fn add_at(
        &self,
        service: &Service,
        player: usize,
        next: u32,
        text: &str,
    ) -> Result<EntryResult, ServiceError> {
        let (by, text) = (self.people[player], text.parse().unwrap());
        service.add_entropy(&self.id, by, next, text).await
    }

    async fn commit(&self, service: &Service, player: usize) {
        let commitment = Sha256Digest::compute(format!("tea {player}").as_bytes());
        let added = self.add(service, player, &commitment.to_string()).await;
        added.unwrap();
    }

    async fn reveal(&self, service: &Service, player: usize) {
        let text = format!("tea {player}");
        self.add(service, player, &text).await.unwrap();
    }

    async fn replace(
        &self,
        service: &Service,
        by: usize,
        player: usize,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let change = SeatChange::Replace {
            player: Player::new(player as u8),
            ply: self.now(service).await.live.entry_count(),
        };
        let by = self.people[by];
        service.change_seat(&self.id, by, change).await
    }

    async fn now(&self, service: &Service) -> Arc<Snapshot> {
        service.snapshot(&self.id).await.unwrap()
    }

    /// The player, the text and the time of each entry, when there are this many.
    async fn entries(&self, service: &Service, count: u32) -> Vec<(u8, String, i64)> {
        let has_all = |now: &Snapshot| now.live.entry_count() >= count;
        let longest = Duration::from_secs(200);
        let found = service.wait_for(&self.id, longest, has_all).await.unwrap();
        let entries = (0..found.live.entry_count()).map(|number| found.live.entry(number));
        let entries = entries.map(|entry| match entry {
            Some(EntryRow::Contribution(row)) => (row.player, row.text, row.at_ms - START_MS),
            other => panic!("{other:?}"),
        });
        entries.collect()
    }
}

#[track_caller]
fn refused(added: Result<EntryResult, ServiceError>, expected: EntropyRejection) {
    match added {
        Err(ServiceError::EntropyRejected { why, .. }) if why == expected => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_minute_after_a_reveal_became_due_the_server_declines_and_the_game_continues() {
    let service = service(Arc::new(GameDouble::default()));
    for pace in [ComputerPace::AtOnce, ComputerPace::OnRequest] {
        let table = Table::new(&service, pace).await;
        let began_ms = table.now(&service).await.created_ms - START_MS;
        table.commit(&service, 0).await;
        sleep(Duration::from_secs(3_000)).await;
        // No reveal is due before everybody has made a commitment.
        table.commit(&service, 1).await;
        let deadline_ms = began_ms + 3_000_000 + 60_000;
        let now = table.now(&service).await;
        let found = now.reveal_deadline();
        assert_eq!(found, Some((Player::new(0), START_MS + deadline_ms)));
        sleep(Duration::from_secs(50)).await;
        table.reveal(&service, 1).await;
        let moves: Value = serde_json::from_str(now.live.legal_moves().get()).unwrap();
        let path = &moves[0]["path"];
        let mine = SubmittedAction::Notation(format!("{}-{}", path[0], path[1]));
        let early = service
            .play(&table.id, table.people[0], 3, mine.clone())
            .await;
        assert!(
            matches!(early, Err(ServiceError::EntropyRevealDue { .. })),
            "{early:?}"
        );
        // The player cannot decline any more, which would make the others' wait shorter or longer at will.
        refused(
            table.add(&service, 0, "-").await,
            EntropyRejection::AlreadyAdded,
        );
        let entries = table.entries(&service, 4).await;
        let (player, text, at_ms) = &entries[3];
        assert_eq!((*player, text.as_str()), (0, "-"));
        assert!(
            (deadline_ms..deadline_ms + CLAIM_MS).contains(at_ms),
            "{entries:?}"
        );
        for next in [3, 4] {
            let late = table.add_at(&service, 0, next, "tea 0").await;
            refused(late, EntropyRejection::RevealedTooLate);
        }
        assert_eq!(table.now(&service).await.awaited_entropy(), None);
        service
            .play(&table.id, table.people[0], 4, mine)
            .await
            .unwrap();
        // Computers may end the game between the two.
        for by in table.people {
            let _ = service.resign(&table.id, by, None).await;
        }
        let over = table.now(&service).await;
        assert!(over.live.is_over());
        let verified = verify(&Registry::builtin(), over.record_json().get());
        assert!(verified.is_ok(), "{verified:?}");
        let verified = verify(&Registry::builtin(), &over.record_text());
        assert!(verified.is_ok(), "{verified:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_a_player_whose_text_is_awaited_can_be_replaced() {
    let service = service(Arc::new(GameDouble::default()));
    let table = Table::new(&service, ComputerPace::AtOnce).await;
    let assert_only = async |replaced: usize, other: usize| {
        sleep(Duration::from_secs(20)).await;
        let now = table.now(&service).await;
        assert_eq!(now.replaceable(i64::MAX), [Player::new(replaced as u8)]);
        let refused = table.replace(&service, replaced, other).await;
        let Err(ServiceError::SeatChangeRejected { why, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(why, SeatChangeError::NotTheirTurn);
    };
    // The first player is to move and waits for the other's commitment, and then for its reveal.
    table.commit(&service, 0).await;
    assert_only(1, 0).await;
    table.commit(&service, 1).await;
    let both = [0, 1].map(Player::new);
    let found = table.now(&service).await.awaited_entropy();
    assert_eq!(found, Some(AwaitedEntropy::Reveals(both.to_vec())));
    table.reveal(&service, 0).await;
    assert_only(1, 0).await;
    let replaced = table.replace(&service, 0, 1).await.unwrap();
    assert_eq!(replaced.awaited_entropy(), None);
    assert_eq!(replaced.awaited_players(), [Player::new(0)]);
}

/// The entry is made by a server that has started after the end of another one.
#[tokio::test]
async fn a_server_declines_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("games.db").display());
    let start = async |later_ms: i64| {
        let store = store::open(&url).await.unwrap();
        let now = Environment::default().clock;
        let environment = Environment {
            clock: Arc::new(move || now() + later_ms),
            ..Environment::default()
        };
        let settings = ServiceSettings::default();
        Service::with_environment(environment, Registry::builtin(), store, settings)
    };
    let before = start(0).await;
    let table = Table::new(&before, ComputerPace::AtOnce).await;
    table.commit(&before, 0).await;
    table.add(&before, 1, "-").await.unwrap();
    before.close().await;
    let after = start(60_000).await;
    after.resume_unfinished().await;
    let background = after.clone();
    tokio::spawn(async move { background.run_background().await });
    let entries = table.entries(&after, 3).await;
    assert_eq!((entries[2].0, entries[2].1.as_str()), (0, "-"));
    after.close().await;
}
