//! People who play: at either site, some requests twice, at both sites at once, or against each other, and again where
//! nobody answers. What they are told must be so.

use std::sync::Arc;

use dice_of_doom::game::Game as _;
use dice_of_doom::game_adapters::{ActionError, LiveGame};
use dice_of_doom::games::dice_of_doom::DiceOfDoom;
use dice_of_doom::games::trilobite::Trilobite;
use dice_of_doom::record::EntropyText;
use dice_of_doom::seats::RematchKind;
use dice_of_doom::service::{Credentials, EntryResult, Service, ServiceError, Snapshot};
use dice_of_doom::store::GameId;
use tokio::time::sleep;

use super::chance::Chance;
use super::watching;
use super::world::{Acknowledged, Lost, What, World};

/// So often a request is sent again that nobody answers.
const AGAIN: u32 = 3;

pub(crate) struct Person {
    game: GameId,
    claim: Credentials,
    chance: Chance,
    home: usize,
    /// Whoever has played sees that everywhere: no look may show less.
    has_seen: u32,
    has_rematch: bool,
}

type Answer = Result<Result<EntryResult, ServiceError>, Lost>;

/// What a person does at the table.
#[derive(Clone)]
enum Act {
    Play {
        number: u32,
        player: u8,
        action: String,
    },
    Contribute {
        number: u32,
        words: String,
    },
    TakeBack {
        number: u32,
    },
}

impl Person {
    pub(crate) fn new(world: &World, game: &GameId, claim: Credentials) -> Self {
        let mut chance = world.newcomer();
        Person {
            game: game.clone(),
            claim,
            home: chance.below(2) as usize,
            chance,
            has_seen: 0,
            has_rematch: false,
        }
    }

    fn site(&mut self) -> usize {
        if self.chance.in_a_thousand(200) {
            1 - self.home
        } else {
            self.home
        }
    }

    pub(crate) async fn play(mut self, world: Arc<World>) {
        while !world.is_over() {
            sleep(self.chance.ms(20..200)).await;
            let site = self.site();
            let looked = world
                .at(site, async |service| service.snapshot(&self.game).await)
                .await;
            let snapshot = match looked {
                Ok(Ok(snapshot)) => snapshot,
                Ok(Err(error)) => {
                    self.is_refused(&world, &error);
                    continue;
                }
                Err(Lost) => continue,
            };
            if snapshot.live.ply() < self.has_seen {
                world.story.fault(&format!(
                    "at {site} {} shows {} entries after {} were told to be kept",
                    self.game,
                    snapshot.live.ply(),
                    self.has_seen
                ));
            }
            let own = snapshot.seats_of(&self.claim);
            if own.is_empty() {
                // A level plays on. Whoever left while the others asked for a rematch may have a seat in that.
                if self.has_rematch {
                    return;
                }
                self.goes_along(&world);
                continue;
            }
            if snapshot.live.is_over() {
                if !self.rematch(&world).await {
                    return;
                }
                continue;
            }
            if self.chance.in_a_thousand(10) {
                self.resign(&world, site).await;
            } else if self.chance.in_a_thousand(30) {
                self.add_words(&world, snapshot.live.ply(), site).await;
            } else if self.chance.in_a_thousand(20) {
                let number = snapshot.live.ply();
                self.act(&world, Act::TakeBack { number }, site).await;
            } else if let Some(mover) = snapshot.live.mover().filter(|mover| own.contains(mover)) {
                self.move_as(&world, &snapshot, mover.number(), site).await;
            }
        }
    }

    async fn move_as(&mut self, world: &Arc<World>, snapshot: &Snapshot, player: u8, site: usize) {
        let actions = actions(&*snapshot.live);
        let number = snapshot.live.ply();
        let mut act = || Act::Play {
            number,
            player,
            action: self.chance.pick(&actions).clone(),
        };
        let (one, other) = (act(), act());
        match self.chance.below(10) {
            // In two tabs at both sites at once, the same or another.
            0 => self.race(world, &one, &one).await,
            1 => self.race(world, &one, &other).await,
            // And once more when it was answered.
            2 => {
                self.act(world, one.clone(), site).await;
                self.act(world, one, 1 - site).await;
            }
            _ => self.act(world, one, site).await,
        }
    }

    async fn race(&mut self, world: &Arc<World>, one: &Act, other: &Act) {
        let (first, second) = tokio::join!(
            world.at(0, async |service| self.send(service, one).await),
            world.at(1, async |service| self.send(service, other).await)
        );
        self.heard(world, one, first);
        self.heard(world, other, second);
    }

    /// Does something, and the same again where nobody answers.
    async fn act(&mut self, world: &Arc<World>, act: Act, mut site: usize) {
        for _ in 0..AGAIN {
            let answer = world
                .at(site, async |service| self.send(service, &act).await)
                .await;
            if self.heard(world, &act, answer) {
                return;
            }
            sleep(self.chance.ms(10..300)).await;
            site = self.site();
        }
    }

    async fn send(&self, service: &Service, act: &Act) -> Result<EntryResult, ServiceError> {
        let (game, claim) = (&self.game, self.claim);
        match act {
            Act::Play { number, action, .. } => service.play(game, claim, *number, action).await,
            Act::Contribute { number, words } => {
                let words = words
                    .parse::<EntropyText>()
                    .expect("words that can be seen");
                service.add_entropy(game, claim, *number, words).await
            }
            Act::TakeBack { number } => service.take_back(game, claim, *number).await,
        }
    }

    /// Whether there was an answer.
    fn heard(&mut self, world: &World, act: &Act, answer: Answer) -> bool {
        match answer {
            Err(Lost) => false,
            Ok(Ok(played)) => {
                let what = match act {
                    Act::Play { player, action, .. } => What::Ply {
                        player: *player,
                        action: action.clone(),
                    },
                    Act::Contribute { words, .. } => What::Words(words.clone()),
                    Act::TakeBack { .. } => What::Takeback,
                };
                self.has_seen = self.has_seen.max(played.number + 1);
                world.acknowledge(Acknowledged {
                    game: self.game.clone(),
                    number: played.number,
                    what,
                    repeated: played.repeated,
                });
                true
            }
            Ok(Err(error)) => {
                if let ServiceError::Refused {
                    why: ActionError::Rules(_) | ActionError::NoSuchAction,
                    ..
                } = error
                {
                    world.story.fault(&format!(
                        "a legal action is refused in {}: {error}",
                        self.game
                    ));
                }
                !self.is_refused(world, &error)
            }
        }
    }

    /// Notes an error; whether it is one that may go away by itself.
    fn is_refused(&self, world: &World, error: &ServiceError) -> bool {
        world.story.say(&error.to_string());
        match error {
            ServiceError::Unavailable => {
                if world.is_good(world.story.time()) {
                    world.story.fault(&format!(
                        "nothing goes wrong, and {} cannot be reached",
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
                world.story.fault(&format!("{}: {error}", self.game));
                false
            }
            _ => false,
        }
    }

    async fn resign(&mut self, world: &Arc<World>, site: usize) {
        let resigned = world
            .at(site, async |service| {
                service.resign(&self.game, self.claim, None).await
            })
            .await;
        if let Ok(Err(error)) = resigned {
            self.is_refused(world, &error);
        }
    }

    async fn add_words(&mut self, world: &Arc<World>, number: u32, site: usize) {
        let words = format!("tea at {}", self.chance.below(1_000));
        self.act(world, Act::Contribute { number, words }, site)
            .await;
    }

    /// Asks for a rematch at both sites at once, as everybody at the table does; whether there is one to play.
    async fn rematch(&mut self, world: &Arc<World>) -> bool {
        if self.has_rematch {
            return false;
        }
        let ask = async |service: &Service| {
            let kind = RematchKind::Same;
            service.rematch(&self.game, &self.claim, kind, None).await
        };
        let (first, second) = tokio::join!(world.at(0, ask), world.at(1, ask));
        let mut told = None;
        for answer in [first, second] {
            match answer {
                Ok(Ok(id)) => {
                    world
                        .notes()
                        .rematches
                        .push((self.game.clone(), id.clone()));
                    told = Some(id);
                }
                Ok(Err(error)) => drop(self.is_refused(world, &error)),
                Err(Lost) => {}
            }
        }
        let Some(id) = told else {
            // Asked again after a while.
            return true;
        };
        let is_news = !world.notes().heard.iter().any(|heard| heard.game == id);
        if is_news {
            world.counts.rematches.add();
            watching::begin(world, &id);
        }
        self.sits_down_at(id);
        true
    }

    fn goes_along(&mut self, world: &World) {
        let notes = world.notes();
        let mut rematches = notes.rematches.iter();
        let rematch = rematches.find(|(of, _)| *of == self.game);
        if let Some((_, id)) = rematch {
            self.sits_down_at(id.clone());
        }
    }

    fn sits_down_at(&mut self, rematch: GameId) {
        self.has_rematch = true;
        (self.game, self.has_seen) = (rematch, 0);
    }
}

/// The legal actions, in their game's notation.
fn actions(live: &dyn LiveGame) -> Vec<String> {
    if let Some(session) = live.session::<DiceOfDoom>() {
        let actions = session.game().legal_actions(session.position());
        return actions.map(|action| action.to_string()).collect();
    }
    let session = live.session::<Trilobite>().expect("one of two games");
    let actions = session.game().legal_actions(session.position());
    actions.map(|action| action.to_string()).collect()
}
