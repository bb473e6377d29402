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
    DerivedToken, Invitation, PersonCredentials, ProgramCredentials, RematchKind, RematchLevels,
    Seat, SeatCredentials, SeatLevel, SeatOccupant,
};
use crate::secret::{Nonce, Secret, SecretHash};
use crate::store::GameId;

use super::display_name::DisplayName;
use super::environment::Environment;
use super::{Credentials, Snapshot};

/// The two links of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatLinkKind {
    /// The link that takes an open seat.
    Invitation,
    /// The link that brings a sitter back to the own seat on another device.
    Return,
}

impl SeatLinkKind {
    /// The token of this link of a seat, for the browser whose secret this is.
    fn token(self, secret: &Secret, id: &GameId, player: Player, nonce: Nonce) -> Secret {
        let word: &[u8] = match self {
            SeatLinkKind::Invitation => b"invite",
            SeatLinkKind::Return => b"return",
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
        machine: &Environment,
    ) -> DerivedToken {
        let nonce = machine.nonce();
        let token = self.token(secret, id, player, nonce).hash();
        DerivedToken { token, nonce }
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
pub enum SeatClaimant {
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
        by: SeatClaimant,
        /// The name they want, if any.
        name: Option<DisplayName>,
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
        name: Option<DisplayName>,
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
pub enum SeatChangeError {
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
pub enum ResignationEffect {
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
    pub fn may_watch(&self, claim: &Credentials) -> bool {
        let theirs = |seat: &Seat| claim.opens(seat.sitter.keys());
        let is_asked = self.seat_asked_of(claim.token.as_ref()).is_some();
        !self.private || is_asked || self.is_host(claim) || self.seats.seats.iter().any(theirs)
    }

    /// The seat that the program with this token is asked to take.
    #[must_use]
    pub fn seat_asked_of(&self, token: Option<&SecretHash>) -> Option<Player> {
        let mut seats = self.all_seats();
        let asked = seats.find(|(_, seat)| match &seat.sitter {
            SeatOccupant::Open {
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
    pub fn is_host(&self, claim: &Credentials) -> bool {
        !self.is_uploaded() && claim.is_of_browser(self.creator.as_ref())
    }

    /// The link of a seat for the browser with this secret, if it is the one to have it: the
    /// invitation for the host, the link to come back for its sitter.
    #[must_use]
    pub fn link(&self, secret: &Secret, player: Player) -> Option<Secret> {
        let seat = self.seat(player)?;
        let (link, kept) = match &seat.sitter {
            SeatOccupant::Open {
                invitation: Some(Invitation::Derived(kept)),
            } => (SeatLinkKind::Invitation, kept),
            SeatOccupant::Person { keys, .. } => (SeatLinkKind::Return, keys.back.as_ref()?),
            SeatOccupant::Open { .. }
            | SeatOccupant::Program { .. }
            | SeatOccupant::Level { .. } => return None,
        };
        let token = link.token(secret, &self.id, player, kept.nonce);
        // Whose it is needs no other proof than that it comes out the same.
        kept.token.matches(&token.hash()).then_some(token)
    }

    /// Whether a program moves in this seat, so that no other link can be made for it.
    #[must_use]
    pub fn is_program(&self, player: Player) -> bool {
        self.seat(player)
            .is_some_and(|seat| matches!(seat.sitter, SeatOccupant::Program { .. }))
    }

    /// The seat that this link opens now: an open one, or a person's own.
    #[must_use]
    pub fn seat_of_link(&self, link: &SecretHash) -> Option<(Player, SeatLinkKind)> {
        let used = link.of_return();
        self.all_seats().find_map(|(player, seat)| {
            let (kept, kind) = match &seat.sitter {
                SeatOccupant::Open { invitation } => {
                    let invitation = invitation.as_ref();
                    let invitation = invitation.filter(|_| !self.live.is_over())?;
                    (*invitation.token(), SeatLinkKind::Invitation)
                }
                SeatOccupant::Person { keys, .. } if opens(keys.joined.as_ref(), Some(&used)) => {
                    return Some((player, SeatLinkKind::Return));
                }
                SeatOccupant::Person { keys, .. } => (keys.back?.token, SeatLinkKind::Return),
                SeatOccupant::Program { keys, .. } => (keys.token, SeatLinkKind::Return),
                SeatOccupant::Level { .. } => return None,
            };
            kept.matches(link).then_some((player, kind))
        })
    }

    /// Whether this browser took a seat with this link.
    #[must_use]
    pub fn took_with(&self, link: &SecretHash, claim: &Credentials) -> bool {
        let used = link.of_return();
        let is_known =
            |kept: Option<&SecretHash>| opens(kept, Some(link)) | opens(kept, Some(&used));
        let took = |keys: SeatCredentials| {
            claim.is_of_browser(keys.browser())
                && (is_known(keys.joined()) | is_known(keys.token()))
        };
        self.all_seats()
            .any(|(_, seat)| seat.sitter.keys().is_some_and(took))
    }

    /// Which player would give up if this claim resigned now, and what would happen.
    #[must_use]
    pub fn leaving(&self, claim: &Credentials) -> Option<(Player, ResignationEffect)> {
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
            1 => (player, ResignationEffect::Ends),
            _ => (player, ResignationEffect::LeavesToLevel),
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

    fn replacement(&self, player: Player, now_ms: i64) -> Result<(), SeatChangeError> {
        let seat = self.seat(player).ok_or(SeatChangeError::NoSuchSeat)?;
        let after_s = self.replace_after_s.ok_or(SeatChangeError::Never)?;
        if self.live.mover() != Some(player) || !seat.sitter.is_human() {
            return Err(SeatChangeError::NotAwaited);
        }
        let due_ms = self
            .waits_since_ms(seat)
            .saturating_add(i64::from(after_s).saturating_mul(1000));
        if now_ms >= due_ms {
            return Ok(());
        }
        let wait_s = due_ms.saturating_sub(now_ms).saturating_add(999) / 1000;
        Err(SeatChangeError::TooEarly {
            wait_s: u32::try_from(wait_s).unwrap_or(u32::MAX),
        })
    }

    /// The seats after a change, or `None` where the change was made before.
    pub(super) fn changed(
        &self,
        claim: &Credentials,
        change: &SeatChange,
        machine: &Environment,
    ) -> Result<Option<Vec<Seat>>, SeatChangeError> {
        let now_ms = machine.now_ms();
        let mut seats = self.seats.seats.clone();
        let player = match change {
            SeatChange::Take { link, by, .. } => match self.seat_of_link(link) {
                Some((player, _)) => player,
                // The same button pressed twice.
                None if matches!(by, SeatClaimant::Browser(secret) if self.took_with(link, &claim.with(secret))) =>
                {
                    return Ok(None);
                }
                None => return Err(SeatChangeError::NoSuchLink),
            },
            SeatChange::Decline => {
                let asked = self.seat_asked_of(claim.token.as_ref());
                asked.ok_or(SeatChangeError::NotYours)?
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
            .ok_or(SeatChangeError::NoSuchSeat)?;
        match change {
            SeatChange::Take { link, by, name } => {
                self.take(seat, player, (*link, by, name.as_ref()), machine)?;
            }
            SeatChange::Renew { secret, .. } => {
                self.renew(seat, player, (claim, secret), machine)?
            }
            SeatChange::Decline => seat.sitter = SeatOccupant::Open { invitation: None },
            // It is of no single seat, and was done above.
            SeatChange::Rekey { .. } => {}
            SeatChange::Level { level, .. } => {
                if !self.is_host(claim) {
                    return Err(SeatChangeError::NotYours);
                }
                match &seat.sitter {
                    SeatOccupant::Open { .. } => {}
                    SeatOccupant::Level { level: now, .. }
                        if *now == SeatLevel::Known((*level).into()) =>
                    {
                        return Ok(None);
                    }
                    _ => return Err(SeatChangeError::Taken),
                }
                *seat = Seat {
                    sitter: SeatOccupant::level(*level),
                    since_ms: Some(now_ms),
                };
            }
            SeatChange::Name { name, .. } => {
                let shown = match &mut seat.sitter {
                    SeatOccupant::Person { name, .. } | SeatOccupant::Program { name, .. }
                        if self.seats_of(claim).contains(&player) =>
                    {
                        name
                    }
                    _ => return Err(SeatChangeError::NotYours),
                };
                *shown = name.as_ref().map(|name| name.as_str().to_owned());
            }
            SeatChange::Replace { .. } => {
                if !self.seats_of(claim).iter().any(|own| *own != player) {
                    return Err(SeatChangeError::NotYours);
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
        (link, by, name): (SecretHash, &SeatClaimant, Option<&DisplayName>),
        machine: &Environment,
    ) -> Result<(), SeatChangeError> {
        let asked = name.map(|name| name.as_str().to_owned());
        let back = |secret| Some(SeatLinkKind::Return.derived(secret, &self.id, player, machine));
        // An invitation that was used now opens nothing but leads its user to the game.
        let joined = Some(link);
        match (&mut seat.sitter, by) {
            (sitter @ SeatOccupant::Open { .. }, by) => {
                let asked = asked.or_else(|| sitter.name().map(str::to_owned));
                let sitter = match by {
                    SeatClaimant::Browser(secret) => SeatOccupant::Person {
                        keys: PersonCredentials {
                            browser: secret.hash(),
                            back: back(secret),
                            joined,
                        },
                        name: asked,
                    },
                    SeatClaimant::Program(token) => SeatOccupant::Program {
                        keys: ProgramCredentials {
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
            (SeatOccupant::Person { keys, name }, SeatClaimant::Browser(secret)) => {
                *keys = PersonCredentials {
                    browser: secret.hash(),
                    back: back(secret),
                    // A browser that forgets its cookies comes back with this link again and again.
                    joined: Some(link.of_return()),
                };
                *name = asked.or_else(|| name.take());
            }
            (SeatOccupant::Program { keys, name }, SeatClaimant::Browser(secret)) => {
                // Another token would lock the program out.
                keys.browser = Some(secret.hash());
                *name = asked.or_else(|| name.take());
            }
            (SeatOccupant::Program { keys, name }, SeatClaimant::Program(token))
                if keys.token == *token =>
            {
                *name = asked.or_else(|| name.take());
            }
            // A program that has the token of a seat shows it; it needs no link.
            (
                SeatOccupant::Person { .. } | SeatOccupant::Program { .. },
                SeatClaimant::Program(_),
            )
            | (SeatOccupant::Level { .. }, _) => return Err(SeatChangeError::NoSuchLink),
        }
        Ok(())
    }

    /// Gives a seat of this claim's browser to another secret. What the old one can derive opens it no more.
    fn rekey(
        &self,
        seat: &mut Seat,
        player: Player,
        (claim, secret): (&Credentials, &Secret),
        machine: &Environment,
    ) {
        match &mut seat.sitter {
            SeatOccupant::Person { keys, .. } if claim.is_of_browser(Some(&keys.browser)) => {
                *keys = PersonCredentials {
                    browser: secret.hash(),
                    back: Some(SeatLinkKind::Return.derived(secret, &self.id, player, machine)),
                    joined: None,
                };
            }
            SeatOccupant::Program { keys, .. } if claim.is_of_browser(keys.browser.as_ref()) => {
                keys.browser = Some(secret.hash());
            }
            _ => {}
        }
    }

    fn renew(
        &self,
        seat: &mut Seat,
        player: Player,
        (claim, secret): (&Credentials, &Secret),
        machine: &Environment,
    ) -> Result<(), SeatChangeError> {
        match &mut seat.sitter {
            SeatOccupant::Open { invitation } if self.is_host(claim) => {
                let link = SeatLinkKind::Invitation.derived(secret, &self.id, player, machine);
                *invitation = Some(Invitation::Derived(link));
            }
            SeatOccupant::Person { keys, .. } if claim.is_of_browser(Some(&keys.browser)) => {
                keys.back = Some(SeatLinkKind::Return.derived(secret, &self.id, player, machine));
                keys.joined = None;
            }
            // The host saw an open seat that has just been taken.
            SeatOccupant::Person {
                keys: PersonCredentials { joined, .. },
                ..
            }
            | SeatOccupant::Program {
                keys: ProgramCredentials { joined, .. },
                ..
            } if joined.is_some() && self.is_host(claim) => return Err(SeatChangeError::Taken),
            _ => return Err(SeatChangeError::NotYours),
        }
        Ok(())
    }

    fn all_seats(&self) -> impl Iterator<Item = (Player, &Seat)> {
        Player::all(self.live.players()).zip(&self.seats.seats)
    }

    /// The computers of an easier or harder rematch, where there can be one.
    #[must_use]
    pub fn other_levels(&self, kind: RematchKind) -> Option<RematchLevels> {
        RematchLevels::of(self.seats.seats.iter().map(|seat| &seat.sitter), kind)
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
        machine: &Environment,
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
                SeatOccupant::Open { invitation } if host => {
                    let link = SeatLinkKind::Invitation.derived(secret, id, player, machine);
                    *invitation = Some(Invitation::Derived(link));
                }
                SeatOccupant::Person { keys, .. } if keys.browser.matches(&browser) => {
                    keys.back = Some(SeatLinkKind::Return.derived(secret, id, player, machine));
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
        SeatOccupant::Open { .. } => SeatOccupant::Open { invitation: None },
        SeatOccupant::Person { keys, name } => SeatOccupant::Person {
            keys: PersonCredentials {
                browser: keys.browser,
                back: None,
                joined: None,
            },
            name: name.clone(),
        },
        SeatOccupant::Program { keys, name } => SeatOccupant::Program {
            keys: ProgramCredentials {
                joined: None,
                ..*keys
            },
            name: name.clone(),
        },
        SeatOccupant::Level { level, .. } => SeatOccupant::Level {
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
        sitter: SeatOccupant::Level {
            level: SeatLevel::Known(SUBSTITUTE.into()),
            left: seat.sitter.keys(),
        },
        since_ms: Some(now_ms),
    };
}
