//! Who may sit where: links, and every change of a seat, decided on a snapshot.
//!
//! A link's token is derived from the secret of the browser it is shown to (see
//! [`Secret::derive`]): the host's for an invitation, the sitter's own for the link to come back.
//! Only its hash is kept, and the nonce that makes the next one different. Everything here is a
//! function of a snapshot and the time; the table and the archive ensure that a change happens once.

use thiserror::Error;

use crate::game::Player;
use crate::level::Level;
use crate::seats::{
    DerivedLink, Invitation, Keys, OtherLevels, PersonKeys, ProgramKeys, RematchKind, Seat,
    SeatLevel, Sitter,
};
use crate::secret::{Nonce, Secret, SecretHash};
use crate::store::GameId;

use super::display_name::Name;
use super::environment::Machine;
use super::{Claim, Snapshot};

/// The two links of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// The link that takes an open seat.
    Invitation,
    /// The link that brings a sitter back to the own seat on another device.
    Return,
}

impl Link {
    /// The token of this link of a seat, for the browser whose secret this is.
    fn token(self, secret: &Secret, id: &GameId, player: Player, nonce: Nonce) -> Secret {
        let word: &[u8] = match self {
            Link::Invitation => b"invite",
            Link::Return => b"return",
        };
        let player = [player.number()];
        secret.derive(&[word, id.as_str().as_bytes(), &player, nonce.as_bytes()])
    }

    /// A new link of this kind; where it is kept, the one before opens nothing any more.
    pub(super) fn derived(
        self,
        secret: &Secret,
        id: &GameId,
        player: Player,
        machine: &Machine,
    ) -> DerivedLink {
        let nonce = machine.nonce();
        let token = self.token(secret, id, player, nonce).hash();
        DerivedLink { token, nonce }
    }
}

/// Whether a kept hash is there and is the one shown.
pub(super) fn opens(own: Option<&SecretHash>, shown: Option<&SecretHash>) -> bool {
    match (own, shown) {
        (Some(own), Some(shown)) => own.matches(shown),
        _ => false,
    }
}

/// Who takes a seat.
#[derive(Clone, Debug)]
pub enum Taker {
    /// The browser with this secret.
    Browser(Secret),
    /// A program, which will show the token with this hash.
    Program(SecretHash),
}

/// A change of a seat that somebody asks for.
#[derive(Clone, Debug)]
pub enum SeatChange {
    /// Somebody sits down with a link, in an open seat or in their own one on another device.
    Take {
        /// The token in the link.
        link: SecretHash,
        /// The browser or program that takes the seat.
        by: Taker,
        /// The name they want, if any.
        name: Option<Name>,
    },
    /// A seat gets a new link; the previous one opens nothing any more.
    Renew {
        /// Whose seat.
        player: Player,
        /// The secret of the browser that asks.
        secret: Secret,
    },
    /// A level takes an open seat.
    Level {
        /// Whose seat.
        player: Player,
        /// The level that sits down.
        level: Level,
    },
    /// The sitter changes the name.
    Name {
        /// Whose seat.
        player: Player,
        /// The new name; without one the colour is shown.
        name: Option<Name>,
    },
    /// The program that is asked to take a seat will not; the seat stays open.
    Decline,
    /// A browser that has a new secret takes its seats along; their links are new, too.
    Rekey {
        /// The secret that opens them from now on.
        secret: Secret,
    },
    /// A computer plays for somebody who has not moved for too long.
    Replace {
        /// Whose seat.
        player: Player,
        /// The ply that everybody waits for.
        ply: u32,
    },
}

/// Why a seat stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SeatRefusal {
    /// The game has no such seat.
    #[error("there is no such seat")]
    NoSuchSeat,
    /// The link opens nothing: it was used or withdrawn, or never was one.
    #[error("this link opens no seat")]
    NoSuchLink,
    /// The seat belongs to another browser, or the game has another host.
    #[error("this seat is not yours to change")]
    NotYours,
    /// Somebody has taken the seat in the meantime.
    #[error("somebody sits there already")]
    Taken,
    /// In this game nobody is replaced.
    #[error("at this table nobody is replaced")]
    Never,
    /// It is not this seat's turn, or no person sits in it.
    #[error("nobody waits for that seat")]
    NotAwaited,
    /// The others have not waited long enough.
    #[error("a computer can play for them in {wait_s} seconds")]
    TooEarly {
        /// The seconds until a computer can be asked for.
        wait_s: u32,
    },
    /// There is no rematch of a game that goes on.
    #[error("the game goes on")]
    GoesOn,
    /// No computer at the table can be made weaker, or stronger.
    #[error("there is no such level")]
    NoSuchLevel,
}

/// What happens when somebody gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// The game is over, because it was the last person.
    Ends,
    /// A level plays on in the seat.
    LeavesToLevel,
}

/// The level that plays on for somebody who left.
pub(super) const SUBSTITUTE: Level = Level::Book;

impl Snapshot {
    /// Whether whoever asks may see the game: everybody sees a public one; a private one is seen by
    /// the browser that made it and by whoever sits or sat in it.
    #[must_use]
    pub fn may_watch(&self, claim: &Claim) -> bool {
        let theirs = |seat: &Seat| claim.opens(seat.sitter.keys());
        let is_asked = self.seat_asked_of(claim.token.as_ref()).is_some();
        !self.private || is_asked || self.is_host(claim) || self.seats.seats.iter().any(theirs)
    }

    /// The seat that the program with this token is asked to take.
    #[must_use]
    pub fn seat_asked_of(&self, token: Option<&SecretHash>) -> Option<Player> {
        let mut seats = self.all_seats();
        let asked = seats.find(|(_, seat)| match &seat.sitter {
            Sitter::Open {
                invitation: Some(Invitation::Program { token: asked, .. }),
            } => !self.live.is_over() && opens(Some(asked), token),
            _ => false,
        });
        asked.map(|(player, _)| player)
    }

    /// Whether this is the token of somebody who sits at the table, or sat there before a level did.
    #[must_use]
    pub fn is_token_of_a_seat(&self, token: &SecretHash) -> bool {
        let mut keys = self.all_seats().filter_map(|(_, seat)| seat.sitter.keys());
        keys.any(|keys| opens(keys.token(), Some(token)))
            || self.seat_asked_of(Some(token)).is_some()
    }

    /// Whether the claim is that of the browser that made the game.
    #[must_use]
    pub fn is_host(&self, claim: &Claim) -> bool {
        !self.is_uploaded() && claim.is_of_browser(self.creator.as_ref())
    }

    /// The link of a seat for the browser with this secret, if it is the one to have it: the
    /// invitation for the host, the link to come back for its sitter.
    #[must_use]
    pub fn link(&self, secret: &Secret, player: Player) -> Option<Secret> {
        let seat = self.seat(player)?;
        let (link, kept) = match &seat.sitter {
            Sitter::Open {
                invitation: Some(Invitation::Derived(kept)),
            } => (Link::Invitation, kept),
            Sitter::Person { keys, .. } => (Link::Return, keys.back.as_ref()?),
            Sitter::Open { .. } | Sitter::Program { .. } | Sitter::Level { .. } => return None,
        };
        let token = link.token(secret, &self.id, player, kept.nonce);
        // Whose it is needs no other proof than that it comes out the same.
        kept.token.matches(&token.hash()).then_some(token)
    }

    /// Whether a program moves in this seat, so that no other link can be made for it.
    #[must_use]
    pub fn is_program(&self, player: Player) -> bool {
        self.seat(player)
            .is_some_and(|seat| matches!(seat.sitter, Sitter::Program { .. }))
    }

    /// The seat that this link opens now: an open one, or a person's own.
    #[must_use]
    pub fn seat_of_link(&self, link: &SecretHash) -> Option<(Player, Link)> {
        let used = link.of_return();
        self.all_seats().find_map(|(player, seat)| {
            let (kept, kind) = match &seat.sitter {
                Sitter::Open { invitation } => {
                    let invitation = invitation.as_ref();
                    let invitation = invitation.filter(|_| !self.live.is_over())?;
                    (*invitation.token(), Link::Invitation)
                }
                Sitter::Person { keys, .. } if opens(keys.joined.as_ref(), Some(&used)) => {
                    return Some((player, Link::Return));
                }
                Sitter::Person { keys, .. } => (keys.back?.token, Link::Return),
                Sitter::Program { keys, .. } => (keys.token, Link::Return),
                Sitter::Level { .. } => return None,
            };
            kept.matches(link).then_some((player, kind))
        })
    }

    /// Whether this browser took a seat with this link.
    #[must_use]
    pub fn took_with(&self, link: &SecretHash, claim: &Claim) -> bool {
        let used = link.of_return();
        let is_known =
            |kept: Option<&SecretHash>| opens(kept, Some(link)) | opens(kept, Some(&used));
        let took = |keys: Keys| {
            claim.is_of_browser(keys.browser())
                && (is_known(keys.joined()) | is_known(keys.token()))
        };
        self.all_seats()
            .any(|(_, seat)| seat.sitter.keys().is_some_and(took))
    }

    /// Which player would give up if this claim resigned now, and what would happen.
    #[must_use]
    pub fn leaving(&self, claim: &Claim) -> Option<(Player, Leaving)> {
        let mover = self.live.mover()?;
        let seats = self.seats_of(claim);
        let player = if seats.contains(&mover) {
            mover
        } else {
            *seats.first()?
        };
        let people = self.all_seats();
        let people = people.filter(|(_, seat)| seat.sitter.is_human());
        Some(match people.count() {
            1 => (player, Leaving::Ends),
            _ => (player, Leaving::LeavesToLevel),
        })
    }

    /// The player whom a computer may replace now, because the others have waited long enough.
    #[must_use]
    pub fn replaceable(&self, now_ms: i64) -> Option<Player> {
        let player = self.live.mover()?;
        self.replacement(player, now_ms).ok().map(|()| player)
    }

    /// Since when the table waits for the player to move, in milliseconds since 1970.
    fn waits_since_ms(&self, seat: &Seat) -> i64 {
        let moved = self.live.last_ms().unwrap_or(self.created_ms);
        // Somebody who sat down after the last ply has had only the time since then.
        seat.since_ms.map_or(moved, |since| moved.max(since))
    }

    fn replacement(&self, player: Player, now_ms: i64) -> Result<(), SeatRefusal> {
        let seat = self.seat(player).ok_or(SeatRefusal::NoSuchSeat)?;
        let after_s = self.replace_after_s.ok_or(SeatRefusal::Never)?;
        if self.live.mover() != Some(player) || !seat.sitter.is_human() {
            return Err(SeatRefusal::NotAwaited);
        }
        let due_ms = self
            .waits_since_ms(seat)
            .saturating_add(i64::from(after_s).saturating_mul(1000));
        if now_ms >= due_ms {
            return Ok(());
        }
        let wait_s = due_ms.saturating_sub(now_ms).saturating_add(999) / 1000;
        Err(SeatRefusal::TooEarly {
            wait_s: u32::try_from(wait_s).unwrap_or(u32::MAX),
        })
    }

    /// The seats after a change, or `None` where the change was made before.
    pub(super) fn changed(
        &self,
        claim: &Claim,
        change: &SeatChange,
        machine: &Machine,
    ) -> Result<Option<Vec<Seat>>, SeatRefusal> {
        let now_ms = machine.now_ms();
        let mut seats = self.seats.seats.clone();
        let player = match change {
            SeatChange::Take { link, by, .. } => match self.seat_of_link(link) {
                Some((player, _)) => player,
                // The same button pressed twice.
                None if matches!(by, Taker::Browser(secret) if self.took_with(link, &claim.with(secret))) =>
                {
                    return Ok(None);
                }
                None => return Err(SeatRefusal::NoSuchLink),
            },
            SeatChange::Decline => {
                let asked = self.seat_asked_of(claim.token.as_ref());
                asked.ok_or(SeatRefusal::NotYours)?
            }
            SeatChange::Renew { player, .. }
            | SeatChange::Level { player, .. }
            | SeatChange::Name { player, .. }
            | SeatChange::Replace { player, .. } => *player,
            SeatChange::Rekey { secret } => {
                for (player, seat) in Player::all(self.live.players()).zip(&mut seats) {
                    self.rekey(seat, player, (claim, secret), machine);
                }
                return Ok((seats != self.seats.seats).then_some(seats));
            }
        };
        let seat = seats
            .get_mut(usize::from(player.number()))
            .ok_or(SeatRefusal::NoSuchSeat)?;
        match change {
            SeatChange::Take { link, by, name } => {
                self.take(seat, player, (*link, by, name.as_ref()), machine)?;
            }
            SeatChange::Renew { secret, .. } => {
                self.renew(seat, player, (claim, secret), machine)?
            }
            SeatChange::Decline => seat.sitter = Sitter::Open { invitation: None },
            // It is of no single seat, and was done above.
            SeatChange::Rekey { .. } => {}
            SeatChange::Level { level, .. } => {
                if !self.is_host(claim) {
                    return Err(SeatRefusal::NotYours);
                }
                match &seat.sitter {
                    Sitter::Open { .. } => {}
                    Sitter::Level { level: now, .. }
                        if *now == SeatLevel::Known((*level).into()) =>
                    {
                        return Ok(None);
                    }
                    _ => return Err(SeatRefusal::Taken),
                }
                *seat = Seat {
                    sitter: Sitter::level(*level),
                    since_ms: Some(now_ms),
                };
            }
            SeatChange::Name { name, .. } => {
                let shown = match &mut seat.sitter {
                    Sitter::Person { name, .. } | Sitter::Program { name, .. }
                        if self.seats_of(claim).contains(&player) =>
                    {
                        name
                    }
                    _ => return Err(SeatRefusal::NotYours),
                };
                *shown = name.as_ref().map(|name| name.as_str().to_owned());
            }
            SeatChange::Replace { .. } => {
                if !self.seats_of(claim).iter().any(|own| *own != player) {
                    return Err(SeatRefusal::NotYours);
                }
                self.replacement(player, now_ms)?;
                leave(seat, now_ms);
            }
        }
        Ok((seats != self.seats.seats).then_some(seats))
    }

    fn take(
        &self,
        seat: &mut Seat,
        player: Player,
        (link, by, name): (SecretHash, &Taker, Option<&Name>),
        machine: &Machine,
    ) -> Result<(), SeatRefusal> {
        let asked = name.map(|name| name.as_str().to_owned());
        let back = |secret| Some(Link::Return.derived(secret, &self.id, player, machine));
        // An invitation that was used now opens nothing but leads its user to the game.
        let joined = Some(link);
        match (&mut seat.sitter, by) {
            (sitter @ Sitter::Open { .. }, by) => {
                let asked = asked.or_else(|| sitter.name().map(str::to_owned));
                let sitter = match by {
                    Taker::Browser(secret) => Sitter::Person {
                        keys: PersonKeys {
                            browser: secret.hash(),
                            back: back(secret),
                            joined,
                        },
                        name: asked,
                    },
                    Taker::Program(token) => Sitter::Program {
                        keys: ProgramKeys {
                            token: *token,
                            browser: None,
                            joined,
                        },
                        name: asked,
                    },
                };
                *seat = Seat {
                    sitter,
                    since_ms: Some(machine.now_ms()),
                };
            }
            (Sitter::Person { keys, name }, Taker::Browser(secret)) => {
                *keys = PersonKeys {
                    browser: secret.hash(),
                    back: back(secret),
                    // A browser that forgets its cookies comes back with this link again and again.
                    joined: Some(link.of_return()),
                };
                *name = asked.or_else(|| name.take());
            }
            (Sitter::Program { keys, name }, Taker::Browser(secret)) => {
                // Another token would lock the program out.
                keys.browser = Some(secret.hash());
                *name = asked.or_else(|| name.take());
            }
            (Sitter::Program { keys, name }, Taker::Program(token)) if keys.token == *token => {
                *name = asked.or_else(|| name.take());
            }
            // A program that has the token of a seat shows it; it needs no link.
            (Sitter::Person { .. } | Sitter::Program { .. }, Taker::Program(_))
            | (Sitter::Level { .. }, _) => return Err(SeatRefusal::NoSuchLink),
        }
        Ok(())
    }

    /// Gives a seat of this claim's browser to another secret. What the old one can derive opens it no more.
    fn rekey(
        &self,
        seat: &mut Seat,
        player: Player,
        (claim, secret): (&Claim, &Secret),
        machine: &Machine,
    ) {
        match &mut seat.sitter {
            Sitter::Person { keys, .. } if claim.is_of_browser(Some(&keys.browser)) => {
                *keys = PersonKeys {
                    browser: secret.hash(),
                    back: Some(Link::Return.derived(secret, &self.id, player, machine)),
                    joined: None,
                };
            }
            Sitter::Program { keys, .. } if claim.is_of_browser(keys.browser.as_ref()) => {
                keys.browser = Some(secret.hash());
            }
            _ => {}
        }
    }

    fn renew(
        &self,
        seat: &mut Seat,
        player: Player,
        (claim, secret): (&Claim, &Secret),
        machine: &Machine,
    ) -> Result<(), SeatRefusal> {
        match &mut seat.sitter {
            Sitter::Open { invitation } if self.is_host(claim) => {
                let link = Link::Invitation.derived(secret, &self.id, player, machine);
                *invitation = Some(Invitation::Derived(link));
            }
            Sitter::Person { keys, .. } if claim.is_of_browser(Some(&keys.browser)) => {
                keys.back = Some(Link::Return.derived(secret, &self.id, player, machine));
                keys.joined = None;
            }
            // The host saw an open seat that has just been taken.
            Sitter::Person {
                keys: PersonKeys { joined, .. },
                ..
            }
            | Sitter::Program {
                keys: ProgramKeys { joined, .. },
                ..
            } if joined.is_some() && self.is_host(claim) => return Err(SeatRefusal::Taken),
            _ => return Err(SeatRefusal::NotYours),
        }
        Ok(())
    }

    fn all_seats(&self) -> impl Iterator<Item = (Player, &Seat)> {
        Player::all(self.live.players()).zip(&self.seats.seats)
    }

    /// The computers of an easier or harder rematch, where there can be one.
    #[must_use]
    pub fn other_levels(&self, kind: RematchKind) -> Option<OtherLevels> {
        OtherLevels::of(self.seats.seats.iter().map(|seat| &seat.sitter), kind)
    }

    /// Whether a finished game can have such a rematch.
    #[must_use]
    pub fn offers(&self, kind: RematchKind) -> bool {
        match kind {
            RematchKind::New | RematchKind::Same => true,
            RematchKind::Easier | RematchKind::Harder => self.other_levels(kind).is_some(),
        }
    }

    /// The seats of a rematch: the same people and levels, or other levels; where the start is
    /// the same, everybody moves on by one seat.
    pub(super) fn rematch_seats(
        &self,
        id: &GameId,
        kind: RematchKind,
        asker: Option<&Secret>,
        machine: &Machine,
    ) -> Vec<Seat> {
        let now_ms = machine.now_ms();
        let others = self.other_levels(kind).map(|others| others.levels);
        let mut others = others.unwrap_or_default().into_iter();
        let seats = self.seats.seats.iter();
        let mut seats: Vec<Seat> = seats.map(|seat| again(seat, &mut others, now_ms)).collect();
        if kind == RematchKind::Same && !seats.is_empty() {
            seats.rotate_right(1);
        }
        let Some(secret) = asker else { return seats };
        let browser = secret.hash();
        let host = opens(self.creator.as_ref(), Some(&browser));
        for (player, seat) in Player::all(self.live.players()).zip(&mut seats) {
            match &mut seat.sitter {
                Sitter::Open { invitation } if host => {
                    let link = Link::Invitation.derived(secret, id, player, machine);
                    *invitation = Some(Invitation::Derived(link));
                }
                Sitter::Person { keys, .. } if keys.browser.matches(&browser) => {
                    keys.back = Some(Link::Return.derived(secret, id, player, machine));
                }
                _ => {}
            }
        }
        seats
    }
}

/// A seat at the beginning of a rematch. A link is valid for one game, so a person asks for a new one; a
/// program keeps its token. Where there are other levels, each computer plays the next of them.
fn again(seat: &Seat, others: &mut impl Iterator<Item = Level>, now_ms: i64) -> Seat {
    let sitter = match &seat.sitter {
        Sitter::Open { .. } => Sitter::Open { invitation: None },
        Sitter::Person { keys, name } => Sitter::Person {
            keys: PersonKeys {
                browser: keys.browser,
                back: None,
                joined: None,
            },
            name: name.clone(),
        },
        Sitter::Program { keys, name } => Sitter::Program {
            keys: ProgramKeys {
                joined: None,
                ..*keys
            },
            name: name.clone(),
        },
        Sitter::Level { level, .. } => Sitter::Level {
            level: match others.next() {
                Some(other) if other != level.plays().level => SeatLevel::Known(other.into()),
                _ => level.clone(),
            },
            left: None,
        },
    };
    Seat {
        sitter,
        since_ms: Some(now_ms),
    }
}

/// Puts a level where somebody sat. Their keys stay noted, so that they may watch to the end; their
/// name does not: it is not they who play.
pub(super) fn leave(seat: &mut Seat, now_ms: i64) {
    *seat = Seat {
        sitter: Sitter::Level {
            level: SeatLevel::Known(SUBSTITUTE.into()),
            left: seat.sitter.keys(),
        },
        since_ms: Some(now_ms),
    };
}
