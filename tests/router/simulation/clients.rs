//! Simulated players: they send requests to either instance, sometimes twice, to both at once or with conflicting
//! actions, and retry without a response. Acknowledged entries are recorded for the final checks.

use std::sync::Arc;

use dice_of_doom::game::Game as _;
use dice_of_doom::games::{ActionError, LiveGame, SubmittedAction};
use dice_of_doom::provably_fair::{AwaitedEntropy, NO_ENTROPY, Sha256Digest};
use dice_of_doom::record::EntropyText;
use dice_of_doom::seats::{Credentials, RematchKind};
use dice_of_doom::store::GameId;
use dice_of_doom::tables::{EntryResult, Service, ServiceError, Snapshot};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::trilobite::Trilobite;
use tokio::time::sleep;

use super::chance::SimulationRng;
use super::watching;
use super::world::{Acknowledged, EntryKind, NoResponse, World};

/// Maximum number of attempts of a request without a response.
const MAX_ATTEMPTS: u32 = 3;

pub(crate) struct SimulatedPlayer {
    game: GameId,
    credentials: Credentials,
    rng: SimulationRng,
    home: usize,
    /// The text that the player adds to the dice.
    entropy: String,
    /// The number of entries known to the player: no read at any instance may return fewer.
    min_entries: u32,
    has_rematch: bool,
}

type Answer = Result<Result<EntryResult, ServiceError>, NoResponse>;

/// A player's action.
#[derive(Clone)]
enum PlayerAct {
    Play {
        number: u32,
        player: u8,
        action: String,
    },
    Contribute {
        number: u32,
        entropy: String,
    },
    TakeBack {
        number: u32,
    },
}

impl SimulatedPlayer {
    pub(crate) fn new(world: &World, game: &GameId, credentials: Credentials) -> Self {
        let mut rng = world.new_client_rng();
        SimulatedPlayer {
            game: game.clone(),
            credentials,
            home: rng.below(2) as usize,
            entropy: format!("tea at {}", rng.below(1_000)),
            rng,
            min_entries: 0,
            has_rematch: false,
        }
    }

    fn site(&mut self) -> usize {
        if self.rng.happens_per_mille(200) {
            1 - self.home
        } else {
            self.home
        }
    }

    pub(crate) async fn play(mut self, world: Arc<World>) {
        while !world.is_over() {
            sleep(self.rng.ms(20..200)).await;
            let site = self.site();
            let response = world
                .call(site, async |service| service.snapshot(&self.game).await)
                .await;
            let snapshot = match response {
                Ok(Ok(snapshot)) => snapshot,
                Ok(Err(error)) => {
                    self.record_error(&world, &error);
                    continue;
                }
                Err(NoResponse) => continue,
            };
            if snapshot.live.entry_count() < self.min_entries {
                world.trace.fail(&format!(
                    "at {site} {} shows {} entries after {} were acknowledged",
                    self.game,
                    snapshot.live.entry_count(),
                    self.min_entries
                ));
            }
            let own = snapshot.seats_of(&self.credentials);
            if own.is_empty() {
                // A computer has replaced this player. After a resignation the player may still have a seat in a
                // rematch that others requested.
                if self.has_rematch {
                    return;
                }
                self.follow_rematch(&world);
                continue;
            }
            if snapshot.live.is_over() {
                if !self.rematch(&world).await {
                    return;
                }
                continue;
            }
            if snapshot.is_waiting() {
                continue;
            }
            if self.rng.happens_per_mille(10) {
                self.resign(&world, site).await;
            } else if let Some(awaited) = snapshot.awaited_entropy() {
                let is_awaited = awaited.players().iter().any(|player| own.contains(player));
                if is_awaited && self.rng.happens_per_mille(300) {
                    self.answer_commitments(&world, &snapshot, &awaited, site)
                        .await;
                }
            } else if self.rng.happens_per_mille(30) {
                let entropy = match snapshot.has_others(&own) {
                    true => self.commitment(),
                    false => self.entropy.clone(),
                };
                self.contribute_entropy(&world, &snapshot, entropy, site)
                    .await;
            } else if self.rng.happens_per_mille(20) {
                let number = snapshot.live.entry_count();
                self.act(&world, PlayerAct::TakeBack { number }, site).await;
            } else if let Some(mover) = snapshot.live.mover().filter(|mover| own.contains(mover)) {
                self.move_as(&world, &snapshot, mover.number(), site).await;
            }
        }
    }

    async fn move_as(&mut self, world: &Arc<World>, snapshot: &Snapshot, player: u8, site: usize) {
        let actions = actions(&*snapshot.live);
        let number = snapshot.live.entry_count();
        let mut act = || PlayerAct::Play {
            number,
            player,
            action: self.rng.pick(&actions).clone(),
        };
        let (one, other) = (act(), act());
        match self.rng.below(10) {
            // From two tabs at both instances at once, the same action or different ones.
            0 => self.race(world, &one, &one).await,
            1 => self.race(world, &one, &other).await,
            // The same action again after the response.
            2 => {
                self.act(world, one.clone(), site).await;
                self.act(world, one, 1 - site).await;
            }
            _ => self.act(world, one, site).await,
        }
    }

    async fn race(&mut self, world: &Arc<World>, one: &PlayerAct, other: &PlayerAct) {
        let (first, second) = tokio::join!(
            world.call(0, async |service| self.send(service, one).await),
            world.call(1, async |service| self.send(service, other).await)
        );
        self.record_response(world, one, first);
        self.record_response(world, other, second);
    }

    /// Sends a request and repeats it, possibly at the other instance, until there is a response.
    async fn act(&mut self, world: &Arc<World>, act: PlayerAct, mut site: usize) {
        for _ in 0..MAX_ATTEMPTS {
            let answer = world
                .call(site, async |service| self.send(service, &act).await)
                .await;
            if self.record_response(world, &act, answer) {
                return;
            }
            sleep(self.rng.ms(10..300)).await;
            site = self.site();
        }
    }

    async fn send(&self, service: &Service, act: &PlayerAct) -> Result<EntryResult, ServiceError> {
        let (game, credentials) = (&self.game, self.credentials);
        match act {
            PlayerAct::Play { number, action, .. } => {
                let action = SubmittedAction::Notation(action.clone());
                service.play(game, credentials, *number, action).await
            }
            PlayerAct::Contribute { number, entropy } => {
                let entropy = entropy.parse::<EntropyText>().expect("visible characters");
                service
                    .add_entropy(game, credentials, *number, entropy)
                    .await
            }
            PlayerAct::TakeBack { number } => service.take_back(game, credentials, *number).await,
        }
    }

    /// Records a response; returns whether the request is done.
    fn record_response(&mut self, world: &World, act: &PlayerAct, answer: Answer) -> bool {
        match answer {
            Err(NoResponse) => false,
            Ok(Ok(played)) => {
                let what = match act {
                    PlayerAct::Play { player, action, .. } => EntryKind::Ply {
                        player: *player,
                        action: action.clone(),
                    },
                    PlayerAct::Contribute { entropy, .. } => EntryKind::Entropy(entropy.clone()),
                    PlayerAct::TakeBack { .. } => EntryKind::Takeback,
                };
                self.min_entries = self.min_entries.max(played.number + 1);
                world.acknowledge(Acknowledged {
                    game: self.game.clone(),
                    number: played.number,
                    what,
                    repeated: played.repeated,
                });
                true
            }
            Ok(Err(error)) => {
                if let ServiceError::ActionRejected {
                    why: ActionError::Rules(_) | ActionError::NoSuchAction,
                    ..
                } = error
                {
                    world.trace.fail(&format!(
                        "a legal action is rejected in {}: {error}",
                        self.game
                    ));
                }
                !self.record_error(world, &error)
            }
        }
    }

    /// Logs an error; returns whether it may be temporary.
    fn record_error(&self, world: &World, error: &ServiceError) -> bool {
        world.trace.log_output(&error.to_string());
        match error {
            ServiceError::Unavailable => {
                if world.is_recovered(world.trace.elapsed()) {
                    world.trace.fail(&format!(
                        "there are no faults, and {} is unavailable",
                        self.game
                    ));
                }
                true
            }
            ServiceError::Stale { .. } => {
                world.counts.stale.add();
                false
            }
            ServiceError::NotFound | ServiceError::Damaged => {
                world.trace.fail(&format!("{}: {error}", self.game));
                false
            }
            _ => false,
        }
    }

    async fn resign(&mut self, world: &Arc<World>, site: usize) {
        let resigned = world
            .call(site, async |service| {
                service.resign(&self.game, self.credentials, None).await
            })
            .await;
        if let Ok(Err(error)) = resigned {
            self.record_error(world, &error);
        }
    }

    async fn contribute_entropy(
        &mut self,
        world: &Arc<World>,
        snapshot: &Snapshot,
        entropy: String,
        site: usize,
    ) {
        let number = snapshot.live.entry_count();
        self.act(world, PlayerAct::Contribute { number, entropy }, site)
            .await;
    }

    /// The commitment to this player's entropy.
    fn commitment(&self) -> String {
        Sha256Digest::compute(self.entropy.as_bytes()).to_string()
    }

    /// Commits to entropy, declines or reveals.
    async fn answer_commitments(
        &mut self,
        world: &Arc<World>,
        snapshot: &Snapshot,
        awaited: &AwaitedEntropy,
        site: usize,
    ) {
        let entropy = match awaited {
            AwaitedEntropy::Commitments(_) if self.rng.happens_per_mille(500) => self.commitment(),
            AwaitedEntropy::Commitments(_) => NO_ENTROPY.to_owned(),
            AwaitedEntropy::Reveals(_) => self.entropy.clone(),
        };
        self.contribute_entropy(world, snapshot, entropy, site)
            .await;
    }

    /// Requests a rematch at both instances at once; returns whether the player continues.
    async fn rematch(&mut self, world: &Arc<World>) -> bool {
        if self.has_rematch {
            return false;
        }
        let request = async |service: &Service| {
            let kind = RematchKind::Same;
            service
                .rematch(&self.game, &self.credentials, kind, None)
                .await
        };
        let (first, second) = tokio::join!(world.call(0, request), world.call(1, request));
        let mut rematch = None;
        for answer in [first, second] {
            match answer {
                Ok(Ok(id)) => {
                    world
                        .notes()
                        .rematches
                        .push((self.game.clone(), id.clone()));
                    rematch = Some(id);
                }
                Ok(Err(error)) => drop(self.record_error(world, &error)),
                Err(NoResponse) => {}
            }
        }
        let Some(id) = rematch else {
            // The player asks again later.
            return true;
        };
        let is_new = !world.notes().watch_logs.iter().any(|log| log.game == id);
        if is_new {
            world.counts.rematches.add();
            watching::begin(world, &id);
        }
        self.continue_in(id);
        true
    }

    fn follow_rematch(&mut self, world: &World) {
        let notes = world.notes();
        let mut rematches = notes.rematches.iter();
        let rematch = rematches.find(|(of, _)| *of == self.game);
        if let Some((_, id)) = rematch {
            self.continue_in(id.clone());
        }
    }

    fn continue_in(&mut self, rematch: GameId) {
        self.has_rematch = true;
        (self.game, self.min_entries) = (rematch, 0);
    }
}

fn actions(live: &dyn LiveGame) -> Vec<String> {
    if let Some(session) = live.session::<DiceOfDoom>() {
        let actions = session.game().legal_actions(session.position());
        return actions.map(|action| action.to_string()).collect();
    }
    let session = live.session::<Trilobite>().expect("one of two games");
    let actions = session.game().legal_actions(session.position());
    actions.map(|action| action.to_string()).collect()
}
