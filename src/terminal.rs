//! The text games (Land of Lisp, chapters 15, 18 and 20): a game on stdin and stdout, as the book
//! plays it.
//!
//! People choose from the book's numbered list; levels answer at once. After anything else that a
//! person types the game asks again; it ends when the input ends or nobody reads the output. Nothing
//! is kept unless a record is asked for.
//!
//! What a game prints is one small impl for each game; sentences are in `templates/text`.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use thiserror::Error;

use crate::clock::now_ms;
use crate::game::{Player, Status};
use crate::games::{AnyGame, AnySetupError, Parameters};
use crate::level::Level;
use crate::lines::{self, Line};
use crate::record::{Ending, MOST_PLIES};
use crate::seats::SeatWord;
use crate::session::Session;
use crate::streams::{DiceSeed, deal_stream, dice_stream, level_stream, repeatable_dice};
use crate::templates::text::{Language, Text};
use crate::wire::{self, RecordJson};

mod paint;
mod printed;
mod saved;

pub use paint::Paint;

use printed::Printed;
use saved::Saving;

/// A game to play in the terminal: the rules, and who sits where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TerminalGame {
    /// The game with its parameters.
    pub parameters: Parameters,
    /// One seat for each player, in order.
    pub seats: Vec<Seat>,
    /// The same seed repeats a whole game: the deal, the dice and what levels choose.
    pub seed: u64,
    /// Where the record goes when the game is left.
    pub record: Option<PathBuf>,
}

/// Who plays in a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seat {
    /// A person at the keyboard.
    Human,
    /// A computer of this level.
    Level(Level),
}

impl Seat {
    /// The seat that a word asks for; none is open, for nobody can be invited to a terminal.
    #[must_use]
    pub const fn of(word: SeatWord) -> Option<Self> {
        match word {
            SeatWord::Human => Some(Seat::Human),
            SeatWord::Level(level) => Some(Seat::Level(level)),
            SeatWord::Open => None,
        }
    }
}

/// Why a game cannot be played.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The parameters do not make a game.
    #[error("{0}")]
    Setup(#[from] AnySetupError),
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
    /// Whether the parameters make a game and everybody has a seat.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn check(&self) -> Result<(), PlayError> {
        self.parameters.build()?;
        let players = self.parameters.players();
        if self.seats.len() != usize::from(players) {
            let seats = self.seats.len();
            return Err(PlayError::Seats { players, seats });
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
        paint: Paint,
    ) -> Result<(), PlayError> {
        self.check()?;
        let screen = Screen {
            input,
            output,
            paint,
            text: Text::of(Language::English),
        };
        match self.parameters.build()? {
            AnyGame::Dice(game) => {
                let start = game.deal(&mut deal_stream(self.seed));
                let start = start.map_err(AnySetupError::from)?;
                self.sit_down(Session::new(game, start), screen)
            }
            AnyGame::Trilobite(game) => self.sit_down(Session::new(game, game.empty()), screen),
        }
    }

    fn sit_down<G: Printed>(
        &self,
        session: Session<G>,
        screen: Screen<impl BufRead, impl Write>,
    ) -> Result<(), PlayError> {
        let saving = self.record.as_deref().map(Saving::to).transpose()?;
        let mut game = TextSession {
            asked: self,
            dice: repeatable_dice(self.seed),
            session,
            screen,
        };
        match game.run() {
            // Nobody reads the output any more.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            result => result?,
        }
        match saving {
            Some(saving) => saving.finish(&game.record()),
            None => Ok(()),
        }
    }
}

/// What a person answers.
enum Answer<A> {
    Action(A),
    Quit,
}

/// A game under way in the terminal.
struct TextSession<'t, G: Printed, I, O> {
    asked: &'t TerminalGame,
    dice: DiceSeed,
    session: Session<G>,
    screen: Screen<I, O>,
}

impl<G: Printed, I: BufRead, O: Write> TextSession<'_, G, I, O> {
    fn run(&mut self) -> io::Result<()> {
        loop {
            if self.session.is_at_limit() {
                self.session.end(Ending::Limit);
            }
            let status = self.session.status();
            self.show_position()?;
            match status {
                Status::Over(_) => return self.announce(),
                Status::Turn(player) => {
                    let Answer::Action(action) = self.choose(player)? else {
                        return self.screen.say("terminal-bye", &[]);
                    };
                    self.play(player, action)?;
                }
            }
        }
    }

    fn choose(&mut self, player: Player) -> io::Result<Answer<G::Action>> {
        let game = self.session.game();
        let position = self.session.position();
        match self.asked.seats[usize::from(player.number())] {
            Seat::Human => self.ask(),
            Seat::Level(level) => {
                let ply = self.session.record().len();
                let mut variety = level_stream(&self.asked.seed.to_string(), ply);
                let action = level.choose(game, position, &mut variety);
                let (who, what) = (game.letter(player), game.menu(action, self.screen.text));
                let values = [("who", who.as_str().into()), ("what", what.as_str().into())];
                self.screen.say("terminal-plays", &values)?;
                Ok(Answer::Action(action))
            }
        }
    }

    /// Asks the person with the book's menu until an action is chosen from it.
    fn ask(&mut self) -> io::Result<Answer<G::Action>> {
        let game = self.session.game();
        let actions: Vec<G::Action> = game.actions(self.session.position()).collect();
        let screen = &mut self.screen;
        screen.say("terminal-choose", &[])?;
        for (number, &action) in (1..).zip(&actions) {
            screen.line(&format!("{number}. {}", game.menu(action, screen.text)))?;
        }
        let most = actions.len() as u32;
        loop {
            match screen.heard()?.as_deref() {
                None | Some("q") => return Ok(Answer::Quit),
                Some("?") => {
                    screen.say("terminal-help", &[("most", most.into())])?;
                    screen.say(game.help(), &[])?;
                    screen.line(&game.map())?;
                }
                Some(words) => match chosen(words, &actions) {
                    Some(action) => return Ok(Answer::Action(action)),
                    None => screen.say("terminal-again", &[("most", most.into())])?,
                },
            }
        }
    }

    fn play(&mut self, player: Player, action: G::Action) -> io::Result<()> {
        let mut dice = dice_stream(&self.dice, self.session.record().len());
        let ply = self.session.decide(player, action, &mut dice, now_ms());
        let ply = ply.expect("only listed actions of the mover come here");
        if let Some(rolled) = G::rolled(&ply, self.screen.text) {
            self.screen.line(&rolled)?;
        }
        self.session = self
            .session
            .after(ply)
            .expect("it was decided here and now");
        Ok(())
    }

    fn show_position(&mut self) -> io::Result<()> {
        let (game, position) = (self.session.game(), self.session.position());
        let who = game.letter(game.player(position));
        let screen = &mut self.screen;
        screen.say("terminal-player", &[("who", who.as_str().into())])?;
        screen.line(&game.board(position, screen.paint))
    }

    fn record(&self) -> RecordJson {
        let (game, position) = (self.session.game(), self.session.position());
        let over = self.session.status().is_over();
        // Nobody resigns in a terminal, so the board's count is the result.
        let winners = over.then(|| wire::numbers(&game.winners(position)));
        RecordJson::of(self.session.record(), winners)
    }

    fn announce(&mut self) -> io::Result<()> {
        if self.session.record().ending == Some(Ending::Limit) {
            let values = [("plies", MOST_PLIES.into())];
            self.screen.say("terminal-limit", &values)?;
        }
        let game = self.session.game();
        let winners = game.winners(self.session.position());
        let letters: Vec<String> = winners.iter().map(|&player| game.letter(player)).collect();
        let who = letters.join(" ");
        let key = match winners.len() {
            0 => "terminal-draw",
            1 => "book-winner",
            _ => "book-tie",
        };
        self.screen.say(key, &[("who", who.as_str().into())])
    }
}

/// The action that these words name: by its number in the list, or as records write it.
fn chosen<A: Copy + PartialEq + std::str::FromStr>(words: &str, actions: &[A]) -> Option<A> {
    if let Ok(number) = words.parse::<usize>() {
        return actions.get(number.checked_sub(1)?).copied();
    }
    let action = words.parse().ok()?;
    actions.contains(&action).then_some(action)
}

/// The input and output of the person at the terminal.
struct Screen<I, O> {
    input: I,
    output: O,
    paint: Paint,
    text: &'static Text,
}

impl<I: BufRead, O: Write> Screen<I, O> {
    fn say(
        &mut self,
        key: &str,
        values: &[(&str, crate::templates::text::Value<'_>)],
    ) -> io::Result<()> {
        let sentence = self.text.say_with(key, values);
        self.line(&sentence)
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }

    /// What was typed; `None` at the end of input.
    fn heard(&mut self) -> io::Result<Option<String>> {
        self.output.flush()?;
        let mut buffer = Vec::new();
        Ok(match lines::next(&mut self.input, &mut buffer)? {
            None => None,
            Some(Line::TooLong) => Some(String::new()),
            Some(Line::Bytes(bytes)) => Some(String::from_utf8_lossy(bytes).trim().to_owned()),
        })
    }
}
