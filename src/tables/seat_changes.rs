//! Seat links and the rules for seat changes, as functions of a snapshot and the time.
//!
//! A link's token is derived from the secret of the browser that sees it (see [`Secret::derive`]): the host's for the
//! link of a table, the occupant's own for a return link. Only the token's hash and the nonce of the derivation are stored.
//! The table and the store ensure that each change is made once.

use crate::game::Player;
use crate::level::Level;
use crate::seats::{
    AwaitedStart, Credentials, DerivedToken, FormerOccupant, Invitation, OpponentPreset,
    PersonCredentials, ProgramCredentials, START_DELAY_MS, Seat, SeatCredentials, SeatLevel,
    SeatOccupant, Seats, Waiting, matches_hash,
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
    /// Takes a free seat.
    Invitation,
    /// Gives the occupant access from another device.
    Return,
}

fn return_token(secret: &Secret, id: &GameId, player: Player, nonce: Nonce) -> Secret {
    let player = [player.number()];
    secret.derive(&[b"return", id.as_str().as_bytes(), &player, nonce.as_bytes()])
}

fn table_token(secret: &Secret, id: &GameId, nonce: Nonce) -> Secret {
    secret.derive(&[b"join", id.as_str().as_bytes(), nonce.as_bytes()])
}

/// A new return link of a seat; storing it invalidates the previous one.
pub(super) fn new_return_link(
    secret: &Secret,
    id: &GameId,
    player: Player,
    environment: &Environment,
) -> DerivedToken {
    let nonce = environment.nonce();
    let token = return_token(secret, id, player, nonce).hash();
    DerivedToken { token, nonce }
}

/// A new link of a table; storing it invalidates the previous one.
pub(super) fn new_table_link(
    secret: &Secret,
    id: &GameId,
    environment: &Environment,
) -> DerivedToken {
    let nonce = environment.nonce();
    let token = table_token(secret, id, nonce).hash();
    DerivedToken { token, nonce }
}

/// The effect of a resignation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResignationEffect {
    /// The game ends, because no other person or program plays.
    EndsGame,
    /// A level continues in the seat.
    ReplacedByLevel,
    /// The game has not started, and the player leaves the table.
    LeavesTable,
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

    /// The token of the table's link, if this browser may see it and the game waits for players.
    #[must_use]
    pub fn derive_table_token(&self, secret: &Secret) -> Option<Secret> {
        let stored = self.table_link()?;
        let token = table_token(secret, &self.id, stored.nonce);
        // Only the right secret derives the stored token.
        stored.token.matches(&token.hash()).then_some(token)
    }

    /// The token of the return link of a seat, if this browser may see it.
    #[must_use]
    pub fn derive_return_token(&self, secret: &Secret, player: Player) -> Option<Secret> {
        let SeatOccupant::Person { credentials, .. } = &self.seat(player)?.occupant else {
            return None;
        };
        let stored = credentials.return_link.as_ref()?;
        let token = return_token(secret, &self.id, player, stored.nonce);
        stored.token.matches(&token.hash()).then_some(token)
    }

    fn table_link(&self) -> Option<DerivedToken> {
        let waiting = self.seats.waiting.as_ref().filter(|_| self.is_waiting());
        waiting?.link
    }

    /// Whether a program plays this seat; then no other link can be created for it.
    #[must_use]
    pub fn is_program(&self, player: Player) -> bool {
        self.seat(player)
            .is_some_and(|seat| matches!(seat.occupant, SeatOccupant::Program { .. }))
    }

    /// The seat that this link currently gives access to: a free one, or an occupant's own.
    #[must_use]
    pub fn seat_of_link(&self, link: &SecretHash) -> Option<(Player, SeatLinkKind)> {
        if matches_hash(
            self.table_link().map(|link| link.token).as_ref(),
            Some(link),
        ) {
            let free = self.free_seats();
            return free
                .first()
                .map(|player| (*player, SeatLinkKind::Invitation));
        }
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
        let people = count_people(&self.seats.seats);
        Some(match people {
            _ if self.is_waiting() => (player, ResignationEffect::LeavesTable),
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

    /// Whether this client may start a game that waits for players, or let it wait for more: its host, and everybody with
    /// a seat if there is no host or the host has none.
    #[must_use]
    pub fn may_start(&self, credentials: &Credentials) -> bool {
        let is_seated = |seat: &Seat| {
            let seated = seat.occupant.credentials();
            seat.occupant.is_human() && seated.is_some_and(|one| one.browser() == self.creator())
        };
        let has_host = self.creator().is_some() && self.seats.seats.iter().any(is_seated);
        self.is_host(credentials) || !has_host && !self.seats_of(credentials).is_empty()
    }

    /// The seats after the change, and what the game waits for then; `None` if it was already made.
    pub(super) fn seats_after(
        &self,
        credentials: &Credentials,
        change: &SeatChange,
        environment: &Environment,
    ) -> Result<Option<Seats>, SeatChangeError> {
        let now_ms = environment.now_ms();
        let changed = match change {
            SeatChange::Start if !self.may_start(credentials) => {
                return Err(SeatChangeError::NotYourSeat);
            }
            SeatChange::StartDue if self.starts_ms().is_none_or(|at_ms| at_ms > now_ms) => None,
            SeatChange::Start | SeatChange::StartDue => {
                let waiting = self.is_waiting().then(|| Seats::clone(&self.seats));
                waiting.map(|waiting| started(waiting, now_ms))
            }
            SeatChange::AwaitPeople => Some(self.awaiting_people(credentials)?),
            SeatChange::Renew { player, secret } if self.is_open(*player) => {
                let link = new_table_link(secret, &self.id, environment);
                Some(self.with_table_link(credentials, *player, link)?)
            }
            change => {
                let seats = self.occupants_after(credentials, change, environment)?;
                seats.map(|seats| self.with_seats(seats, now_ms))
            }
        };
        Ok(changed.filter(|changed| *changed != *self.seats))
    }

    fn is_open(&self, player: Player) -> bool {
        let seat = self.seat(player);
        seat.is_some_and(|seat| matches!(seat.occupant, SeatOccupant::Open { .. }))
    }

    /// A new link of the table, which takes this open seat, too, if a program was invited to it.
    fn with_table_link(
        &self,
        credentials: &Credentials,
        player: Player,
        link: DerivedToken,
    ) -> Result<Seats, SeatChangeError> {
        if !self.is_host(credentials) {
            return Err(SeatChangeError::NotYourSeat);
        }
        let mut changed = Seats::clone(&self.seats);
        if let Some(seat) = changed.seats.get_mut(usize::from(player.number())) {
            seat.occupant = SeatOccupant::Open { invitation: None };
        }
        let (link, start) = (Some(link), AwaitedStart::People);
        changed.waiting = Some(Box::new(Waiting { link, start }));
        Ok(changed)
    }

    /// The host wants more people.
    fn awaiting_people(&self, credentials: &Credentials) -> Result<Seats, SeatChangeError> {
        if !self.may_start(credentials) {
            return Err(SeatChangeError::NotYourSeat);
        }
        if !self.is_waiting() {
            return Err(SeatChangeError::Started);
        }
        let start = match self.starts_ms() {
            Some(_) => AwaitedStart::Host,
            None => AwaitedStart::People,
        };
        let mut changed = Seats::clone(&self.seats);
        if let Some(waiting) = &mut changed.waiting {
            waiting.start = start;
        }
        Ok(changed)
    }

    /// The seats after this player has left the game to a computer.
    pub(super) fn replaced_by_level(&self, player: Player, now_ms: i64) -> Seats {
        let mut seats = Seats::clone(&self.seats);
        if let Some(seat) = seats.seats.get_mut(usize::from(player.number())) {
            replace_with_level(seat, now_ms);
        }
        seats
    }

    /// The seats after this player has left a table that waits. The seat is free again, but a computer's if two people
    /// remain, who would otherwise wait for somebody else.
    pub(super) fn left(&self, player: Player, now_ms: i64) -> Seats {
        let mut seats = self.seats.seats.clone();
        let index = usize::from(player.number());
        if let Some(seat) = seats.get_mut(index) {
            let level = preset_level(&self.seats.seats, index)
                .unwrap_or_else(|| level_of_free_seats(&self.seats.seats));
            let occupant = match count_people(&self.seats.seats) {
                0..=2 => SeatOccupant::Open { invitation: None },
                _ => computer(level),
            };
            let since_ms = Some(now_ms);
            *seat = Seat { occupant, since_ms };
        }
        self.with_seats(seats, now_ms)
    }

    /// These seats, and what the game waits for with them. A seat that is opened to anybody makes the game wait again.
    fn with_seats(&self, seats: Vec<Seat>, now_ms: i64) -> Seats {
        let changed = Seats {
            seats,
            ..Seats::clone(&self.seats)
        };
        if self.live.is_over() {
            return changed;
        }
        let people = count_people(&changed.seats);
        let mut occupants = changed.seats.iter().map(|seat| &seat.occupant);
        let start = match (
            occupants.any(SeatOccupant::is_open_to_anybody),
            changed.waiting.as_deref().copied(),
        ) {
            (true, _) => AwaitedStart::People,
            (false, None) => return changed,
            // Nobody could stop it, or nobody else is there.
            (false, Some(_)) if self.creator().is_none() || people < 2 => {
                return started(changed, now_ms);
            }
            (false, Some(waiting)) => match waiting.start {
                AwaitedStart::Host if people < changed.seats.len() => AwaitedStart::Host,
                AwaitedStart::At(_) if people == count_people(&self.seats.seats) => waiting.start,
                _ => AwaitedStart::At(now_ms.saturating_add(START_DELAY_MS)),
            },
        };
        let link = changed.waiting.as_ref().and_then(|waiting| waiting.link);
        let waiting = Some(Box::new(Waiting { link, start }));
        Seats { waiting, ..changed }
    }

    /// The occupants of the seats after the change, or `None` if it was already made.
    fn occupants_after(
        &self,
        credentials: &Credentials,
        change: &SeatChange,
        environment: &Environment,
    ) -> Result<Option<Vec<Seat>>, SeatChangeError> {
        let now_ms = environment.now_ms();
        let mut seats = self.seats.seats.clone();
        let player = match change {
            SeatChange::Take { link, by, .. } => {
                let is_repeated = matches!(by, SeatClaimant::Browser(secret) if self.was_claimed_with(link, &credentials.with_browser(secret)));
                match self.seat_of_link(link) {
                    // A repeated request, e.g. from a double click.
                    Some((_, SeatLinkKind::Invitation)) | None if is_repeated => return Ok(None),
                    Some((player, _)) => player,
                    None => return Err(SeatChangeError::NoSuchLink),
                }
            }
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
            // Handled before: they change more than the occupants.
            SeatChange::Start | SeatChange::StartDue | SeatChange::AwaitPeople => return Ok(None),
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
            SeatChange::ReplaceSecret { .. }
            | SeatChange::Start
            | SeatChange::StartDue
            | SeatChange::AwaitPeople => {}
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
        let new_return_link = |secret| Some(new_return_link(secret, &self.id, player, environment));
        // A used invitation no longer takes a seat, but leads its user to the game.
        let joined_by = link;
        match (&mut seat.occupant, by) {
            (occupant @ (SeatOccupant::Open { .. } | SeatOccupant::Level { .. }), by) => {
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
            ) => return Err(SeatChangeError::NoSuchLink),
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
                    return_link: Some(new_return_link(secret, &self.id, player, environment)),
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
                replaced: Some(former),
                ..
            } => {
                if let SeatCredentials::Person(seated) = &mut former.credentials
                    && credentials.matches_browser(Some(&seated.browser))
                {
                    *seated = PersonCredentials {
                        browser: secret.hash(),
                        return_link: None,
                        joined_by: None,
                    };
                }
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
            SeatOccupant::Person {
                credentials: seated,
                ..
            } if credentials.matches_browser(Some(&seated.browser)) => {
                seated.return_link = Some(new_return_link(secret, &self.id, player, environment));
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

/// The seats once the game has started: computers have the free ones, and the time of everybody begins.
fn started(seats: Seats, now_ms: i64) -> Seats {
    let level = level_of_free_seats(&seats.seats);
    let started = seats.seats.into_iter().map(|seat| Seat {
        occupant: match seat.occupant.is_open_to_anybody() {
            true => computer(level.clone()),
            false => seat.occupant,
        },
        since_ms: Some(now_ms),
    });
    Seats {
        seats: started.collect(),
        waiting: None,
        ..seats
    }
}

/// The level with which this seat and the other computers are one of the named sets of opponents.
fn preset_level(seats: &[Seat], index: usize) -> Option<SeatLevel> {
    OpponentPreset::ALL.into_iter().find_map(|preset| {
        preset.levels().iter().find_map(|level| {
            let level = SeatLevel::Known((*level).into());
            let mut occupants: Vec<_> = seats.iter().map(|seat| seat.occupant.clone()).collect();
            *occupants.get_mut(index)? = computer(level.clone());
            (OpponentPreset::recognise(&occupants) == Some(preset)).then_some(level)
        })
    })
}

/// The level that takes the seats that nobody takes: that of the last computer.
fn level_of_free_seats(seats: &[Seat]) -> SeatLevel {
    let mut levels = seats.iter().filter_map(|seat| match &seat.occupant {
        SeatOccupant::Level { level, .. } => Some(level.clone()),
        _ => None,
    });
    let last = levels.next_back();
    last.unwrap_or(SeatLevel::Known(SUBSTITUTE_LEVEL.into()))
}

const fn computer(level: SeatLevel) -> SeatOccupant {
    SeatOccupant::Level {
        level,
        replaced: None,
    }
}

fn count_people(seats: &[Seat]) -> usize {
    let people = seats.iter().filter(|seat| seat.occupant.is_human());
    people.count()
}

/// Replaces the occupant by a level. The credentials are kept so that the former occupant may still watch, and the name
/// so that the others know who it was.
pub(super) fn replace_with_level(seat: &mut Seat, now_ms: i64) {
    let name = seat.occupant.name().map(str::to_owned);
    let former = seat.occupant.credentials();
    *seat = Seat {
        occupant: SeatOccupant::Level {
            level: SeatLevel::Known(SUBSTITUTE_LEVEL.into()),
            replaced: former
                .map(|credentials| FormerOccupant { credentials, name })
                .map(Box::new),
        },
        since_ms: Some(now_ms),
    };
}
