//! What the pages show, as plain values: computed by `web`, drawn by the functions beside this file.
//!
//! No rules, no service, no archive: a page can be drawn from a value written down in a test.
//! Players, hexes and columns are numbers here, as they are on the board; sentences are made from them by
//! [`super::text::Text`].

pub use super::look::{BoardChoice, Choice, Colours, Drawing, Look, Settings, Speed, Theme};

/// Where the reader is, for the navigation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Section {
    /// Start page and boards.
    #[default]
    Play,
    /// The reader's own games.
    Games,
    /// The rules page.
    Rules,
    /// The page of the programming interface.
    Api,
    /// The page of settings.
    Settings,
    /// The book's page, errors: nothing in the navigation is current.
    Elsewhere,
}

/// What one hex looks like in this moment.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum HexState {
    /// Nothing to do here.
    #[default]
    Resting,
    /// May be chosen as a source.
    Choosable,
    /// The chosen source.
    Chosen,
    /// Can be attacked from the chosen source; the probability is `None` where no dice are rolled.
    Target {
        /// Chance to capture it, 0..=1.
        odds: Option<f64>,
    },
}

/// One hex of the board.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HexView {
    /// The owner's number.
    pub owner: u8,
    /// How many dice stand on it.
    pub dice: u8,
    /// What may be done with it.
    pub state: HexState,
    /// Where a click leads, for choosable hexes, targets and the chosen source (back).
    pub href: Option<String>,
    /// How many dice the last reinforcement put here, 0 mostly.
    pub reinforced: u8,
    /// Part of the cluster that paid for the last reinforcement.
    pub in_cluster: bool,
}

/// A board, ready to draw. `hexes[x + side * y]`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BoardView {
    /// Hexes along each side, 2..=8.
    pub side: u8,
    /// The most dice a hex may carry, 2..=8: fixes the height of the picture.
    pub max_dice: u8,
    /// side × side hexes, row by row from the back.
    pub hexes: Vec<HexView>,
    /// The last attack, from and to, won or lost.
    pub last_attack: Option<(u8, u8)>,
}

/// What one cell of a column board holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CellView {
    /// Whose chip lies here.
    pub chip: Option<u8>,
    /// It is the chip that fell last.
    pub last: bool,
    /// It is part of a line that decided the game.
    pub line: bool,
}

/// What one column looks like in this moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColumnState {
    /// Nothing to do here.
    #[default]
    Resting,
    /// A chip may be dropped in.
    Choosable,
    /// The chosen column.
    Chosen,
}

/// One column of the board.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ColumnView {
    /// What may be done with it.
    pub state: ColumnState,
    /// Where a click leads, for choosable columns and the chosen one (back).
    pub href: Option<String>,
    /// The cell where a chip would land.
    pub landing: Option<u8>,
}

/// A board of columns, ready to draw: `cells[x + width * y]`, row 0 on top.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ColumnsView {
    /// Number of columns.
    pub width: u8,
    /// Cells in each column.
    pub height: u8,
    /// Chips in a row that win.
    pub win: u8,
    /// width × height cells, row by row from the top.
    pub cells: Vec<CellView>,
    /// The columns, left to right.
    pub columns: Vec<ColumnView>,
}

/// A board of any game.
#[derive(Clone, PartialEq, Debug)]
pub enum Board {
    /// Hexes with dice.
    Dice(BoardView),
    /// Columns with chips.
    Columns(ColumnsView),
}

/// What is being played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Dice of Doom.
    Dice {
        /// The preset: `v1` … `v4`, `conquest`.
        rules: String,
    },
    /// Trilobite: so many in a row on a board with gravity.
    Trilobite {
        /// Number of columns.
        width: u8,
        /// Cells in each column.
        height: u8,
        /// Chips in a row that win.
        win: u8,
    },
}

/// What a player has on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holdings {
    /// Land and dice.
    Dice {
        /// Hexes owned.
        hexes: u32,
        /// Dice on them.
        dice: u32,
        /// Hexes of the largest cluster.
        cluster: u32,
    },
    /// Chips on the board.
    Chips {
        /// How many.
        chips: u32,
    },
}

impl Default for Holdings {
    fn default() -> Self {
        Holdings::Dice {
            hexes: 0,
            dice: 0,
            cluster: 0,
        }
    }
}

/// A seat as its row in the list of players shows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlayerView {
    /// The player's number: colour, glyph and default name come from it.
    pub number: u8,
    /// The name a person gave, if any.
    pub name: Option<String>,
    /// Who sits there.
    pub who: Who,
    /// What the player has on the board.
    pub holdings: Holdings,
    /// It is this player's turn.
    pub on_turn: bool,
    /// Among the winners of a finished game.
    pub winner: bool,
}

/// Who sits in a seat, seen from the reader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Who {
    /// The reader's only seat: "You".
    #[default]
    You,
    /// One of several seats of the reader (hot-seat): named by colour.
    YouToo,
    /// Another person.
    Person,
    /// A computer of this level.
    Level(String),
    /// Nobody yet.
    Open,
}

/// What the page asks for, or what it waits for.
#[derive(Clone, PartialEq, Debug)]
pub enum Prompt {
    /// Choose a hex to attack from.
    ChooseSource,
    /// A source is chosen; `back` puts the dice back.
    ChooseTarget {
        /// The chosen hex.
        from: u8,
        /// Its dice, all but one of which move.
        dice: u8,
        /// How many hexes they reach.
        targets: u32,
        /// The page without the choice.
        back: String,
    },
    /// Source and target are chosen: one focused button attacks.
    Confirm {
        /// The source.
        from: u8,
        /// The target.
        to: u8,
        /// Chance to capture, `None` where no dice are rolled.
        odds: Option<f64>,
        /// The page with the source alone.
        back: String,
    },
    /// Choose a column to drop a chip in.
    ChooseColumn,
    /// A column is chosen: one focused button drops the chip.
    ConfirmColumn {
        /// The chosen column, from the left.
        column: u8,
        /// The page without the choice.
        back: String,
    },
    /// Nothing to attack: only ending the turn is left.
    OnlyEndTurn,
    /// A computer thinks.
    Thinking {
        /// Whose turn it is.
        player: u8,
        /// Turns of other games that come before it.
        ahead: u32,
    },
    /// Another person is to move.
    Waiting {
        /// Whose turn it is.
        player: u8,
    },
    /// The reader watches: no seat of the reader is in this game.
    Watching {
        /// Whose turn it is.
        player: u8,
    },
    /// The seat of the player to move is open.
    Open {
        /// Whose seat.
        player: u8,
    },
    /// A page of the past.
    Replay,
    /// The game is over; [`GameView::result`] says how.
    Over,
}

/// The button that ends the turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassView {
    /// Dice that come, `None` if nobody can say beforehand.
    pub dice: u32,
    /// The cluster they come from; `None` under the rules that pay for captured dice (v1–v3).
    pub cluster: Option<u32>,
}

/// One attack as a form button beside the board (all targets of the chosen source).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttackView {
    /// The source.
    pub from: u8,
    /// The target.
    pub to: u8,
    /// Chance to capture, `None` where no dice are rolled.
    pub odds: Option<f64>,
}

/// The dice of the last attack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RollView {
    /// Who attacked.
    pub attacker: u8,
    /// Who was attacked.
    pub defender: u8,
    /// Source and target.
    pub from: u8,
    /// The target.
    pub to: u8,
    /// The attacker's faces, 1..=6 each; empty where no dice are rolled.
    pub attack: Vec<u8>,
    /// The defender's faces.
    pub defend: Vec<u8>,
    /// Dice that stood on the source and on the target.
    pub dice: (u8, u8),
    /// Whether the target changed hands.
    pub captured: bool,
}

/// One line of what happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogEntry {
    /// The number of the position after it: its page is `/g/{id}/{ply}`.
    pub ply: u32,
    /// The turn it belongs to, counted from 1.
    pub turn: u32,
    /// Whose doing it was.
    pub player: u8,
    /// What happened.
    pub event: LogEvent,
}

/// What happened in one ply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogEvent {
    /// An attack, rolled or not.
    Attack(RollView),
    /// The end of a turn.
    EndTurn {
        /// Dice that were really placed.
        dice: u32,
    },
    /// A chip was dropped.
    Drop {
        /// The column, from the left.
        column: u8,
        /// The cell where the chip lies.
        cell: u8,
    },
    /// The player gave up; with others at the table a level plays on.
    Resigned,
    /// The ply limit ended the game.
    Limit,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultView {
    /// The winners' numbers; several tie, none is a draw.
    pub winners: Vec<u8>,
    /// Hexes that the winners own each; `None` where nobody owns land.
    pub hexes: Option<u32>,
    /// Plies played.
    pub plies: u32,
    /// Why it is over.
    pub reason: EndReason,
    /// How the reader did, when the reader sat in exactly one seat.
    pub you: Option<YouView>,
}

/// How the reader did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct YouView {
    /// The reader's player.
    pub seat: u8,
    /// The place, 1 = first.
    pub place: u32,
    /// The hexes owned; `None` where nobody owns land.
    pub hexes: Option<u32>,
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// The player to move had no attack at the start of the turn (the book's ending).
    Stuck {
        /// Who it was.
        player: u8,
    },
    /// One player owns everything (conquest).
    Conquered,
    /// Too many quiet turns (conquest).
    Quiet,
    /// A line of chips is complete.
    Line {
        /// Who made it.
        player: u8,
    },
    /// The board is full.
    Full,
    /// The last person resigned.
    Resigned,
    /// The limit of plies.
    Limit,
}

/// A sentence above the board: something was refused, or cannot be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// Another ply was played first; nothing was changed.
    StalePly,
    /// It is not the reader's turn.
    NotYourTurn,
    /// The reader has no seat here.
    NotYourSeat,
    /// The game is over.
    GameOver,
    /// Hex `hex` belongs to somebody else.
    NotYourHex {
        /// The hex.
        hex: u8,
    },
    /// Hex `hex` has one die and cannot attack.
    OneDie {
        /// The hex.
        hex: u8,
    },
    /// Source and target do not touch.
    NotNeighbours {
        /// The source.
        from: u8,
        /// The target.
        to: u8,
    },
    /// The target is the mover's own.
    OwnTarget {
        /// The target.
        to: u8,
    },
    /// More dice win, and the source has not more (v1–v3).
    TooFewDice {
        /// The source.
        from: u8,
        /// The target.
        to: u8,
    },
    /// A turn can only be ended after an attack.
    NothingToPass,
    /// No such hex on this board.
    NoSuchHex,
    /// The column holds no further chip.
    ColumnFull {
        /// The column, from the left.
        column: u8,
    },
    /// No such column on this board.
    NoSuchColumn,
    /// The source has nobody to attack.
    NoTarget {
        /// The hex.
        hex: u8,
    },
    /// Something about a seat.
    Seat(SeatNotice),
}

/// Why a seat stays as it is, or a name is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatNotice {
    /// It is another's to change.
    NotYours,
    /// The table has no such seat.
    NoSuchSeat,
    /// Somebody sits there already.
    Taken,
    /// This table waits for everybody.
    Never,
    /// The others are not waiting for this seat.
    NotAwaited,
    /// The others have not waited long enough.
    TooEarly {
        /// Seconds left.
        wait_s: u32,
    },
    /// No such level.
    NoSuchLevel,
    /// An unknown wish.
    NoSuchChange,
    /// More than 32 characters.
    NameTooLong,
    /// Control characters, or some that cannot be seen.
    NameInvisible,
    /// The game is not over yet, so there is no rematch.
    GoesOn,
}

/// What the reader can do about the seats of a table, and what comes after the game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableView {
    /// The seats about which the reader can do something.
    pub seats: Vec<SeatView>,
    /// What follows when the reader gives up.
    pub leaving: Option<LeavingView>,
    /// The rematches there are.
    pub rematches: Vec<RematchView>,
    /// The levels that can take an open seat, by name.
    pub levels: Vec<String>,
    /// Only people with a seat see the game.
    pub private: bool,
}

/// A seat about which the reader can do something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatView {
    /// Whose seat it is.
    pub player: u8,
    /// What the reader has to do with it.
    pub role: SeatRole,
}

/// What the reader has to do with a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatRole {
    /// It is open, and the reader is the host.
    Open {
        /// The link to hand on; `None` where there is none yet.
        link: Option<String>,
    },
    /// The reader sits there.
    Own {
        /// The link to come back on another device.
        link: Option<String>,
        /// Whether a new link can be made.
        renewable: bool,
        /// The name given so far.
        name: String,
    },
    /// Its sitter has not moved for so long that the reader may let a computer play.
    Slow,
}

/// What follows when the reader gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeavingView {
    /// Whose seat is given up.
    pub player: u8,
    /// Nobody else sits there: the game is over. Otherwise a level plays on.
    pub ends: bool,
}

/// A rematch that somebody asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RematchView {
    /// On the same board, everybody one seat on.
    pub same: bool,
    /// Public id of the game.
    pub id: String,
}

/// The page behind a link.
#[derive(Clone, PartialEq, Debug)]
pub struct JoinView {
    /// Whose seat the link opens.
    pub player: u8,
    /// The seat of who invites, where it is known.
    pub host: Option<u8>,
    /// It is the reader's own seat, on another device.
    pub back: bool,
    /// What is played.
    pub variant: Variant,
    /// The board as it stands.
    pub board: Board,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// Plies played.
    pub ply: u32,
    /// Only people with a seat see the game.
    pub private: bool,
    /// The name in the field.
    pub name: String,
    /// What was wrong with it.
    pub problem: Option<SeatNotice>,
}

/// A page of one game: the live board, or a ply of the past.
#[derive(Clone, PartialEq, Debug)]
pub struct GameView {
    /// Public id of the game.
    pub id: String,
    /// The position shown: plies played so far.
    pub ply: u32,
    /// The newest position.
    pub newest: u32,
    /// The turn shown, counted from 1.
    pub turn: u32,
    /// What is played.
    pub variant: Variant,
    /// The board.
    pub board: Board,
    /// What to do.
    pub prompt: Prompt,
    /// Whose turn it is, while the game goes on.
    pub mover: Option<u8>,
    /// The button that ends the turn, when the reader may press it.
    pub pass: Option<PassView>,
    /// One button for each target of the chosen source; for a confirmed target that one alone.
    pub attacks: Vec<AttackView>,
    /// Columns as buttons beside the board: all that are open, or the chosen one alone.
    pub drops: Vec<u8>,
    /// The dice of the last attack.
    pub roll: Option<RollView>,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// Newest first: at most the last 20 plies.
    pub log: Vec<LogEntry>,
    /// Something was refused.
    pub notice: Option<Notice>,
    /// Others are to move: without scripts the page asks again after this many seconds.
    pub refresh_s: Option<u32>,
    /// How it ended.
    pub result: Option<ResultView>,
    /// How many follow the game without a seat in it.
    pub watchers: u32,
    /// The revision of the seats: a newer one makes the page look again.
    pub seats: u32,
    /// The reader has a seat and may resign.
    pub may_resign: bool,
    /// The reader had a seat and may ask for a rematch.
    pub may_rematch: bool,
    /// What can be done about the seats, and what comes after the game.
    pub table: TableView,
}

/// A card of "your games".
#[derive(Clone, PartialEq, Debug)]
pub struct CardView {
    /// Public id of the game.
    pub id: String,
    /// What is played.
    pub variant: Variant,
    /// The board as it stands (no links): drawn small and flat.
    pub board: Board,
    /// The list of players.
    pub players: Vec<PlayerView>,
    /// The turn, counted from 1.
    pub turn: u32,
    /// Plies played.
    pub plies: u32,
    /// The reader is to move.
    pub your_turn: bool,
    /// How it ended, for finished games.
    pub result: Option<ResultView>,
}

/// The start page.
#[derive(Clone, PartialEq, Debug)]
pub struct StartView {
    /// A board to show in the hero: a position worth looking at.
    pub hero: BoardView,
    /// The reader's newest games, at most four.
    pub games: Vec<CardView>,
    /// Games of others, at most six.
    pub watch: Vec<CardView>,
    /// The form, with what the reader sent if it was refused.
    pub form: FormView,
}

/// The form that sets up a game. Field names: `game`; for dice `rules`, `size`, `players`,
/// `max_dice`, `seats` (one a player: `human`, `open` or a level's name), `seed`; for Trilobite
/// `width`, `height`, `win`, `chips` (as `seats`, for the two players); for both `name`, `private`
/// and `replace_after` (seconds). The fields of both games are sent.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FormView {
    /// Chosen game, `dice` or `trilobite`.
    pub game: String,
    /// Chosen preset.
    pub rules: String,
    /// Chosen side, `None` = the preset's.
    pub size: Option<u8>,
    /// Chosen number of players, `None` = the preset's.
    pub players: Option<u8>,
    /// Chosen most dice, `None` = the preset's.
    pub max_dice: Option<u8>,
    /// Chosen seats; six of them are shown.
    pub seats: Vec<String>,
    /// Chosen width of a column board, `None` = usual.
    pub width: Option<u8>,
    /// Chosen height of a column board, `None` = usual.
    pub height: Option<u8>,
    /// Chosen chips in a row that win, `None` = usual.
    pub win: Option<u8>,
    /// Chosen seats of Trilobite; two of them are shown.
    pub chips: Vec<String>,
    /// Chosen seed.
    pub seed: String,
    /// The levels that can be chosen, by name.
    pub levels: Vec<String>,
    /// The levels that can be chosen for Trilobite, by name.
    pub chip_levels: Vec<String>,
    /// What was wrong with the form.
    pub problem: Option<FormProblem>,
    /// Whether the form is unfolded.
    pub open: bool,
    /// What the reader wants to be called.
    pub name: String,
    /// Only people with a seat shall see the game.
    pub private: bool,
    /// Seconds after which a computer may play for somebody who does not move.
    pub replace_after_s: Option<u32>,
}

/// What was wrong with the form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormProblem {
    /// A number is out of its range.
    OutOfRange,
    /// More players than hexes.
    TooManyPlayers,
    /// An unknown word in a field.
    UnknownChoice,
    /// No deal gave the first player an attack.
    NoDeal,
    /// More in a row than the board is long.
    WinTooLong,
    /// More cells than a column board may have: width × (height + 1) is at most 128.
    BoardTooLarge,
    /// A name of more than 32 characters.
    NameTooLong,
    /// A name with characters that cannot be seen.
    NameInvisible,
}

/// The page of settings; what is chosen comes with the page's [`Look`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SettingsView {
    /// The choices were just kept.
    pub saved: bool,
    /// The path of the page where the reader came from.
    pub back: Option<String>,
}

/// The book's page.
#[derive(Clone, PartialEq, Debug)]
pub struct BookView {
    /// The board, with the links of the book.
    pub board: BoardView,
    /// The book's messages, in order.
    pub messages: Vec<BookMessage>,
    /// The link under the message, if there is one.
    pub link: Option<BookLink>,
    /// Seconds until the page asks for the next computer ply.
    pub refresh: Option<(u32, String)>,
    /// Something was refused.
    pub notice: Option<Notice>,
    /// Whose turn it is.
    pub mover: Option<u8>,
    /// Who has what.
    pub players: Vec<PlayerView>,
}

/// The messages of the book's page (Land of Lisp, chapters 18 and 20).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BookMessage {
    /// "Please choose a hex to move from:"
    ChooseSource,
    /// "Now choose a destination:"
    ChooseDestination,
    /// "Move cancelled."
    Cancelled,
    /// "On 5 dice rolled 21. On 1 dice rolled 6."
    Rolled {
        /// Attacker's dice and sum.
        attack: (u8, u8),
        /// Defender's dice and sum.
        defend: (u8, u8),
    },
    /// "You may now pass or make another move:"
    MayPass,
    /// "Your reinforcements have been placed."
    Reinforced,
    /// "The computer has moved."
    ComputerMoved,
    /// "The winner is a"
    Winner {
        /// The winner.
        player: u8,
    },
    /// "The game is a tie between (a b)"
    Tie {
        /// The winners, in the book's order.
        players: Vec<u8>,
    },
}

/// A link under a message of the book's page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BookLink {
    /// "pass"
    Pass(String),
    /// "continue"
    Continue(String),
    /// "play again"
    PlayAgain(String),
}

/// An error page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorView {
    /// HTTP status.
    pub status: u16,
    /// Which sentence: a key of `templates/text/*.ftl`.
    pub key: &'static str,
    /// For the log's sake; shown on 500.
    pub request_id: Option<String>,
}
