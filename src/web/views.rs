//! From a game as the service holds it to what a page shows.
//!
//! Here it is decided what may be clicked; how it looks is the business of [`crate::templates`]. What
//! all games share stands in this file; what a game alone can say, it says as [`Pictured`].

use crate::faces::json::numbers;
use crate::faces::{Live, Refused};
use crate::game::Player;
use crate::games::Housed;
use crate::games::dice_of_doom::DiceOfDoom;
use crate::games::dice_of_doom::Hex;
use crate::games::trilobite::Column;
use crate::games::trilobite::Trilobite;
use crate::record::{Ending, Ply};
use crate::seats::Sitter;
use crate::service::Snapshot;
use crate::session::Session;
use crate::templates::view::{
    AttackView, Board, CardView, EndReason, GameView, Holdings, LogEntry, LogEvent, Notice,
    PassView, PlayerView, Prompt, ResultView, RollView, TableView, Variant, Who, YouView,
};

pub(super) mod dice;
mod trilobite;

/// A page shows so many plies; the rest stands at `/g/{id}/log`.
pub(super) const LOG_LENGTH: usize = 20;

/// The session of a game of the house.
pub(super) enum Which<'a> {
    Dice(&'a Session<DiceOfDoom>),
    Trilobite(&'a Session<Trilobite>),
}

pub(super) fn which(live: &Live) -> Which<'_> {
    match (live.session(), live.session()) {
        (Some(session), _) => Which::Dice(session),
        (_, Some(session)) => Which::Trilobite(session),
        _ => unreachable!("a game of the house"),
    }
}

/// What a visitor chose so far; it lives in the address.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Selection {
    pub(super) from: Option<u8>,
    pub(super) to: Option<u8>,
    pub(super) column: Option<String>,
}

/// A checked selection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Chosen {
    Nothing,
    Source(Hex),
    Target(Hex, Hex),
    Column(Column),
}

impl Selection {
    /// Whether this can be chosen by the player to move.
    pub(super) fn check(&self, live: &Live) -> Result<Chosen, Notice> {
        match which(live) {
            Which::Dice(session) => dice::check(self, session.game(), session.position()),
            Which::Trilobite(session) => trilobite::check(self, session.game(), session.position()),
        }
    }
}

/// What the service refused, as a sentence above the board.
pub(super) fn refused(why: &Refused) -> Notice {
    match why {
        Refused::Over => Notice::GameOver,
        Refused::NotYourTurn => Notice::NotYourTurn,
        Refused::Rules(why) => match (why.downcast_ref(), why.downcast_ref()) {
            (Some(refusal), _) => dice::notice(refusal),
            (_, Some(refusal)) => trilobite::notice(refusal),
            _ => Notice::NoSuchHex,
        },
        Refused::NoSuchAction => Notice::NoSuchHex,
    }
}

/// What a page asks of a game.
trait Pictured: Housed {
    /// The game's own kind of board.
    type Picture: Into<Board>;

    /// The game and what sets this one apart.
    fn variant(&self) -> Variant;

    /// A board on which nothing can be clicked.
    fn still(&self, position: &Self::Position) -> Self::Picture;

    /// Marks what the last ply did to the position before it.
    fn mark_last(&self, board: &mut Self::Picture, before: &Self::Position, ply: &Ply<Self>);

    /// Puts the links of the player to move on a board, and says what can be done.
    fn offer(
        &self,
        position: &Self::Position,
        chosen: Chosen,
        here: &str,
        board: &mut Self::Picture,
    ) -> Offer;

    /// What a player has on the board.
    fn holdings(&self, position: &Self::Position, player: Player) -> Holdings;

    /// A ply, as it is told.
    fn event(&self, before: &Self::Position, after: &Self::Position, ply: &Ply<Self>) -> LogEvent;

    /// Why the rules ended the game here.
    fn reason(&self, position: &Self::Position) -> EndReason;
}

/// What the player to move can do.
struct Offer {
    prompt: Prompt,
    pass: Option<PassView>,
    attacks: Vec<AttackView>,
    drops: Vec<u8>,
}

/// The page of a game.
pub(super) struct Shown<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// The seats of the reader.
    pub(super) seats: &'a [Player],
    /// A ply of the past, or the newest position.
    pub(super) ply: Option<u32>,
    pub(super) chosen: Chosen,
    pub(super) notice: Option<Notice>,
    /// How many follow the game without a seat.
    pub(super) watchers: u32,
    /// Turns of other games that come before the computer's.
    pub(super) ahead: u32,
    /// What can be done about the seats.
    pub(super) table: TableView,
}

/// The page of a game at one of its plies.
pub(super) fn game_view(shown: &Shown<'_>) -> GameView {
    match which(&shown.snapshot.live) {
        Which::Dice(session) => page(shown, session),
        Which::Trilobite(session) => page(shown, session),
    }
}

/// A ply that was played a moment ago, as the page told it then: who was awaited is said, nothing can
/// be clicked.
pub(super) fn passing(shown: &Shown<'_>) -> GameView {
    let mut view = game_view(shown);
    let sitter = |player: u8| shown.snapshot.seats.seats.get(usize::from(player));
    if let Some(player) = view.mover {
        let computer =
            sitter(player).is_some_and(|seat| matches!(seat.sitter, Sitter::Level { .. }));
        let own = shown.seats.iter().any(|seat| seat.number() == player);
        view.prompt = match (computer, own) {
            (true, _) => Prompt::Thinking { player, ahead: 0 },
            (false, true) => Prompt::Replay,
            (false, false) => Prompt::Waiting { player },
        };
    }
    view
}

/// A card of "your games".
pub(super) fn card(snapshot: &Snapshot, own: &[Player]) -> CardView {
    match which(&snapshot.live) {
        Which::Dice(session) => session_card(snapshot, session, own),
        Which::Trilobite(session) => session_card(snapshot, session, own),
    }
}

/// The newest position without links, and who plays.
pub(super) fn still(snapshot: &Snapshot) -> (Variant, Board, Vec<PlayerView>) {
    fn of<G: Pictured>(
        snapshot: &Snapshot,
        session: &Session<G>,
    ) -> (Variant, Board, Vec<PlayerView>) {
        let (game, position) = (session.game(), session.position());
        let players = players(snapshot, game, position, &[], true);
        (game.variant(), game.still(position).into(), players)
    }
    match which(&snapshot.live) {
        Which::Dice(session) => of(snapshot, session),
        Which::Trilobite(session) => of(snapshot, session),
    }
}

/// The players as the newest position has them, and the whole log, newest first.
pub(super) fn whole_log(snapshot: &Snapshot, own: &[Player]) -> (Vec<PlayerView>, Vec<LogEntry>) {
    match which(&snapshot.live) {
        Which::Dice(session) => session_log(snapshot, session, own),
        Which::Trilobite(session) => session_log(snapshot, session, own),
    }
}

fn session_log<G: Pictured>(
    snapshot: &Snapshot,
    session: &Session<G>,
    own: &[Player],
) -> (Vec<PlayerView>, Vec<LogEntry>) {
    let players = players(snapshot, session.game(), session.position(), own, true);
    (players, walk(session, u32::MAX, usize::MAX).log)
}

/// A record, walked: what stood before each ply.
struct Walk<G: Housed> {
    /// Position before the last ply shown, if any was played.
    before: Option<G::Position>,
    /// The position shown.
    position: G::Position,
    /// The turn shown, counted from 1.
    turn: u32,
    /// Newest first, bounded.
    log: Vec<LogEntry>,
    /// The newest attack within the log.
    attack: Option<RollView>,
}

fn walk<G: Pictured>(session: &Session<G>, until: u32, entries: usize) -> Walk<G> {
    let (game, record) = (session.game(), session.record());
    let until = until.min(record.len());
    let mut walk = Walk {
        before: None,
        position: record.start.clone(),
        turn: 1,
        log: Vec::new(),
        attack: None,
    };
    let steps = record.steps().map_while(Result::ok).take(until as usize);
    for step in steps {
        if (step.number as usize).saturating_add(entries) >= until as usize {
            let event = game.event(&step.before, &step.after, step.ply);
            if let LogEvent::Attack(roll) = &event {
                walk.attack = Some(roll.clone());
            }
            walk.log.push(LogEntry {
                ply: step.number + 1,
                turn: walk.turn,
                player: step.ply.player.number(),
                event,
            });
        }
        if G::ends_turn(step.ply.action) {
            walk.turn += 1;
        }
        walk.before = Some(step.before);
        walk.position = step.after;
    }
    if until == record.len()
        && let Some(ending) = record.ending
    {
        let mover = game.status(&walk.position).mover();
        let (player, event) = match ending {
            Ending::Resigned(player) => (player, LogEvent::Resigned),
            Ending::Limit => (mover.unwrap_or(Player::FIRST), LogEvent::Limit),
        };
        walk.log.push(LogEntry {
            ply: until,
            turn: walk.turn,
            player: player.number(),
            event,
        });
    }
    walk.log.reverse();
    walk
}

/// The list of players at a position.
fn players<G: Pictured>(
    snapshot: &Snapshot,
    game: &G,
    position: &G::Position,
    own: &[Player],
    newest: bool,
) -> Vec<PlayerView> {
    let mover = if newest {
        snapshot.live.mover()
    } else {
        game.status(position).mover()
    };
    let winners = if newest {
        snapshot.live.winners()
    } else {
        Vec::new()
    };
    Player::all(game.players())
        .zip(&snapshot.seats.seats)
        .map(|(player, seat)| PlayerView {
            number: player.number(),
            name: seat.sitter.name().map(str::to_owned),
            who: match &seat.sitter {
                Sitter::Level { level, .. } => Who::Level(level.name().to_owned()),
                Sitter::Open { .. } => Who::Open,
                Sitter::Person { .. } | Sitter::Program { .. } if own.contains(&player) => {
                    if own.len() == 1 {
                        Who::You
                    } else {
                        Who::YouToo
                    }
                }
                Sitter::Person { .. } | Sitter::Program { .. } => Who::Person,
            },
            holdings: game.holdings(position, player),
            on_turn: mover == Some(player),
            winner: winners.contains(&player),
        })
        .collect()
}

/// How a game ended; `None` while it goes on.
fn result<G: Pictured>(
    snapshot: &Snapshot,
    session: &Session<G>,
    own: &[Player],
) -> Option<ResultView> {
    if !snapshot.live.is_over() {
        return None;
    }
    let (game, position) = (session.game(), session.position());
    let winners = snapshot.live.winners();
    let hexes = |player: Player| match game.holdings(position, player) {
        Holdings::Dice { hexes, .. } => Some(hexes),
        Holdings::Chips { .. } => None,
    };
    let you = match own {
        [you] => {
            let better = match hexes(*you) {
                Some(yours) => Player::all(game.players())
                    .filter(|&other| hexes(other) > Some(yours))
                    .count(),
                // Without land there are winners and others; a draw has only first places.
                None => usize::from(!winners.is_empty() && !winners.contains(you)),
            };
            Some(YouView {
                seat: you.number(),
                place: better as u32 + 1,
                hexes: hexes(*you),
            })
        }
        _ => None,
    };
    Some(ResultView {
        hexes: winners.first().and_then(|&winner| hexes(winner)),
        winners: numbers(&winners),
        plies: session.record().len(),
        reason: match session.record().ending {
            Some(Ending::Resigned(_)) => EndReason::Resigned,
            Some(Ending::Limit) => EndReason::Limit,
            None => game.reason(position),
        },
        you,
    })
}

fn page<G: Pictured>(shown: &Shown<'_>, session: &Session<G>) -> GameView {
    let (game, snapshot) = (session.game(), shown.snapshot);
    let newest = session.record().len();
    let ply = shown.ply.unwrap_or(newest).min(newest);
    let live = shown.ply.is_none();
    let walk = walk(session, ply, LOG_LENGTH);
    let position = &walk.position;
    let over = snapshot.live.is_over();
    let mover = if live {
        snapshot.live.mover()
    } else {
        game.status(position).mover()
    };
    let mine = live && !over && mover.is_some_and(|mover| shown.seats.contains(&mover));

    let mut board = game.still(position);
    let last = ply.checked_sub(1);
    let last = last.and_then(|last| session.record().plies.get(last as usize));
    if let (Some(before), Some(last)) = (&walk.before, last) {
        game.mark_last(&mut board, before, last);
    }
    let id = snapshot.id.to_string();
    let offer = if mine {
        game.offer(position, shown.chosen, &format!("/g/{id}"), &mut board)
    } else {
        Offer {
            prompt: waiting(shown, mover),
            pass: None,
            attacks: Vec::new(),
            drops: Vec::new(),
        }
    };
    GameView {
        id,
        ply,
        newest,
        turn: walk.turn,
        variant: game.variant(),
        board: board.into(),
        mover: mover.map(Player::number),
        pass: offer.pass,
        attacks: offer.attacks,
        drops: offer.drops,
        roll: walk.attack,
        players: players(snapshot, game, position, shown.seats, ply == newest),
        log: walk.log,
        notice: shown.notice.clone(),
        refresh_s: (live && !over && !mine).then(|| match &offer.prompt {
            // Time enough to copy the link that is handed on.
            Prompt::Open { .. } => 10,
            _ if snapshot.computer_to_move().is_some() => 1,
            _ => 3,
        }),
        result: if ply == newest {
            result(snapshot, session, shown.seats)
        } else {
            None
        },
        watchers: shown.watchers,
        seats: snapshot.seats.revision,
        may_resign: live && !over && !shown.seats.is_empty(),
        may_rematch: !shown.seats.is_empty(),
        table: shown.table.clone(),
        prompt: offer.prompt,
    }
}

/// What a reader is told who cannot move now.
fn waiting(shown: &Shown<'_>, mover: Option<Player>) -> Prompt {
    if shown.ply.is_some() {
        return Prompt::Replay;
    }
    let Some(mover) = mover else {
        return Prompt::Over;
    };
    let player = mover.number();
    let seat = shown.snapshot.seat(mover);
    if seat.is_some_and(|seat| matches!(seat.sitter, Sitter::Open { .. })) {
        Prompt::Open { player }
    } else if shown.seats.is_empty() {
        Prompt::Watching { player }
    } else if shown.snapshot.computer_to_move().is_some() {
        let ahead = shown.ahead;
        Prompt::Thinking { player, ahead }
    } else {
        Prompt::Waiting { player }
    }
}

fn session_card<G: Pictured>(
    snapshot: &Snapshot,
    session: &Session<G>,
    own: &[Player],
) -> CardView {
    let (game, position) = (session.game(), session.position());
    let plies = session.record().plies.iter();
    let turns = plies.filter(|ply| G::ends_turn(ply.action)).count();
    CardView {
        id: snapshot.id.to_string(),
        variant: game.variant(),
        board: game.still(position).into(),
        players: players(snapshot, game, position, own, true),
        turn: turns as u32 + 1,
        plies: session.record().len(),
        your_turn: snapshot
            .live
            .mover()
            .is_some_and(|mover| own.contains(&mover)),
        result: result(snapshot, session, own),
    }
}
