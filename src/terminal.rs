//! The text games (Land of Lisp, chapters 15, 18 and 20): a game on stdin and stdout, as the book
//! plays it.
//!
//! People choose from the book's numbered list; levels answer at once. After anything else that a
//! person types the game asks again; it ends when the input ends or nobody reads the output. Nothing
//! is kept unless a record is asked for.
//!
//! What a game prints is its own face ([`Printed`](crate::game_adapters::Printed)); sentences are in
//! `templates/text`.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::clock::now_ms;
use crate::game::{Player, Status};
use crate::game_adapters::json::parser::ParsedRecord;
use crate::game_adapters::json::{Provenance, RecordMetadata, RecordPlayerJson, RecordPlayerKind};
use crate::game_adapters::terminal::{ColourMode, MenuItem};
use crate::game_adapters::{ConfiguredGame, DealError, LiveGameRef, StartPosition};
use crate::level::LevelSpec;
use crate::lines::{self, BoundedLine};
use crate::provably_fair::GameDice;
use crate::record::{Ending, MAX_PLIES, MAX_TAKEBACKS};
use crate::rng::{agent_rng, dice_seed_from_u64};
use crate::search::StopToken;
use crate::seats::SeatSpec;
use crate::templates::localization::{MessageValue, Translations};

mod keyboard;
mod record_file;

pub use keyboard::{Hangup, Keyboard};

use record_file::RecordFile;

/// A game to play in the terminal: the rules, and who sits where.
#[derive(Clone, Debug)]
pub struct TerminalGame {
    /// The game with its numbers.
    pub setting: Arc<dyn ConfiguredGame>,
    /// One for each player, in order.
    pub seats: Vec<TerminalSeat>,
    /// The same seed repeats a whole game: the deal, the dice and what levels choose.
    pub seed: u64,
    /// The game to go on with, instead of one that is dealt.
    pub begun: Option<LiveGameRef>,
    /// Where the record goes when the game is left.
    pub record: Option<PathBuf>,
}

/// Who plays in a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalSeat {
    /// A person at the keyboard.
    Human,
    /// A computer of this level.
    Level(LevelSpec),
}

impl TerminalSeat {
    /// The seat that a word asks for; none is open, for nobody can be invited to a terminal.
    #[must_use]
    pub const fn of(word: SeatSpec) -> Option<Self> {
        match word {
            SeatSpec::Human => Some(TerminalSeat::Human),
            SeatSpec::Level(level) => Some(TerminalSeat::Level(level)),
            SeatSpec::Open => None,
        }
    }
}

/// Why a game cannot be played.
#[derive(Debug, Error)]
pub enum TerminalError {
    /// No deal can be played.
    #[error("{0}")]
    Deal(#[from] DealError),
    /// There is not one seat for each player.
    #[error("{players} players need {players} seats, not {seats}")]
    Seats {
        /// How many players the game has.
        players: u8,
        /// How many seats were given.
        seats: usize,
    },
    /// The record cannot be written there.
    #[error("the record cannot be written to {}: {error}", path.display())]
    Record {
        /// The path that was given.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// Reading or writing failed otherwise than by a closed pipe.
    #[error("{0}")]
    Pipe(#[from] io::Error),
}

impl TerminalGame {
    /// Whether everybody has a seat.
    ///
    /// # Errors
    /// When there is not one seat for each player.
    pub fn check(&self) -> Result<(), TerminalError> {
        let players = self.setting.players();
        if self.seats.len() != usize::from(players) {
            let seats = self.seats.len();
            return Err(TerminalError::Seats { players, seats });
        }
        Ok(())
    }

    /// Plays until the game is over, somebody quits, or the input ends.
    ///
    /// # Errors
    /// When the seats do not fit the game or the record cannot be written; both are known before the first
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

    /// As [`TerminalGame::play`]; the game is also left when `stop` is raised, with the next input or ply.
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
        let live = match &self.begun {
            Some(begun) => begun.clone(),
            None => self.setting.begin(&StartPosition::Deal(self.seed))?,
        };
        let saving = self.record.as_deref().map(RecordFile::to).transpose()?;
        let mut game = TerminalSession {
            asked: self,
            dice: GameDice::Streams(dice_seed_from_u64(self.seed)),
            live,
            screen: Console {
                input,
                output,
                paint,
                text,
                stop,
            },
        };
        match game.run() {
            // Nobody reads the output any more.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            result => result?,
        }
        match saving {
            Some(saving) => saving.finish(&self.written(game.live)),
            None => Ok(()),
        }
    }
}

impl TerminalGame {
    /// The record of the game, as the name of its file asks for.
    fn written(&self, live: LiveGameRef) -> String {
        let seats = (0..).zip(&self.seats).map(|(player, seat)| match seat {
            TerminalSeat::Human => RecordPlayerJson::new(player, RecordPlayerKind::Human),
            TerminalSeat::Level(level) => RecordPlayerJson::level(player, *level),
        });
        let about = RecordMetadata {
            provenance: Provenance {
                seats: seats.collect(),
                seed: Some(self.seed),
                arena: None,
            },
            ..RecordMetadata::NOTHING
        };
        let extension = self.record.as_ref().and_then(|path| path.extension());
        if extension.is_some_and(|extension| extension == "txt") {
            ParsedRecord { live, about }.notation()
        } else {
            format!("{}\n", live.record_json(&about))
        }
    }
}

/// What a person answers.
enum PlayerInput {
    Action(MenuItem),
    TakeBack,
    Quit,
}

/// A game under way in the terminal.
struct TerminalSession<'t, I, O> {
    asked: &'t TerminalGame,
    dice: GameDice,
    live: LiveGameRef,
    screen: Console<'t, I, O>,
}

impl<I: BufRead, O: Write> TerminalSession<'_, I, O> {
    fn run(&mut self) -> io::Result<()> {
        loop {
            if self.live.is_at_limit() {
                self.live = self.live.ended(Ending::Limit);
            }
            let status = self.live.status();
            self.show_position()?;
            match status {
                Status::Over(_) => return self.announce(),
                Status::Turn(_) if self.screen.stop.is_stop_requested() => {
                    return self.screen.say("terminal-bye", &[]);
                }
                Status::Turn(player) => match self.choose(player)? {
                    PlayerInput::Action(item) => self.play(player, &item)?,
                    PlayerInput::TakeBack => self.take_back()?,
                    PlayerInput::Quit => return self.screen.say("terminal-bye", &[]),
                },
            }
        }
    }

    fn choose(&mut self, player: Player) -> io::Result<PlayerInput> {
        match self.asked.seats[usize::from(player.number())] {
            TerminalSeat::Human => self.ask(),
            TerminalSeat::Level(level) => {
                let seed = self.asked.seed.to_string();
                let mut variety = agent_rng(&seed, self.live.ply());
                let item = self.live.choose(level, &mut variety, self.screen.text);
                let item = item.expect("somebody is to move");
                let who = self.live.letter(player);
                let values = [
                    ("who", who.as_str().into()),
                    ("what", item.shown.as_str().into()),
                ];
                self.screen.say("terminal-plays", &values)?;
                Ok(PlayerInput::Action(item))
            }
        }
    }

    /// The book's menu, until somebody chooses from it.
    fn ask(&mut self) -> io::Result<PlayerInput> {
        let live = &self.live;
        let screen = &mut self.screen;
        let menu = live.menu(screen.text);
        screen.say("terminal-choose", &[])?;
        for (number, item) in (1..).zip(&menu) {
            screen.line(&format!("{number}. {}", item.shown))?;
        }
        let most = menu.len() as u32;
        loop {
            match screen.heard()?.as_deref() {
                None | Some("q") => return Ok(PlayerInput::Quit),
                Some("?") => {
                    screen.say("terminal-help", &[("most", most.into())])?;
                    screen.say("terminal-help-undo", &[])?;
                    screen.say(live.help(), &[])?;
                    screen.line(&live.map())?;
                }
                // On a wide board a column may be called so.
                Some("u") if live.meant("u", screen.text).is_none() => {
                    return Ok(PlayerInput::TakeBack);
                }
                Some(words) => {
                    // By its number in the list, or as records write it.
                    let chosen = match words.parse::<usize>() {
                        Ok(number) => number.checked_sub(1).and_then(|at| menu.get(at).cloned()),
                        Err(_) => live.meant(words, screen.text),
                    };
                    match chosen {
                        Some(item) => return Ok(PlayerInput::Action(item)),
                        None => screen.say("terminal-again", &[("most", most.into())])?,
                    }
                }
            }
        }
    }

    fn play(&mut self, player: Player, item: &MenuItem) -> io::Result<()> {
        let ply = self.live.ply();
        let decided = self.live.decide(player, &item.action, &self.dice, now_ms());
        let decided = decided.expect("only listed actions of the mover come here");
        if let Some(rolled) = decided.next.rolled(ply, self.screen.text) {
            self.screen.line(&rolled)?;
        }
        self.live = decided.next;
        Ok(())
    }

    /// Takes back the newest move of the people at the keyboard, and what computers did after it.
    fn take_back(&mut self) -> io::Result<()> {
        let seats = Player::all(self.live.players()).zip(&self.asked.seats);
        let people = seats.filter(|(_, seat)| matches!(seat, TerminalSeat::Human));
        let newest = self
            .live
            .newest_of(people.map(|(player, _)| player).collect());
        let played = newest.and_then(|to| Some((to, self.live.played(to)?.0)));
        let Some((to, player)) = played else {
            return self.screen.say("notice-nothing-to-take-back", &[]);
        };
        match self.live.taken_back(player, to, now_ms()) {
            Ok((_, before)) => {
                self.live = before;
                self.screen.say("terminal-taken-back", &[])
            }
            Err(_) => {
                let most = [("most", MAX_TAKEBACKS.into())];
                self.screen.say("notice-too-many-takebacks", &most)
            }
        }
    }

    fn show_position(&mut self) -> io::Result<()> {
        let who = self.live.whose();
        let screen = &mut self.screen;
        screen.say("terminal-player", &[("who", who.as_str().into())])?;
        screen.line(&self.live.board(screen.paint))
    }

    fn announce(&mut self) -> io::Result<()> {
        if self.live.ending() == Some(Ending::Limit) {
            let values = [("plies", MAX_PLIES.into())];
            self.screen.say("terminal-limit", &values)?;
        }
        let winners = self.live.winners();
        let letters = winners.iter().map(|&player| self.live.letter(player));
        let letters: Vec<String> = letters.collect();
        let who = letters.join(" ");
        let key = match winners.len() {
            0 => "terminal-draw",
            1 => "book-winner",
            _ => "book-tie",
        };
        self.screen.say(key, &[("who", who.as_str().into())])
    }
}

/// Where people read and write.
struct Console<'t, I, O> {
    input: I,
    output: O,
    paint: ColourMode,
    text: &'t Translations,
    stop: &'t StopToken,
}

impl<I: BufRead, O: Write> Console<'_, I, O> {
    fn say(&mut self, key: &str, values: &[(&str, MessageValue<'_>)]) -> io::Result<()> {
        let sentence = self.text.say_with(key, values);
        self.line(&sentence)
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }

    /// What was typed; `None` at the end of input, and where the game is to end.
    fn heard(&mut self) -> io::Result<Option<String>> {
        self.output.flush()?;
        if self.stop.is_stop_requested() {
            return Ok(None);
        }
        let mut buffer = Vec::new();
        Ok(match lines::next(&mut self.input, &mut buffer)? {
            None => None,
            Some(BoundedLine::TooLong) => Some(String::new()),
            Some(BoundedLine::Bytes(bytes)) => {
                Some(String::from_utf8_lossy(bytes).trim().to_owned())
            }
        })
    }
}
