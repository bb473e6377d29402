//! The games of a simulation: small games between players and computers, and a race for an open seat.

use std::sync::Arc;
use std::time::Duration;

use dice_of_doom::games::{ConfiguredGame, StartPosition};
use dice_of_doom::level::Level;
use dice_of_doom::seats::{Credentials, SeatSpec};
use dice_of_doom::secret::Secret;
use dice_of_doom::store::GameId;
use dice_of_doom::tables::{
    CreatedGame, GameCreator, NewGame, SeatChange, SeatClaimant, ServiceError,
};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use tokio::time::sleep;

use super::chance::SimulationRng;
use super::clients::SimulatedPlayer;
use super::watching;
use super::world::{World, spawn_player};

fn dice(players: u8) -> Arc<dyn ConfiguredGame> {
    let game = DiceOfDoom::new(Rules::V4, 3, players, 3);
    Arc::new(game.expect("a small board"))
}

fn trilobite() -> Arc<dyn ConfiguredGame> {
    Arc::new(Trilobite::new(5, 4, 4).expect("a small board"))
}

fn level(level: Level) -> SeatSpec {
    SeatSpec::Level(level.into())
}

fn new_game(game: Arc<dyn ConfiguredGame>, seed: u64, seat_specs: Vec<SeatSpec>) -> NewGame {
    NewGame::new(game, StartPosition::Dealt(seed), seat_specs)
}

/// Creates the games of the beginning; each has watchers at both sites.
pub(crate) async fn open(world: &Arc<World>) {
    let mut rng = SimulationRng::new(world.seed, 5);
    let quick = [Level::Random, Level::Book, Level::Greedy];
    let kinds = [rng.below(5), rng.below(5), 4];
    for kind in kinds {
        let (seed, own) = (rng.next(), level(*rng.pick(&quick)));
        let other = level(*rng.pick(&quick));
        let human = SeatSpec::Human;
        match kind {
            0 => open_table(world, &mut rng, new_game(dice(2), seed, vec![human, own])).await,
            1 => {
                open_table(
                    world,
                    &mut rng,
                    new_game(trilobite(), seed, vec![human, human]),
                )
                .await
            }
            2 => {
                open_table(
                    world,
                    &mut rng,
                    new_game(dice(3), seed, vec![human, own, human]),
                )
                .await
            }
            3 => race_for_a_seat(world, &mut rng, seed).await,
            _ => open_table(world, &mut rng, new_game(dice(2), seed, vec![own, other])).await,
        }
    }
}

/// Creates games after the faults have ended.
pub(crate) async fn open_late(world: &Arc<World>) {
    let mut rng = SimulationRng::new(world.seed, 6);
    let board = || Arc::new(DiceOfDoom::new(Rules::V4, 4, 3, 4).expect("a board"));
    let random = level(Level::Random);
    for seat_specs in [[random; 3], [SeatSpec::Human, random, SeatSpec::Human]] {
        let game = new_game(board(), rng.next(), seat_specs.to_vec());
        open_table(world, &mut rng, game).await;
    }
}

async fn open_table(world: &Arc<World>, rng: &mut SimulationRng, game: NewGame) {
    let created = create(world, rng, game).await;
    let id = created.snapshot.id.clone();
    watching::begin(world, &id);
    for token in created.tokens.into_iter().flatten() {
        let credentials = Credentials {
            token: Some(token.hash()),
            ..Credentials::default()
        };
        world.notes().secrets.push(token.to_text());
        spawn_player(world, SimulatedPlayer::new(world, &id, credentials));
    }
}

/// Creates a game at one of the sites; if the result is unknown, creates another one.
async fn create(world: &Arc<World>, rng: &mut SimulationRng, game: NewGame) -> CreatedGame {
    loop {
        let site = rng.below(2) as usize;
        let game = game.clone();
        match world
            .call(site, async |service| service.create(game).await)
            .await
        {
            Ok(Ok(created)) => {
                world.counts.games.add();
                world.trace.log(&format!("{} begins", created.snapshot.id));
                return created;
            }
            Ok(Err(ServiceError::Unavailable)) | Err(_) => sleep(rng.ms(50..300)).await,
            Ok(Err(error)) => panic!("a small game was rejected: {error}"),
        }
    }
}

/// A browser creates a game with an open seat, and two clients use its link at both sites at once.
async fn race_for_a_seat(world: &Arc<World>, rng: &mut SimulationRng, seed: u64) {
    let host = new_secret(world, rng);
    let game = NewGame {
        creator: GameCreator::Browser(host.clone()),
        ..new_game(trilobite(), seed, vec![SeatSpec::Human, SeatSpec::Open])
    };
    let created = create(world, rng, game).await;
    let id = created.snapshot.id.clone();
    watching::begin(world, &id);
    let link = created.snapshot.derive_table_token(&host);
    let link = link.expect("a table with a free seat has a link");
    world.notes().secrets.push(link.to_text());
    let browser = |secret: &Secret| Credentials {
        browser: Some(secret.hash()),
        ..Credentials::default()
    };
    spawn_player(world, SimulatedPlayer::new(world, &id, browser(&host)));
    let link = link.hash();
    for site in 0..2 {
        let (world, id, secret) = (Arc::clone(world), id.clone(), new_secret(world, rng));
        let rng = world.new_client_rng();
        let racer = SeatRacer {
            number: site as u64,
            id,
            link,
            credentials: browser(&secret),
            secret,
            rng,
        };
        tokio::spawn(racer.take(world, site));
    }
}

fn new_secret(world: &World, rng: &mut SimulationRng) -> Secret {
    let mut bytes = [0; 16];
    rng.fill(&mut bytes);
    let secret = Secret::from_random_bytes(bytes);
    world.notes().secrets.push(secret.to_text());
    secret
}

struct SeatRacer {
    number: u64,
    id: GameId,
    link: dice_of_doom::secret::SecretHash,
    credentials: Credentials,
    secret: Secret,
    rng: SimulationRng,
}

impl SeatRacer {
    /// Tries to take the seat until the result is known.
    async fn take(mut self, world: Arc<World>, mut site: usize) {
        while !world.is_over() {
            let change = SeatChange::Take {
                link: self.link,
                by: SeatClaimant::Browser(self.secret.clone()),
                name: None,
            };
            let response = world
                .call(site, async |service| {
                    service
                        .change_seat(&self.id, self.credentials, change)
                        .await
                })
                .await;
            match response {
                Ok(Ok(_)) => {
                    let (id, number) = (self.id.clone(), self.number);
                    world.trace.log(&format!("{number} has the seat of {id}"));
                    world.counts.seats_taken.add();
                    world.notes().seated.push((id, number));
                    spawn_player(
                        &world,
                        SimulatedPlayer::new(&world, &self.id, self.credentials),
                    );
                    return;
                }
                Ok(Err(ServiceError::SeatChangeRejected { .. })) => return,
                Ok(Err(_)) | Err(_) => {}
            }
            site = self.rng.below(2) as usize;
            sleep(Duration::from_millis(self.rng.below(200))).await;
        }
    }
}
