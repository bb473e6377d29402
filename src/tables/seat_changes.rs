//! Seat links and the rules for seat changes, as functions of a snapshot and the time.
//!
//! A link's token is derived from the secret of the browser that sees it (see [`Secret::derive`]): the host's for an
//! invitation, the occupant's own for a return link. Only the token's hash and the nonce of the derivation are stored.
//! The table and the store ensure that each change is made once.

use crate::game::Player;
use crate::level::Level;
use crate::seats::{
    Credentials, DerivedToken, Invitation, PersonCredentials, ProgramCredentials, Seat,
    SeatCredentials, SeatLevel, SeatOccupant, matches_hash,
};
use crate::secret::{Nonce, Secret, SecretHash};
use crate::store::GameId;

use super::command::{SeatChange, SeatClaimant};
use super::display_name::DisplayName;
use super::environment::Environment;
use super::error::SeatChangeError;
use crate::tables::snapshot::Snapshot;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatLinkKind {
    /// Takes an open seat.
    Invitation,
    /// Gives the occupant access from another device.
    Return,
}

impl SeatLinkKind {
    fn token(self, secret: &Secret, id: &GameId, player: Player, nonce: Nonce) -> Secret {
        let label: &[u8] = match self {
            SeatLinkKind::Invitation => b"invite",
            SeatLinkKind::Return => b"return",
        };
        let player = [player.number()];
        secret.derive(&[label, id.as_str().as_bytes(), &player, nonce.as_bytes()])
    }

    /// A new link of this kind; storing it invalidates the previous one.
    pub(super) fn new_token(
        self,
        secret: &Secret,
        id: &GameId,
        player: Player,
        environment: &Environment,
    ) -> DerivedToken {
        let nonce = environment.nonce();
        let token = self.token(secret, id, player, nonce).hash();
        DerivedToken { token, nonce }
    }
}

/// The effect of a resignation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResignationEffect {
    /// The game ends, because no other person or program plays.
    EndsGame,
    /// A level continues in the seat.
    ReplacedByLevel,
}

/// The level that replaces a player.
pub(super) const SUBSTITUTE_LEVEL: Level = Level::Book;

impl Snapshot {
    /// Whether the client may see the game: a private game is visible to its creator's browser, current and former
    /// occupants, and an invited program.
    #[must_use]
    pub fn can_watch(&self, credentials: &Credentials) -> bool {
        let is_own = |seat: &Seat| credentials.matches_seat(seat.occupant.credentials());
        let is_invited = self.invited_seat(credentials.token.as_ref()).is_some();
        !self.private
            || is_invited
            || self.is_host(credentials)
            || self.seats.seats.iter().any(is_own)
    }

    /// The seat that the program with this token is invited to.
    #[must_use]
    pub fn invited_seat(&self, token: Option<&SecretHash>) -> Option<Player> {
        let mut seats = self.all_seats();
        let invited = seats.find(|(_, seat)| match &seat.occupant {
            SeatOccupant::Open {
                invitation: Some(Invitation::Program { token: invited, .. }),
            } => !self.live.is_over() && matches_hash(Some(invited), token),
            _ => false,
        });
        invited.map(|(player, _)| player)
    }

    /// Whether this is the token of a current or former occupant, or of an invited program.
    #[must_use]
    pub fn is_seat_token(&self, token: &SecretHash) -> bool {
        let mut seated = self
            .all_seats()
            .filter_map(|(_, seat)| seat.occupant.credentials());
        seated.any(|seated| matches_hash(seated.token(), Some(token)))
            || self.invited_seat(Some(token)).is_some()
    }

    /// Whether the client is the browser that created the game.
    #[must_use]
    pub fn is_host(&self, credentials: &Credentials) -> bool {
        !self.is_uploaded() && credentials.matches_browser(self.creator())
    }

    /// The token of a seat's link if this browser may see it: the invitation for the host, the return link for the
    /// occupant.
    #[must_use]
    pub fn derive_link_token(&self, secret: &Secret, player: Player) -> Option<Secret> {
        let seat = self.seat(player)?;
        let (link, stored) = match &seat.occupant {
            SeatOccupant::Open {
                invitation: Some(Invitation::Derived(stored)),
            } => (SeatLinkKind::Invitation, stored),
            SeatOccupant::Person {
                credentials: seated,
                ..
            } => (SeatLinkKind::Return, seated.return_link.as_ref()?),
            SeatOccupant::Open { .. }
            | SeatOccupant::Program { .. }
            | SeatOccupant::Level { .. } => return None,
        };
        let token = link.token(secret, &self.id, player, stored.nonce);
        // Only the right secret derives the stored token.
        stored.token.matches(&token.hash()).then_some(token)
    }

    /// Whether a program plays this seat; then no other link can be created for it.
    #[must_use]
    pub fn is_program(&self, player: Player) -> bool {
        self.seat(player)
            .is_some_and(|seat| matches!(seat.occupant, SeatOccupant::Program { .. }))
    }

    /// The seat that this link currently gives access to: an open one, or an occupant's own.
    #[must_use]
    pub fn seat_of_link(&self, link: &SecretHash) -> Option<(Player, SeatLinkKind)> {
        let used = link.to_return_hash();
        self.all_seats().find_map(|(player, seat)| {
            let (stored, kind) = match &seat.occupant {
                SeatOccupant::Open { invitation } => {
                    let invitation = invitation.as_ref();
                    let invitation = invitation.filter(|_| !self.live.is_over())?;
                    (*invitation.token(), SeatLinkKind::Invitation)
                }
                SeatOccupant::Person {
                    credentials: seated,
                    ..
                } if matches_hash(seated.joined_by.as_ref(), Some(&used)) => {
                    return Some((player, SeatLinkKind::Return));
                }
                SeatOccupant::Person {
                    credentials: seated,
                    ..
                } => (seated.return_link?.token, SeatLinkKind::Return),
                SeatOccupant::Program {
                    credentials: seated,
                    ..
                } => (seated.token, SeatLinkKind::Return),
                SeatOccupant::Level { .. } => return None,
            };
            stored.matches(link).then_some((player, kind))
        })
    }

    #[must_use]
    pub fn was_claimed_with(&self, link: &SecretHash, credentials: &Credentials) -> bool {
        let used = link.to_return_hash();
        let is_known = |stored: Option<&SecretHash>| {
            matches_hash(stored, Some(link)) | matches_hash(stored, Some(&used))
        };
        let was_used = |seated: SeatCredentials| {
            credentials.matches_browser(seated.browser())
                && (is_known(seated.joined_by()) | is_known(seated.token()))
        };
        self.all_seats()
            .any(|(_, seat)| seat.occupant.credentials().is_some_and(was_used))
    }

    /// The player and effect if this client resigned now.
    #[must_use]
    pub fn resignation_effect(
        &self,
        credentials: &Credentials,
    ) -> Option<(Player, ResignationEffect)> {
        let mover = self.live.mover()?;
        let seats = self.seats_of(credentials);
        let player = if seats.contains(&mover) {
            mover
        } else {
            *seats.first()?
        };
        let people = self.all_seats();
        let people = people.filter(|(_, seat)| seat.occupant.is_human());
        Some(match people.count() {
            1 => (player, ResignationEffect::EndsGame),
            _ => (player, ResignationEffect::ReplacedByLevel),
        })
    }

    /// Whether this client is the host and may free the seat of a player who has not moved yet.
    ///
    /// # Errors
    /// Why not.
    pub fn check_freeing(
        &self,
        credentials: &Credentials,
        player: Player,
    ) -> Result<(), SeatChangeError> {
        let seat = self.seat(player).ok_or(SeatChangeError::NoSuchSeat)?;
        let is_own = self.seats_of(credentials).contains(&player);
        if !self.is_host(credentials) || is_own || !seat.occupant.is_human() {
            return Err(SeatChangeError::NotYourSeat);
        }
        match self.live.is_over() || self.has_moved(player) {
            true => Err(SeatChangeError::HasMoved),
            false => Ok(()),
        }
    }

    /// The players whom a computer may replace now, because the delay has passed.
    #[must_use]
    pub fn replaceable(&self, now_ms: i64) -> Vec<Player> {
        let mut awaited = self.awaited_players();
        awaited.retain(|player| self.check_replacement(*player, now_ms).is_ok());
        awaited
    }

    /// Unix time in milliseconds since when the game waits for the player to move.
    fn waits_since_ms(&self, seat: &Seat) -> i64 {
        let moved = self.live.last_entry_ms().unwrap_or(self.created_ms);
        // An occupant who came after the last ply has only had the time since then.
        seat.since_ms.map_or(moved, |since| moved.max(since))
    }

    fn check_replacement(&self, player: Player, now_ms: i64) -> Result<(), SeatChangeError> {
        let seat = self.seat(player).ok_or(SeatChangeError::NoSuchSeat)?;
        let after_s = self
            .replace_after_s
            .ok_or(SeatChangeError::ReplacementDisabled)?;
        if !self.awaited_players().contains(&player) || !seat.occupant.is_human() {
            return Err(SeatChangeError::NotTheirTurn);
        }
        let wait_ms = i64::from(after_s).saturating_mul(1000);
        let due_ms = self.served.after(self.waits_since_ms(seat), wait_ms);
        if self.served.known_ms(now_ms) >= due_ms {
            return Ok(());
        }
        let wait_s = due_ms.saturating_sub(now_ms).saturating_add(999) / 1000;
        Err(SeatChangeError::TooEarly {
            wait_s: u32::try_from(wait_s).unwrap_or(u32::MAX),
        })
    }

    /// The seats after the change, or `None` if it was already made.
    pub(super) fn seats_after(
        &self,
        credentials: &Credentials,
        change: &SeatChange,
        environment: &Environment,
    ) -> Result<Option<Vec<Seat>>, SeatChangeError> {
        let now_ms = environment.now_ms();
        let mut seats = self.seats.seats.clone();
        let player = match change {
            SeatChange::Take { link, by, .. } => match self.seat_of_link(link) {
                Some((player, _)) => player,
                // A repeated request, e.g. from a double click.
                None if matches!(by, SeatClaimant::Browser(secret) if self.was_claimed_with(link, &credentials.with_browser(secret))) =>
                {
                    return Ok(None);
                }
                None => return Err(SeatChangeError::NoSuchLink),
            },
            SeatChange::TakeFree { by, .. } => {
                let credentials = match by {
                    SeatClaimant::Browser(secret) => credentials.with_browser(secret),
                    SeatClaimant::Program(_) => *credentials,
                };
                if !self.seats_of(&credentials).is_empty() {
                    return Ok(None);
                }
                let free = self.free_seats();
                *free.first().ok_or(SeatChangeError::Taken)?
            }
            SeatChange::Decline => {
                let invited = self.invited_seat(credentials.token.as_ref());
                invited.ok_or(SeatChangeError::NotYourSeat)?
            }
            SeatChange::Renew { player, .. }
            | SeatChange::AssignLevel { player, .. }
            | SeatChange::Rename { player, .. }
            | SeatChange::Free { player }
            | SeatChange::Replace { player, .. } => *player,
            SeatChange::ReplaceSecret { secret, keeps_name } => {
                for (player, seat) in Player::all(self.live.players()).zip(&mut seats) {
                    let is_own = credentials.matches_seat(seat.occupant.credentials());
                    self.rekey(seat, player, (credentials, secret), environment);
                    match &mut seat.occupant {
                        SeatOccupant::Person { name, .. } if is_own && !keeps_name => *name = None,
                        SeatOccupant::Level { replaced, .. } if is_own && !keeps_name => {
                            *replaced = None;
                        }
                        _ => {}
                    }
                }
                return Ok((seats != self.seats.seats).then_some(seats));
            }
        };
        let seat = seats
            .get_mut(usize::from(player.number()))
            .ok_or(SeatChangeError::NoSuchSeat)?;
        match change {
            SeatChange::Take { link, by, name } => {
                self.take_seat(seat, player, (Some(*link), by, name.as_ref()), environment)?;
            }
            SeatChange::TakeFree { by, name } => {
                self.take_seat(seat, player, (None, by, name.as_ref()), environment)?;
            }
            SeatChange::Renew { secret, .. } => {
                self.renew(seat, player, (credentials, secret), environment)?
            }
            SeatChange::Decline => seat.occupant = SeatOccupant::Open { invitation: None },
            // Handled above: it affects all seats.
            SeatChange::ReplaceSecret { .. } => {}
            SeatChange::AssignLevel { level, .. } => {
                if !self.is_host(credentials) {
                    return Err(SeatChangeError::NotYourSeat);
                }
                let has_level = self.live.configured_game().check_level(*level);
                has_level.map_err(|_| SeatChangeError::NoSuchLevel)?;
                match &seat.occupant {
                    SeatOccupant::Open { .. } => {}
                    SeatOccupant::Level { level: now, .. }
                        if *now == SeatLevel::Known((*level).into()) =>
                    {
                        return Ok(None);
                    }
                    _ => return Err(SeatChangeError::Taken),
                }
                *seat = Seat {
                    occupant: SeatOccupant::level(*level),
                    since_ms: Some(now_ms),
                };
            }
            SeatChange::Rename { name, .. } => {
                let displayed_name = match &mut seat.occupant {
                    SeatOccupant::Person { name, .. } | SeatOccupant::Program { name, .. }
                        if self.seats_of(credentials).contains(&player) =>
                    {
                        name
                    }
                    _ => return Err(SeatChangeError::NotYourSeat),
                };
                *displayed_name = name.as_ref().map(|name| name.as_str().to_owned());
            }
            // A repeated request, e.g. from a double click.
            SeatChange::Free { .. }
                if matches!(seat.occupant, SeatOccupant::Open { .. })
                    && self.is_host(credentials) => {}
            SeatChange::Free { .. } => {
                self.check_freeing(credentials, player)?;
                *seat = Seat {
                    occupant: SeatOccupant::Open { invitation: None },
                    since_ms: Some(now_ms),
                };
            }
            SeatChange::Replace { .. } => {
                if !self.seats_of(credentials).iter().any(|own| *own != player) {
                    return Err(SeatChangeError::NotYourSeat);
                }
                self.check_replacement(player, now_ms)?;
                replace_with_level(seat, now_ms);
            }
        }
        Ok((seats != self.seats.seats).then_some(seats))
    }

    fn take_seat(
        &self,
        seat: &mut Seat,
        player: Player,
        (link, by, name): (Option<SecretHash>, &SeatClaimant, Option<&DisplayName>),
        environment: &Environment,
    ) -> Result<(), SeatChangeError> {
        let requested_name = name.map(|name| name.as_str().to_owned());
        let new_return_link =
            |secret| Some(SeatLinkKind::Return.new_token(secret, &self.id, player, environment));
        // A used invitation no longer takes a seat, but leads its user to the game.
        let joined_by = link;
        match (&mut seat.occupant, by) {
            (occupant @ SeatOccupant::Open { .. }, by) => {
                let requested_name = requested_name.or_else(|| occupant.name().map(str::to_owned));
                let occupant = match by {
                    SeatClaimant::Browser(secret) => SeatOccupant::Person {
                        credentials: PersonCredentials {
                            browser: secret.hash(),
                            return_link: new_return_link(secret),
                            joined_by,
                        },
                        name: requested_name,
                    },
                    SeatClaimant::Program(token) => SeatOccupant::Program {
                        credentials: ProgramCredentials {
                            token: *token,
                            browser: None,
                            joined_by,
                        },
                        name: requested_name,
                    },
                };
                *seat = Seat {
                    occupant,
                    since_ms: Some(environment.now_ms()),
                };
            }
            (
                SeatOccupant::Person {
                    credentials: seated,
                    name,
                },
                SeatClaimant::Browser(secret),
            ) => {
                *seated = PersonCredentials {
                    browser: secret.hash(),
                    return_link: new_return_link(secret),
                    // A return link stays valid, for browsers that lose their cookies.
                    joined_by: link.map(|link| link.to_return_hash()),
                };
                *name = requested_name.or_else(|| name.take());
            }
            (
                SeatOccupant::Program {
                    credentials: seated,
                    name,
                },
                SeatClaimant::Browser(secret),
            ) => {
                // The token is kept: a new one would lock the program out.
                seated.browser = Some(secret.hash());
                *name = requested_name.or_else(|| name.take());
            }
            (
                SeatOccupant::Program {
                    credentials: seated,
                    name,
                },
                SeatClaimant::Program(token),
            ) if seated.token == *token => {
                *name = requested_name.or_else(|| name.take());
            }
            // A program that has the seat's token uses it directly, without a link.
            (
                SeatOccupant::Person { .. } | SeatOccupant::Program { .. },
                SeatClaimant::Program(_),
            )
            | (SeatOccupant::Level { .. }, _) => return Err(SeatChangeError::NoSuchLink),
        }
        Ok(())
    }

    /// Transfers a seat of this client's browser to another secret; links derived from the old one become invalid.
    fn rekey(
        &self,
        seat: &mut Seat,
        player: Player,
        (credentials, secret): (&Credentials, &Secret),
        environment: &Environment,
    ) {
        match &mut seat.occupant {
            SeatOccupant::Person {
                credentials: seated,
                ..
            } if credentials.matches_browser(Some(&seated.browser))
                && seated.browser != secret.hash() =>
            {
                *seated = PersonCredentials {
                    browser: secret.hash(),
                    return_link: Some(SeatLinkKind::Return.new_token(
                        secret,
                        &self.id,
                        player,
                        environment,
                    )),
                    joined_by: None,
                };
            }
            SeatOccupant::Program {
                credentials: seated,
                ..
            } if credentials.matches_browser(seated.browser.as_ref()) => {
                seated.browser = Some(secret.hash());
            }
            SeatOccupant::Level {
                replaced: Some(SeatCredentials::Person(seated)),
                ..
            } if credentials.matches_browser(Some(&seated.browser)) => {
                *seated = PersonCredentials {
                    browser: secret.hash(),
                    return_link: None,
                    joined_by: None,
                };
            }
            _ => {}
        }
    }

    fn renew(
        &self,
        seat: &mut Seat,
        player: Player,
        (credentials, secret): (&Credentials, &Secret),
        environment: &Environment,
    ) -> Result<(), SeatChangeError> {
        match &mut seat.occupant {
            SeatOccupant::Open { invitation } if self.is_host(credentials) => {
                let link =
                    SeatLinkKind::Invitation.new_token(secret, &self.id, player, environment);
                *invitation = Some(Invitation::Derived(link));
            }
            SeatOccupant::Person {
                credentials: seated,
                ..
            } if credentials.matches_browser(Some(&seated.browser)) => {
                seated.return_link =
                    Some(SeatLinkKind::Return.new_token(secret, &self.id, player, environment));
                seated.joined_by = None;
            }
            // The host's page still showed the seat as open.
            SeatOccupant::Person {
                credentials: PersonCredentials { joined_by, .. },
                ..
            }
            | SeatOccupant::Program {
                credentials: ProgramCredentials { joined_by, .. },
                ..
            } if joined_by.is_some() && self.is_host(credentials) => {
                return Err(SeatChangeError::Taken);
            }
            _ => return Err(SeatChangeError::NotYourSeat),
        }
        Ok(())
    }

    fn all_seats(&self) -> impl Iterator<Item = (Player, &Seat)> {
        Player::all(self.live.players()).zip(&self.seats.seats)
    }
}

/// Replaces the occupant by a level. The credentials are kept so that the former occupant may still watch; the name is
/// not.
pub(super) fn replace_with_level(seat: &mut Seat, now_ms: i64) {
    *seat = Seat {
        occupant: SeatOccupant::Level {
            level: SeatLevel::Known(SUBSTITUTE_LEVEL.into()),
            replaced: seat.occupant.credentials(),
        },
        since_ms: Some(now_ms),
    };
}
