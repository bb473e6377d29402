//! The text games (Land of Lisp, chapters 15, 18 and 20): a game on stdin and stdout in the book's format.
//!
//! People choose from the book's numbered list; computer players act immediately. Invalid input repeats the
//! prompt. The game ends at the end of input, or when the output is closed. Nothing is saved unless a record
//! file is given.
//!
//! The output of a game is defined by its adapter ([`TerminalAdapter`](crate::games::TerminalAdapter));
//! the texts are in `templates/text`.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::clock::now_ms;
use crate::formats::RecordMetadata;
use crate::formats::record::{Provenance, RecordPlayerJson, RecordPlayerKind};
use crate::game::{Player, Status};
use crate::games::ParsedRecord;
use crate::games::terminal::ColourMode;
use crate::games::{
    ActionIndex, ConfiguredGame, DealError, LiveGameRef, StartPosition, SubmittedAction,
};
use crate::level::{LevelSpec, MissingLevelError};
use crate::lines::{self, BoundedLine};
use crate::provably_fair::GameDice;
use crate::record::{Ending, MAX_ENTRIES, MAX_TAKEBACKS};
use crate::rng::{agent_rng, dice_seed_from_u64};
use crate::search::StopToken;
use crate::seats::SeatSpec;
use crate::templates::localization::{MessageValue, Translations};

mod keyboard;
mod record_file;

pub use keyboard::{Hangup, Keyboard};

use record_file::RecordFile;

/// A game to play in the terminal.
#[derive(Clone, Debug)]
pub struct TerminalGame {
    pub setting: Arc<dyn ConfiguredGame>,
    /// One for each player, in order.
    pub seats: Vec<TerminalSeat>,
    /// Determines the deal, the dice and the choices of levels.
    pub seed: u64,
    /// A game to continue, instead of dealing one.
    pub resumed: Option<LiveGameRef>,
    /// The file for the record, which is written when the game ends or is left.
    pub record: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalSeat {
    /// A person at the keyboard.
    Human,
    Level(LevelSpec),
}

impl TerminalSeat {
    /// The seat of a specification; `None` for an open seat, as nobody can join a game in a terminal.
    #[must_use]
    pub const fn from_spec(spec: SeatSpec) -> Option<Self> {
        match spec {
            SeatSpec::Human => Some(TerminalSeat::Human),
            SeatSpec::Level(level) => Some(TerminalSeat::Level(level)),
            SeatSpec::Open => None,
        }
    }
}

/// Why a game cannot be played.
#[derive(Debug, Error)]
pub enum TerminalError {
    /// No deal is playable, or the start position is invalid.
    #[error("{0}")]
    Deal(#[from] DealError),
    /// The number of seats is not the number of players.
    #[error("{players} players need {players} seats, not {seats}")]
    Seats { players: u8, seats: usize },
    /// A seat has a level that the game lacks.
    #[error("{0}")]
    Level(#[from] MissingLevelError),
    /// The record cannot be written.
    #[error("the record cannot be written to {}: {error}", path.display())]
    Record { path: PathBuf, error: io::Error },
    /// Reading or writing failed, except because of a closed pipe.
    #[error("{0}")]
    Pipe(#[from] io::Error),
}

impl TerminalGame {
    /// Checks the seats.
    ///
    /// # Errors
    /// If there is not one seat for each player, or the game lacks a level.
    pub fn check(&self) -> Result<(), TerminalError> {
        let players = self.setting.players();
        if self.seats.len() != usize::from(players) {
            let seats = self.seats.len();
            return Err(TerminalError::Seats { players, seats });
        }
        for seat in &self.seats {
            if let TerminalSeat::Level(strength) = seat {
                self.setting.check_level(strength.level)?;
            }
        }
        Ok(())
    }

    /// Plays until the game is over, a person quits, or the input ends.
    ///
    /// # Errors
    /// If the seats do not fit the game or the record file is not writable; both are checked before the first
    /// ply.
    pub fn play(
        &self,
        input: impl BufRead,
        output: impl Write,
        paint: ColourMode,
        text: &Translations,
    ) -> Result<(), TerminalError> {
        self.play_until(&StopToken::new(), input, output, paint, text)
    }

    /// Like [`TerminalGame::play`], but also leaves the game before the next ply when `stop` is set.
    ///
    /// # Errors
    /// As [`TerminalGame::play`].
    pub fn play_until(
        &self,
        stop: &StopToken,
        input: impl BufRead,
        output: impl Write,
        paint: ColourMode,
        text: &Translations,
    ) -> Result<(), TerminalError> {
        self.check()?;
        let live = match &self.resumed {
            Some(resumed) => resumed.clone(),
            None => self.setting.new_game(&StartPosition::Dealt(self.seed))?,
        };
        let record_file = self
            .record
            .as_deref()
            .map(RecordFile::prepare)
            .transpose()?;
        let mut game = TerminalSession {
            setup: self,
            dice: GameDice::PerEntryStreams(dice_seed_from_u64(self.seed)),
            live,
            console: Console {
                input,
                output,
                paint,
                text,
                stop,
            },
        };
        match game.run() {
            // The output has been closed.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            result => result?,
        }
        match record_file {
            Some(record_file) => record_file.save(&self.record_text(game.live)),
            None => Ok(()),
        }
    }
}

impl TerminalGame {
    /// The record: notation for the file extension `txt`, otherwise JSON.
    fn record_text(&self, live: LiveGameRef) -> String {
        let seats = (0..).zip(&self.seats).map(|(player, seat)| match seat {
            TerminalSeat::Human => RecordPlayerJson::new(player, RecordPlayerKind::Human),
            TerminalSeat::Level(level) => RecordPlayerJson::level(player, *level),
        });
        let metadata = RecordMetadata {
            provenance: Provenance {
                seats: seats.collect(),
                seed: Some(self.seed),
                arena: None,
            },
            ..RecordMetadata::EMPTY
        };
        let extension = self.record.as_ref().and_then(|path| path.extension());
        if extension.is_some_and(|extension| extension == "txt") {
            ParsedRecord { live, metadata }.notation()
        } else {
            format!("{}\n", live.record_json(&metadata))
        }
    }
}

/// A person's input.
enum PlayerInput {
    Action(ActionIndex),
    TakeBack,
    Quit,
}

/// A game in progress in the terminal.
struct TerminalSession<'t, I, O> {
    setup: &'t TerminalGame,
    dice: GameDice,
    live: LiveGameRef,
    console: Console<'t, I, O>,
}

impl<I: BufRead, O: Write> TerminalSession<'_, I, O> {
    fn run(&mut self) -> io::Result<()> {
        loop {
            if self.live.is_at_limit() {
                self.live = self.live.with_ending(Ending::Limit);
            }
            let status = self.live.status();
            self.show_position()?;
            match status {
                Status::Over(_) => return self.print_result(),
                Status::Turn(_) if self.console.stop.is_stop_requested() => {
                    return self.console.print_message("terminal-bye", &[]);
                }
                Status::Turn(player) => match self.choose(player)? {
                    PlayerInput::Action(action) => self.play(player, action)?,
                    PlayerInput::TakeBack => self.take_back()?,
                    PlayerInput::Quit => return self.console.print_message("terminal-bye", &[]),
                },
            }
        }
    }

    fn choose(&mut self, player: Player) -> io::Result<PlayerInput> {
        match self.setup.seats[usize::from(player.number())] {
            TerminalSeat::Human => self.choose_from_menu(),
            TerminalSeat::Level(level) => {
                let seed = self.setup.seed.to_string();
                let mut rng = agent_rng(&seed, self.live.entry_count());
                let action = self
                    .live
                    .position_with_decisions()
                    .choose_action(level, &mut rng);
                let action = action.expect("the game is not over");
                let menu = self.live.position().action_menu(self.console.text);
                let who = self.live.configured_game().player_letter(player);
                let values = [
                    ("who", who.as_str().into()),
                    ("what", menu[action.number()].as_str().into()),
                ];
                self.console.print_message("terminal-plays", &values)?;
                Ok(PlayerInput::Action(action))
            }
        }
    }

    /// Shows the book's menu until a valid choice is entered.
    fn choose_from_menu(&mut self) -> io::Result<PlayerInput> {
        let live = &self.live;
        let console = &mut self.console;
        let menu = live.position().action_menu(console.text);
        console.print_message("terminal-choose", &[])?;
        for (number, label) in (1..).zip(&menu) {
            console.print_line(&format!("{number}. {label}"))?;
        }
        let max = menu.len() as u32;
        let find = |notation: &str| {
            let submitted = SubmittedAction::Notation(notation.to_owned());
            live.find_action(live.entry_count(), &submitted).ok()
        };
        loop {
            match console.read_line()?.as_deref() {
                None | Some("q") => return Ok(PlayerInput::Quit),
                Some("?") => {
                    console.print_message("terminal-help", &[("most", max.into())])?;
                    console.print_message("terminal-help-undo", &[])?;
                    let (help, map) = live.configured_game().label_map();
                    console.print_message(help, &[])?;
                    console.print_line(&map)?;
                }
                // On a wide board `u` is also the name of a column.
                Some("u") if find("u").is_none() => {
                    return Ok(PlayerInput::TakeBack);
                }
                Some(input) => {
                    // A number of the list, or an action in notation.
                    let chosen = match input.parse::<usize>() {
                        Ok(number) => number.checked_sub(1).and_then(|index| live.action(index)),
                        Err(_) => find(input),
                    };
                    match chosen {
                        Some(action) => return Ok(PlayerInput::Action(action)),
                        None => console.print_message("terminal-again", &[("most", max.into())])?,
                    }
                }
            }
        }
    }

    fn play(&mut self, player: Player, action: ActionIndex) -> io::Result<()> {
        let ply = self.live.entry_count();
        let prepared = self.live.prepare_ply(player, action, &self.dice, now_ms());
        let prepared = prepared.expect("the action is legal");
        if let Some(rolled) = prepared.next.roll_text(ply, self.console.text) {
            self.console.print_line(&rolled)?;
        }
        self.live = prepared.next;
        Ok(())
    }

    /// Takes back the last ply of a human player and all later plies.
    fn take_back(&mut self) -> io::Result<()> {
        let seats = Player::all(self.live.players()).zip(&self.setup.seats);
        let people = seats.filter(|(_, seat)| matches!(seat, TerminalSeat::Human));
        let newest = self
            .live
            .last_ply_of(people.map(|(player, _)| player).collect());
        let target = newest.and_then(|to| Some((to, self.live.ply_player(to)?)));
        let Some((to, player)) = target else {
            return self
                .console
                .print_message("notice-nothing-to-take-back", &[]);
        };
        match self.live.with_takeback(player, to, now_ms()) {
            Ok((_, before)) => {
                self.live = before;
                self.console.print_message("terminal-taken-back", &[])
            }
            Err(_) => {
                let values = [("most", MAX_TAKEBACKS.into())];
                self.console
                    .print_message("notice-too-many-takebacks", &values)
            }
        }
    }

    fn show_position(&mut self) -> io::Result<()> {
        let who = self.live.position().mover_name();
        let console = &mut self.console;
        console.print_message("terminal-player", &[("who", who.as_str().into())])?;
        console.print_line(&self.live.position().text_board(console.paint))
    }

    fn print_result(&mut self) -> io::Result<()> {
        if self.live.ending() == Some(Ending::Limit) {
            let values = [("plies", MAX_ENTRIES.into())];
            self.console.print_message("terminal-limit", &values)?;
        }
        let winners = self.live.winners();
        let letters = winners
            .iter()
            .map(|&player| self.live.configured_game().player_letter(player));
        let letters: Vec<String> = letters.collect();
        let who = letters.join(" ");
        let key = match winners.len() {
            0 => "terminal-draw",
            1 => "book-winner",
            _ => "book-tie",
        };
        self.console
            .print_message(key, &[("who", who.as_str().into())])
    }
}

/// Input and output.
struct Console<'t, I, O> {
    input: I,
    output: O,
    paint: ColourMode,
    text: &'t Translations,
    stop: &'t StopToken,
}

impl<I: BufRead, O: Write> Console<'_, I, O> {
    fn print_message(&mut self, key: &str, values: &[(&str, MessageValue<'_>)]) -> io::Result<()> {
        let sentence = self.text.get_with(key, values);
        self.print_line(&sentence)
    }

    fn print_line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }

    /// The next line of input; `None` at the end of input and when `stop` is set.
    fn read_line(&mut self) -> io::Result<Option<String>> {
        self.output.flush()?;
        if self.stop.is_stop_requested() {
            return Ok(None);
        }
        let mut buffer = Vec::new();
        Ok(match lines::read_line(&mut self.input, &mut buffer)? {
            None => None,
            Some(BoundedLine::TooLong) => Some(String::new()),
            Some(BoundedLine::Bytes(bytes)) => {
                Some(String::from_utf8_lossy(bytes).trim().to_owned())
            }
        })
    }
}
