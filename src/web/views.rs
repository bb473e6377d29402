//! From a game as the service holds it to what a page shows.
//!
//! Here it is decided what may be clicked; how it looks is the business of [`crate::templates`].

use crate::archive::Sitter;
use crate::game::{Game, Player};
use crate::games::dice_of_doom::{Action, DiceOfDoom, Hex, Position, Refusal, Rules};
use crate::record::{Ending, Ply};
use crate::service::Snapshot;
use crate::service::live::{Live, Refused};
use crate::session::Session;
use crate::templates::view::{
    AttackView, Board, BoardView, CardView, EndReason, GameView, HexState, HexView, Holdings,
    LogEntry, LogEvent, Notice, PassView, PlayerView, Prompt, ResultView, RollView, Variant, Who,
    YouView,
};
use crate::wire;

/// A page shows so many plies; the rest stands at `/g/{id}/log`.
pub(super) const LOG_LENGTH: usize = 20;

/// What a visitor chose so far; it lives in the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Selection {
    pub(super) from: Option<u8>,
    pub(super) to: Option<u8>,
}

/// A checked selection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Chosen {
    Nothing,
    Source(Hex),
    Target(Hex, Hex),
}

impl Selection {
    /// Whether this can be chosen by the player to move.
    pub(super) fn check(self, game: &DiceOfDoom, position: &Position) -> Result<Chosen, Notice> {
        let Some(from) = self.from else {
            return Ok(Chosen::Nothing);
        };
        let from = game.hex(from).ok_or(Notice::NoSuchHex)?;
        source(game, position, from)?;
        let Some(to) = self.to else {
            return Ok(Chosen::Source(from));
        };
        let to = game.hex(to).ok_or(Notice::NoSuchHex)?;
        game.can_attack(position, from, to)
            .map_err(|refusal| notice(&refusal))?;
        Ok(Chosen::Target(from, to))
    }
}

/// Whether the player to move can attack from here.
pub(super) fn source(game: &DiceOfDoom, position: &Position, hex: Hex) -> Result<(), Notice> {
    if position.owner(hex) != position.player() {
        return Err(Notice::NotYourHex { hex: hex.number() });
    }
    if position.dice(hex) < 2 {
        return Err(Notice::OneDie { hex: hex.number() });
    }
    if targets(game, position, hex).next().is_none() {
        return Err(Notice::NoTarget { hex: hex.number() });
    }
    Ok(())
}

fn targets(game: &DiceOfDoom, position: &Position, from: Hex) -> impl Iterator<Item = Hex> + use<> {
    let found: Vec<Hex> = game
        .neighbours(from)
        .iter()
        .copied()
        .filter(|&to| game.can_attack(position, from, to).is_ok())
        .collect();
    found.into_iter()
}

/// A refusal of the rules as a sentence above the board.
pub(super) fn notice(refusal: &Refusal) -> Notice {
    match *refusal {
        Refusal::GameOver => Notice::GameOver,
        Refusal::NoSuchHex { .. } => Notice::NoSuchHex,
        Refusal::NotYourHex { hex } => Notice::NotYourHex { hex: hex.number() },
        Refusal::OneDie { hex } => Notice::OneDie { hex: hex.number() },
        Refusal::NotNeighbours { from, to } => Notice::NotNeighbours {
            from: from.number(),
            to: to.number(),
        },
        Refusal::OwnTarget { to } => Notice::OwnTarget { to: to.number() },
        Refusal::TooFewDice { from, to } => Notice::TooFewDice {
            from: from.number(),
            to: to.number(),
        },
        Refusal::NothingToPass => Notice::NothingToPass,
    }
}

/// What the service refused, as a sentence above the board.
pub(super) fn refused(why: &Refused) -> Notice {
    match why {
        Refused::Over => Notice::GameOver,
        Refused::NotYourTurn => Notice::NotYourTurn,
        Refused::Dice(refusal) => notice(refusal),
        Refused::OtherGame => Notice::NoSuchHex,
    }
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
}

/// Where links of the board lead.
pub(super) struct Links<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String> {
    /// Choosing a source.
    pub(super) source: F,
    /// Choosing a target.
    pub(super) target: T,
    /// Putting the dice back.
    pub(super) back: String,
}

/// A board on which nothing can be clicked.
pub(super) fn still_board(game: &DiceOfDoom, position: &Position) -> BoardView {
    BoardView {
        side: game.side(),
        max_dice: game.max_dice(),
        hexes: game
            .all_hexes()
            .map(|hex| HexView {
                owner: position.owner(hex).number(),
                dice: position.dice(hex),
                ..HexView::default()
            })
            .collect(),
        last_attack: None,
    }
}

/// Puts the links of the player to move on a board.
pub(super) fn choosable<F: Fn(Hex) -> String, T: Fn(Hex, Hex) -> String>(
    board: &mut BoardView,
    game: &DiceOfDoom,
    position: &Position,
    chosen: Chosen,
    links: &Links<F, T>,
) {
    let from = match chosen {
        Chosen::Nothing => None,
        Chosen::Source(from) | Chosen::Target(from, _) => Some(from),
    };
    for hex in game.all_hexes() {
        let view = &mut board.hexes[usize::from(hex.number())];
        if Some(hex) == from {
            view.state = HexState::Chosen;
            view.href = Some(links.back.clone());
        } else if from.is_some_and(|from| game.can_attack(position, from, hex).is_ok()) {
            let from = from.expect("just looked at");
            view.state = HexState::Target {
                odds: game.odds(position, from, hex),
            };
            view.href = Some((links.target)(from, hex));
        } else if source(game, position, hex).is_ok() {
            view.state = HexState::Choosable;
            view.href = Some((links.source)(hex));
        }
    }
}

/// Marks what the last ply did: the attack, or where reinforcements landed.
fn mark_last(board: &mut BoardView, game: &DiceOfDoom, before: &Position, ply: &Ply<DiceOfDoom>) {
    match ply.action {
        Action::Attack { from, to } => board.last_attack = Some((from.number(), to.number())),
        Action::EndTurn => {
            for (hex, dice) in game.reinforced(before) {
                board.hexes[usize::from(hex.number())].reinforced = dice;
            }
            if pays_for_clusters(game.rules()) {
                for hex in game.cluster(before, before.player()) {
                    board.hexes[usize::from(hex.number())].in_cluster = true;
                }
            }
        }
    }
}

/// Whether reinforcements come from the largest cluster.
pub(super) fn pays_for_clusters(rules: Rules) -> bool {
    matches!(rules, Rules::V4 | Rules::Conquest)
}

/// A record, walked: what stood before each ply.
struct Walk {
    /// Position before the last ply shown, if any was played.
    before: Option<Position>,
    /// The position shown.
    position: Position,
    /// The turn shown, counted from 1.
    turn: u32,
    /// Newest first, bounded.
    log: Vec<LogEntry>,
    /// The newest attack within the log.
    attack: Option<RollView>,
}

fn walk(session: &Session<DiceOfDoom>, until: u32, entries: usize) -> Walk {
    let (game, record) = (session.game(), session.record());
    let until = until.min(record.len());
    let mut walk = Walk {
        before: None,
        position: record.start.clone(),
        turn: 1,
        log: Vec::new(),
        attack: None,
    };
    for (number, ply) in record.plies.iter().take(until as usize).enumerate() {
        let next = wire::follow(game, &walk.position, ply);
        if number.saturating_add(entries) >= until as usize {
            let event = event(game, &walk.position, &next, ply);
            if let LogEvent::Attack(roll) = &event {
                walk.attack = Some(roll.clone());
            }
            walk.log.push(LogEntry {
                ply: number as u32 + 1,
                turn: walk.turn,
                player: ply.player.number(),
                event,
            });
        }
        if ply.action == Action::EndTurn {
            walk.turn += 1;
        }
        walk.before = Some(std::mem::replace(&mut walk.position, next));
    }
    if until == record.len()
        && let Some(ending) = record.ending
    {
        let mover = walk.position.player();
        let (player, event) = match ending {
            Ending::Resigned(player) => (player, LogEvent::Resigned),
            Ending::Limit => (mover, LogEvent::Limit),
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

fn event(
    game: &DiceOfDoom,
    before: &Position,
    after: &Position,
    ply: &Ply<DiceOfDoom>,
) -> LogEvent {
    match ply.action {
        Action::EndTurn => LogEvent::EndTurn {
            dice: game
                .reinforced(before)
                .iter()
                .map(|(_, dice)| u32::from(*dice))
                .sum(),
        },
        Action::Attack { from, to } => {
            let throw = ply.roll.throw();
            LogEvent::Attack(RollView {
                attacker: ply.player.number(),
                defender: before.owner(to).number(),
                from: from.number(),
                to: to.number(),
                attack: throw
                    .map(|throw| throw.attack.as_slice().to_vec())
                    .unwrap_or_default(),
                defend: throw
                    .map(|throw| throw.defend.as_slice().to_vec())
                    .unwrap_or_default(),
                dice: (before.dice(from), before.dice(to)),
                captured: after.owner(to) == ply.player,
            })
        }
    }
}

/// The whole log, newest first.
pub(super) fn whole_log(snapshot: &Snapshot) -> Vec<LogEntry> {
    match &snapshot.live {
        Live::Dice(session) => walk(session, u32::MAX, usize::MAX).log,
    }
}

/// The list of players at a position.
pub(super) fn players(
    snapshot: &Snapshot,
    game: &DiceOfDoom,
    position: &Position,
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
        .map(|(player, seat)| {
            let (hexes, dice) = game.count(position, player);
            PlayerView {
                number: player.number(),
                name: seat.name.clone(),
                who: match &seat.sitter {
                    Sitter::Level(level) => Who::Level(level.clone()),
                    Sitter::Human | Sitter::Open if own.contains(&player) => {
                        if own.len() == 1 {
                            Who::You
                        } else {
                            Who::YouToo
                        }
                    }
                    Sitter::Human | Sitter::Open => Who::Person,
                },
                holdings: Holdings::Dice {
                    hexes,
                    dice,
                    cluster: game.largest_cluster(position, player),
                },
                on_turn: mover == Some(player),
                winner: winners.contains(&player),
            }
        })
        .collect()
}

/// How a game ended; `None` while it goes on.
pub(super) fn result(
    snapshot: &Snapshot,
    session: &Session<DiceOfDoom>,
    own: &[Player],
) -> Option<ResultView> {
    if !snapshot.live.is_over() {
        return None;
    }
    let (game, position) = (session.game(), session.position());
    let winners = snapshot.live.winners();
    let hexes = |player: Player| game.count(position, player).0;
    let reason = match session.record().ending {
        Some(Ending::Resigned(_)) => EndReason::Resigned,
        Some(Ending::Limit) => EndReason::Limit,
        None if game.rules() == Rules::Conquest => {
            let owners = Player::all(game.players())
                .filter(|&player| hexes(player) > 0)
                .count();
            if owners == 1 {
                EndReason::Conquered
            } else {
                EndReason::Quiet
            }
        }
        None => EndReason::Stuck {
            player: position.player().number(),
        },
    };
    let you = match own {
        [you] => {
            let better = Player::all(game.players())
                .filter(|&other| hexes(other) > hexes(*you))
                .count();
            Some(YouView {
                seat: you.number(),
                place: better as u32 + 1,
                hexes: Some(hexes(*you)),
            })
        }
        _ => None,
    };
    Some(ResultView {
        hexes: Some(winners.first().map_or(0, |&winner| hexes(winner))),
        winners: wire::numbers(&winners),
        plies: session.record().len(),
        reason,
        you,
    })
}

/// The page of a game at one of its plies.
pub(super) fn game_view(shown: &Shown<'_>) -> GameView {
    let Live::Dice(session) = &shown.snapshot.live;
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

    let mut board = still_board(game, position);
    if let (Some(before), Some(last)) = (
        &walk.before,
        (ply > 0).then(|| &session.record().plies[ply as usize - 1]),
    ) {
        mark_last(&mut board, game, before, last);
    }
    let id = snapshot.id.to_string();
    let here = format!("/g/{id}");
    let chosen = if mine { shown.chosen } else { Chosen::Nothing };
    let mut prompt = prompt(shown, game, position, chosen, &here, mover);
    let mut attacks = Vec::new();
    let mut pass = None;
    if mine {
        let links = Links {
            source: |hex: Hex| format!("{here}?from={hex}"),
            target: |from: Hex, to: Hex| format!("{here}?from={from}&to={to}"),
            back: here.clone(),
        };
        choosable(&mut board, game, position, chosen, &links);
        let attack = |from: Hex, to: Hex| AttackView {
            from: from.number(),
            to: to.number(),
            odds: game.odds(position, from, to),
        };
        match chosen {
            Chosen::Nothing => {}
            Chosen::Source(from) => {
                attacks = targets(game, position, from)
                    .map(|to| attack(from, to))
                    .collect();
            }
            Chosen::Target(from, to) => attacks = vec![attack(from, to)],
        }
        if game.judge(position, Action::EndTurn).is_ok() {
            pass = Some(PassView {
                dice: game.reinforcements(position),
                cluster: pays_for_clusters(game.rules())
                    .then(|| game.largest_cluster(position, position.player())),
            });
        }
        let can_attack = board.hexes.iter().any(|hex| hex.href.is_some());
        if !can_attack {
            prompt = Prompt::OnlyEndTurn;
        }
    }
    GameView {
        id,
        ply,
        newest,
        turn: walk.turn,
        variant: variant(game),
        board: Board::Dice(board),
        prompt,
        mover: mover.map(Player::number),
        pass,
        attacks,
        drops: Vec::new(),
        roll: walk.attack,
        players: players(snapshot, game, position, shown.seats, ply == newest),
        log: walk.log,
        notice: shown.notice.clone(),
        refresh_s: (live && !over && !mine).then(|| {
            if snapshot.computer_to_move().is_some() {
                1
            } else {
                3
            }
        }),
        result: if ply == newest {
            result(snapshot, session, shown.seats)
        } else {
            None
        },
        may_resign: live && !over && !shown.seats.is_empty(),
        may_rematch: !shown.seats.is_empty(),
    }
}

fn variant(game: &DiceOfDoom) -> Variant {
    Variant::Dice {
        rules: game.rules().name().to_owned(),
    }
}

fn prompt(
    shown: &Shown<'_>,
    game: &DiceOfDoom,
    position: &Position,
    chosen: Chosen,
    here: &str,
    mover: Option<Player>,
) -> Prompt {
    if shown.ply.is_some() {
        return Prompt::Replay;
    }
    let Some(mover) = mover else {
        return Prompt::Over;
    };
    let player = mover.number();
    if shown.seats.contains(&mover) {
        return match chosen {
            Chosen::Nothing => Prompt::ChooseSource,
            Chosen::Source(from) => Prompt::ChooseTarget {
                from: from.number(),
                dice: position.dice(from),
                targets: targets(game, position, from).count() as u32,
                back: here.to_owned(),
            },
            Chosen::Target(from, to) => Prompt::Confirm {
                from: from.number(),
                to: to.number(),
                odds: game.odds(position, from, to),
                back: format!("{here}?from={from}"),
            },
        };
    }
    if shown.seats.is_empty() {
        Prompt::Watching { player }
    } else if shown.snapshot.computer_to_move().is_some() {
        Prompt::Thinking { player }
    } else {
        Prompt::Waiting { player }
    }
}

/// A card of "your games".
pub(super) fn card(snapshot: &Snapshot, own: &[Player]) -> CardView {
    let Live::Dice(session) = &snapshot.live;
    let (game, position) = (session.game(), session.position());
    let turns = session
        .record()
        .plies
        .iter()
        .filter(|ply| ply.action == Action::EndTurn)
        .count();
    CardView {
        id: snapshot.id.to_string(),
        variant: variant(game),
        board: Board::Dice(still_board(game, position)),
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
