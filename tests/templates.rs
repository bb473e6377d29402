//! The pages, drawn from values written down here.
//!
//! `DOD_PAGES=dir cargo test --test templates` also leaves the pages in that folder, to be looked
//! at in a browser.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use dice_of_doom::faces::Registry;
use dice_of_doom::templates::dice::book::{BookLink, BookMessage, BookView, book_page};
use dice_of_doom::templates::dice::course::{CourseView, LuckView, SwingView};
use dice_of_doom::templates::dice::form::{DiceForm, UsualNumbers};
use dice_of_doom::templates::dice::moves::{
    Ask, AttackView, Attacks, Coming, Confirm, Ends, PassView, Weight,
};
use dice_of_doom::templates::dice::roll::RollView;
use dice_of_doom::templates::dice::since::{SinceView, Taker};
use dice_of_doom::templates::dice::{self, BoardView, HexState, HexView};
use dice_of_doom::templates::graph::Line;
use dice_of_doom::templates::levels::level_about;
use dice_of_doom::templates::page::Draw;
use dice_of_doom::templates::qr::qr;
use dice_of_doom::templates::trilobite::form::ChipsForm;
use dice_of_doom::templates::trilobite::{self, CellView, ColumnState, ColumnView, ColumnsView};
use dice_of_doom::templates::view::*;
use dice_of_doom::templates::{
    AssetUrls, Board, Language, Site, Text, api_page, board_svg, error_page, game_fragment,
    game_page, games_page, join_page, log_page, rules_page, settings_page, start_page,
};

struct Plain;

impl AssetUrls for Plain {
    fn url(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn site(section: Section) -> Site<'static> {
    Site {
        section,
        assets: &Plain,
        look: Look::default(),
        origin: None,
    }
}

fn site_with(settings: &str, section: Section) -> Site<'static> {
    let look = Look::new(Settings::read(settings), Drawing::Book, Language::English);
    Site {
        look,
        ..site(section)
    }
}

fn text() -> &'static Text {
    text_in(Language::English)
}

fn text_in(language: Language) -> &'static Text {
    static GAMES: LazyLock<Registry> = LazyLock::new(Registry::house);
    GAMES.text(language)
}

/// Every word: the platform's and those of the house's games.
const WRITTEN: [&str; 4] = [
    include_str!("../templates/text/en.ftl"),
    include_str!("../templates/text/fair.en.ftl"),
    include_str!("../templates/text/dice.en.ftl"),
    include_str!("../templates/text/trilobite.en.ftl"),
];

/// The mock's position: owner and dice.
#[rustfmt::skip]
const POSITION: [(u8, u8); 25] = [
    (3, 3), (2, 2), (2, 2), (1, 3), (1, 5),
    (2, 3), (1, 4), (1, 4), (2, 3), (1, 5),
    (3, 3), (2, 2), (2, 4), (0, 3), (1, 3),
    (0, 1), (0, 3), (0, 2), (3, 2), (3, 2),
    (0, 1), (3, 3), (0, 3), (0, 1), (0, 3),
];

const DICE: GameName = GameName {
    game: "dice",
    title: "site-name",
};

const TRILOBITE: GameName = GameName {
    game: "trilobite",
    title: "trilobite",
};

const HEXES: Tally = Tally {
    heads: &["players-hexes", "players-dice", "players-cluster"],
    land: Some(0),
};

const CHIPS: Tally = Tally {
    heads: &["players-chips"],
    land: None,
};

fn asked(headline: Said, sub: Said, back: Option<(&str, &'static str)>) -> Prompt {
    Prompt::Move(Asked {
        headline,
        sub,
        sub_without_odds: None,
        back: back.map(|(href, key)| Back {
            href: href.to_owned(),
            key,
        }),
    })
}

fn choose_source() -> Prompt {
    let [headline, sub] = ["choose-source", "choose-source-sub"].map(Said::new);
    asked(headline, sub, None)
}

fn choose_target(dice: u8, targets: u32) -> Prompt {
    let sub = Said::new("choose-target-sub")
        .with("dice", dice)
        .with("targets", targets);
    let back = Some(("/g/abcdefgh", "put-back"));
    asked(Said::new("choose-target"), sub, back)
}

/// A chosen attack of hex 13, or of hex 0 where no dice are rolled.
fn confirm(attack: AttackView, dice: (u8, u8)) -> Prompt {
    let against = |key| Said::new(key).with("attack", dice.0).with("defend", dice.1);
    let (from, to) = (attack.from, attack.to);
    Prompt::Move(Asked {
        headline: Said::new("confirm").with("from", from).with("to", to),
        sub: match attack.odds {
            Some(odds) => against("confirm-odds").with("odds", Part::Percent(odds)),
            None => against("confirm-sure"),
        },
        sub_without_odds: attack.odds.map(|_| against("confirm-plain")),
        back: Some(Back {
            href: format!("/g/abcdefgh?from={from}"),
            key: "other-target",
        }),
    })
}

fn choose_column() -> Prompt {
    let sub = Said::new("choose-column-sub").with("win", 4u8);
    asked(Said::new("choose-column"), sub, None)
}

fn drop(column: usize) -> Button {
    Button {
        fields: vec![("column", letter(column))],
        key: Some(letter(column)),
        label: Said::new("drop").with("column", letter(column)),
    }
}

fn resting() -> BoardView {
    let hexes = POSITION.map(|(owner, dice)| HexView {
        owner,
        dice,
        ..HexView::default()
    });
    BoardView {
        pointers: Vec::new(),
        side: 5,
        max_dice: 5,
        hexes: hexes.to_vec(),
        last_attack: Some((23, 17)),
        asked: None,
    }
}

fn choosing_source() -> BoardView {
    let mut board = resting();
    for hex in [13, 16, 17, 22, 24] {
        board.hexes[hex].state = HexState::Choosable;
        board.hexes[hex].href = Some(format!("/g/abcdefgh?from={hex}"));
    }
    for hex in [15, 16, 20] {
        board.hexes[hex].in_cluster = true;
    }
    board.hexes[15].reinforced = 1;
    board
}

fn choosing_target() -> BoardView {
    let mut board = choosing_source();
    board.hexes[13].state = HexState::Chosen;
    board.hexes[13].href = Some("/g/abcdefgh".into());
    for (hex, odds) in [
        (7, 0.19),
        (8, 0.45),
        (12, 0.19),
        (14, 0.45),
        (18, 0.778),
        (19, 0.778),
    ] {
        board.hexes[hex].state = HexState::Target { odds: Some(odds) };
        board.hexes[hex].href = Some(format!("/g/abcdefgh?from=13&to={hex}"));
    }
    board
}

/// A board of this side with every number of dice, a chosen source in the middle, all its
/// neighbours targets.
fn sized(side: u8, max_dice: u8) -> BoardView {
    let n = usize::from(side);
    let source = n * (n / 2) + n / 2;
    let near = |hex: usize| {
        let (dx, dy) = (
            (hex % n) as i32 - (source % n) as i32,
            (hex / n) as i32 - (source / n) as i32,
        );
        matches!(
            (dx, dy),
            (-1, -1) | (0, -1) | (1, 0) | (1, 1) | (0, 1) | (-1, 0)
        )
    };
    let hexes = (0..n * n).map(|hex| {
        let owner = if hex == source {
            0
        } else {
            (hex * 7 + hex / n) % 6
        } as u8;
        let owner = if near(hex) && owner == 0 { 1 } else { owner };
        let state = match () {
            () if hex == source => HexState::Chosen,
            () if near(hex) => HexState::Target {
                odds: Some(((hex * 17 + 9) % 100) as f64 / 100.0),
            },
            () if owner == 0 && hex % 2 == 0 => HexState::Choosable,
            () => HexState::Resting,
        };
        let href = match state {
            HexState::Resting => None,
            HexState::Chosen => Some("/g/abcdefgh".to_owned()),
            HexState::Choosable => Some(format!("/g/abcdefgh?from={hex}")),
            HexState::Target { .. } => Some(format!("/g/abcdefgh?from={source}&to={hex}")),
        };
        HexView {
            owner,
            dice: 1 + (hex * 5 + hex / n) as u8 % max_dice,
            state,
            href,
            ..HexView::default()
        }
    });
    BoardView {
        pointers: Vec::new(),
        side,
        max_dice,
        hexes: hexes.collect(),
        last_attack: Some((0, 1)),
        asked: None,
    }
}

fn sized_game(side: u8, max_dice: u8) -> GameView {
    let board = sized(side, max_dice);
    game(choose_target(3, 6), board)
}

fn players() -> Vec<PlayerView> {
    let seat = |number, who, hexes, dice, cluster| PlayerView {
        number,
        who,
        counts: vec![hexes, dice, cluster],
        on_turn: number == 0,
        ..PlayerView::default()
    };
    let level = |name: &str| Who::Level(name.into());
    vec![
        seat(0, Who::You, 8, 17, 7),
        seat(1, level("book"), 6, 24, 4),
        seat(2, level("greedy"), 6, 16, 3),
        seat(3, level("expert"), 5, 13, 2),
    ]
}

fn rolled() -> RollView {
    RollView {
        attacker: 0,
        defender: 3,
        from: 23,
        to: 17,
        attack: vec![5, 2, 5],
        defend: vec![2, 5],
        dice: (3, 2),
        captured: true,
    }
}

fn log() -> Vec<LogEntry> {
    (0..20u32)
        .map(|i| LogEntry {
            ply: 132 - i,
            turn: Some(33 - i / 3),
            player: if i < 3 { 0 } else { 3 },
            said: if i % 7 == 3 {
                let player = if i < 3 { 0 } else { 3 };
                Said::new("log-end").of(player).with("dice", 7u8)
            } else {
                attacked(if i % 5 != 4 { "captured" } else { "held" }).of(if i < 3 { 0 } else { 3 })
            },
            marks: (i % 7 != 3).then(|| "h23 h17".to_owned()),
            stands: true,
        })
        .collect()
}

fn attacked(outcome: &str) -> Said {
    Said::new("log-attack")
        .with("from", 23u8)
        .with("to", 17u8)
        .with("attack", 3u8)
        .with("defend", 2u8)
        .with("sumA", 12u8)
        .with("sumD", 7u8)
        .with("outcome", outcome)
}

fn game(prompt: Prompt, board: BoardView) -> GameView {
    GameView {
        hint: None,
        id: "abcdefgh".into(),
        ply: 132,
        newest: 132,
        turn: Said::new("turn").with("turn", 33u8),
        game: DICE,
        board: Arc::new(board),
        prompt,
        mover: Some(0),
        corner: None,
        buttons: None,
        strip: Some(Arc::new(rolled())),
        tally: HEXES,
        players: players(),
        log: log(),
        notice: None,
        refresh_s: None,
        result: None,
        course: None,
        replay: None,
        origin: None,
        watchers: 0,
        seats: 0,
        commitment: None,
        takeback: None,
        may_resign: true,
        may_rematch: false,
        hints_for_all: false,
        may_review: false,
        is_rolled: true,
        table: TableView::default(),
    }
}

fn target_chosen() -> GameView {
    let attack = |to, odds| AttackView {
        from: 13,
        to,
        odds: Some(odds),
    };
    let pass = PassView::GoesOn(Coming {
        dice: 7,
        lost: 0,
        cluster: Some(7),
        alone: false,
    });
    let attacks = Attacks {
        from: 13,
        attacks: vec![
            attack(7, 0.19),
            attack(8, 0.45),
            attack(12, 0.19),
            attack(14, 0.45),
            attack(18, 0.778),
            attack(19, 0.778),
        ],
    };
    GameView {
        corner: Some(Arc::new(pass)),
        buttons: Some(Arc::new(attacks)),
        ..game(choose_target(3, 6), choosing_target())
    }
}

fn confirming() -> GameView {
    let attack = AttackView {
        from: 13,
        to: 18,
        odds: Some(0.778),
    };
    GameView {
        prompt: confirm(attack, (3, 2)),
        corner: Some(Arc::new(Confirm(attack))),
        buttons: None,
        ..target_chosen()
    }
}

/// Five turns, three rolls to remember.
fn course() -> CourseView {
    let line = |player: u8, values: [u32; 6]| Line {
        player,
        values: values.to_vec(),
    };
    let swing = |ply, turn, attacker, defender, dice, captured, probability| SwingView {
        ply,
        turn,
        attacker,
        defender,
        dice,
        captured,
        probability,
    };
    let luck = |player, rolls, won, expected| LuckView {
        player,
        rolls,
        won,
        expected,
    };
    CourseView {
        hexes: vec![
            line(0, [6, 9, 8, 8, 8, 8]),
            line(1, [7, 5, 8, 8, 8, 9]),
            line(2, [6, 5, 4, 5, 2, 2]),
            line(3, [6, 6, 5, 4, 7, 6]),
        ],
        dice: vec![
            line(0, [14, 18, 16, 16, 16, 16]),
            line(1, [14, 10, 18, 17, 17, 18]),
            line(2, [14, 12, 9, 14, 4, 4]),
            line(3, [14, 14, 12, 10, 18, 17]),
        ],
        swings: vec![
            swing(9, 1, 0, 1, (2, 4), true, 0.061),
            swing(40, 2, 1, 0, (4, 2), false, 0.09),
            swing(41, 2, 1, 2, (4, 3), false, 0.256),
        ],
        luck: vec![
            luck(0, 55, 29, 27.2),
            luck(1, 37, 17, 16.2),
            luck(2, 40, 21, 22.4),
            luck(3, 20, 9, 9.02),
        ],
    }
}

/// The turn can be ended, and the button says what that does.
fn ending(pass: PassView) -> GameView {
    GameView {
        corner: Some(Arc::new(pass)),
        ..game(choose_source(), choosing_source())
    }
}

fn coming(dice: u32, lost: u32, alone: bool) -> PassView {
    PassView::GoesOn(Coming {
        dice,
        lost,
        cluster: Some(7),
        alone,
    })
}

/// The board shows where seven dice would fall.
fn coming_home() -> GameView {
    let mut board = choosing_source();
    for hex in [13, 15, 16, 17, 20, 22, 23] {
        board.hexes[hex].coming = 1;
        board.hexes[hex].pays = hex != 13;
    }
    GameView {
        board: Arc::new(board),
        ..ending(coming(7, 0, false))
    }
}

/// The game would end, and Green or the reader would win it.
fn ends(wins: bool) -> GameView {
    let why = [Said::new("end-game-lone-die").of(1)];
    let can = Said::new("end-game-you-can").of(0).with("hexes", 3u8);
    let mut board = choosing_source();
    for hex in [3, 6] {
        board.hexes[hex].stuck = true;
    }
    let pass = PassView::Ends(Ends {
        outcome: Said::new("end-game-wins")
            .of(if wins { 0 } else { 2 })
            .with("most", 12u8)
            .with("least", 10u8),
        mark: (!wins).then_some(2),
        why: why.into_iter().chain((!wins).then_some(can)).collect(),
        weight: if wins { Weight::Main } else { Weight::Plain },
        is_asked: !wins,
        alone: false,
    });
    GameView {
        board: Arc::new(board),
        ..ending(pass)
    }
}

/// It is asked whether the game shall end that would be lost.
fn asking() -> GameView {
    let sub = Said::new("end-ask-loses")
        .of(2)
        .with("most", 12u8)
        .with("least", 10u8)
        .with("needed", 2u8);
    GameView {
        prompt: asked(Said::new("end-ask"), sub, None),
        corner: Some(Arc::new(Ask {
            back: "/g/abcdefgh".to_owned(),
        })),
        ..ends(false)
    }
}

/// Two others have taken hexes of the reader's since that position.
fn since(from: u32) -> GameView {
    let taker = |player, hexes: &[u8], ply| Taker {
        player,
        hexes: hexes.to_vec(),
        ply,
    };
    let card = SinceView {
        reader: 0,
        lost: 5,
        dice: 6,
        fell: 9,
        takers: vec![taker(2, &[1, 2, 5], 121), taker(3, &[18, 19], 130)],
        from,
        strip: Some(Arc::new(rolled())),
    };
    let mut board = choosing_source();
    for hex in [1, 2, 5, 18, 19] {
        board.hexes[hex].was = Some(0);
    }
    GameView {
        board: Arc::new(board),
        strip: Some(Arc::new(card)),
        ..ending(coming(4, 0, false))
    }
}

fn over() -> GameView {
    let mut players = players();
    players[0].on_turn = false;
    players[1].winner = true;
    GameView {
        players,
        mover: None,
        commitment: None,
        may_resign: false,
        may_rematch: true,
        hints_for_all: false,
        may_review: true,
        result: Some(ResultView {
            winners: vec![1],
            plies: 132,
            takebacks: 0,
            did: Some(Did::Lost),
            verdict: Said::new("over-one")
                .of(1)
                .with("hexes", 9u8)
                .with("next", 8u8),
            place: Some(Said::new("over-lost-by").with("n", 1u8)),
            reason: Said::new("over-one-die")
                .of(2)
                .with("hexes", 2u8)
                .with("scores", Part::Scores(vec![(1, 9), (0, 8), (3, 6), (2, 2)])),
        }),
        course: Some(Arc::new(course())),
        ..game(Prompt::Over, resting())
    }
}

fn waiting() -> GameView {
    let mut players = players();
    players[0].on_turn = false;
    players[1].on_turn = true;
    players[2].who = Who::Person;
    players[2].name = Some("Ada <script>".into());
    GameView {
        players,
        mover: Some(1),
        refresh_s: Some(2),
        ..game(
            Prompt::Thinking {
                player: 1,
                ahead: 0,
            },
            resting(),
        )
    }
}

const LEVELS: [&str; 8] = [
    "random", "book", "greedy", "steady", "advanced", "expert", "master", "champion",
];

fn words(words: &[&str]) -> Vec<String> {
    words.iter().copied().map(str::to_owned).collect()
}

fn form(open: bool) -> FormView {
    let dice = DiceForm {
        rules: "v4".into(),
        seats: words(&["human", "book", "book", "book", "book", "book"]),
        levels: words(&LEVELS),
        ..DiceForm::default()
    };
    let chips = ChipsForm {
        levels: words(&LEVELS),
        ..ChipsForm::default()
    };
    FormView {
        game: "dice",
        parts: parts(dice, chips),
        problem: open.then(|| Said::new("form-problem-players")),
        open,
        ..FormView::default()
    }
}

fn parts(dice: DiceForm, chips: ChipsForm) -> Vec<FormPart> {
    let dice = FormPart {
        game: "dice",
        title: "form-dice",
        fields: Arc::new(dice),
    };
    let chips = FormPart {
        game: "trilobite",
        title: "form-trilobite",
        fields: Arc::new(chips),
    };
    vec![dice, chips]
}

/// Chips from below, `r` and `b`, one word a column.
fn columns(height: u8, win: u8, chips: &[&str]) -> ColumnsView {
    let width = chips.len();
    let mut cells = vec![CellView::default(); width * usize::from(height)];
    let mut columns = Vec::new();
    for (x, column) in chips.iter().enumerate() {
        for (above, chip) in column.chars().enumerate() {
            let y = usize::from(height) - 1 - above;
            cells[x + width * y].chip = Some(u8::from(chip == 'b'));
        }
        let free = usize::from(height) - column.len();
        columns.push(ColumnView {
            landing: (free > 0).then(|| (x + width * (free - 1)) as u8),
            ..ColumnView::default()
        });
    }
    ColumnsView {
        width: width as u8,
        height,
        win,
        cells,
        columns,
    }
}

fn letter(column: usize) -> String {
    let letter = |n: usize| char::from(b'a' + n as u8);
    match column {
        0..26 => letter(column).to_string(),
        _ => format!("{}{}", letter(column / 26 - 1), letter(column % 26)),
    }
}

/// Every open column may be chosen.
fn open(mut board: ColumnsView) -> ColumnsView {
    for (x, column) in board.columns.iter_mut().enumerate() {
        if column.landing.is_some() {
            column.state = ColumnState::Choosable;
            column.href = Some(format!("/g/abcdefgh?column={}", letter(x)));
        }
    }
    board
}

/// The mock's position: c was the last chip, e is full, Red is to move.
fn middle() -> ColumnsView {
    let chips = ["", "bbr", "rbbbrb", "brbrr", "rrbrbbr", "rbrrbr", "rb", "b"];
    let mut board = columns(7, 4, &chips);
    board.cells[2 + 8].last = true;
    board
}

fn trilobite(prompt: Prompt, board: ColumnsView) -> GameView {
    let chips = |player| {
        let mine = board.cells.iter().filter(|cell| cell.chip == Some(player));
        vec![mine.count() as u32]
    };
    let seat = |number: u8, who| PlayerView {
        number,
        who,
        counts: chips(number),
        on_turn: number == 0,
        ..PlayerView::default()
    };
    let log = (0..20).map(|i| LogEntry {
        ply: 30 - i,
        turn: None,
        player: ((i + 1) % 2) as u8,
        said: Said::new("log-drop")
            .of(((i + 1) % 2) as u8)
            .with("column", letter((2 + i % 5) as usize)),
        marks: Some(format!("k{}", 10 + i)),
        stands: true,
    });
    let open = (0..usize::from(board.width)).filter(|x| board.columns[*x].href.is_some());
    let buttons = Buttons {
        title: Said::new("drop-buttons"),
        class: "drops",
        buttons: open.map(drop).collect(),
    };
    GameView {
        ply: 30,
        newest: 30,
        turn: Said::new("turn-chip").with("turn", 31u8),
        game: TRILOBITE,
        buttons: Some(Arc::new(buttons)),
        strip: None,
        tally: CHIPS,
        players: vec![seat(0, Who::You), seat(1, Who::Level("book".into()))],
        log: log.collect(),
        board: Arc::new(board),
        ..game(prompt, resting())
    }
}

fn column_chosen() -> GameView {
    let mut board = open(middle());
    board.columns[3].state = ColumnState::Chosen;
    board.columns[3].href = Some("/g/abcdefgh".into());
    let prompt = asked(
        Said::new("confirm-column").with("column", "d"),
        Said::new("confirm-column-sub"),
        Some(("/g/abcdefgh", "other-column")),
    );
    GameView {
        corner: Some(Arc::new(Corner(drop(3)))),
        buttons: None,
        ..trilobite(prompt, board)
    }
}

fn chips_over(
    board: ColumnsView,
    winners: Vec<u8>,
    verdict: impl Fn(u32) -> Said,
    reason: Said,
) -> GameView {
    let plies = board
        .cells
        .iter()
        .filter(|cell| cell.chip.is_some())
        .count() as u32;
    let mut view = GameView {
        ply: plies,
        newest: plies,
        turn: Said::new("turn-chip").with("turn", plies),
        mover: None,
        commitment: None,
        may_resign: false,
        may_rematch: true,
        hints_for_all: false,
        may_review: true,
        ..trilobite(Prompt::Over, board)
    };
    for player in &mut view.players {
        player.on_turn = false;
        player.winner = winners.contains(&player.number);
    }
    view.result = Some(ResultView {
        did: Some(match &winners[..] {
            [] => Did::Tied,
            [0, ..] => Did::Won,
            _ => Did::Lost,
        }),
        winners,
        plies,
        takebacks: 2,
        verdict: verdict(plies),
        place: None,
        reason,
    });
    view
}

/// So many in a row, by Red.
fn lined(board: ColumnsView) -> GameView {
    let win = board.win;
    let verdict = |plies| {
        let verdict = Said::new("over-line").of(0).with("win", win);
        verdict.with("chips", plies)
    };
    chips_over(board, vec![0], verdict, Said::new("over-line-reason").of(0))
}

fn line() -> GameView {
    let mut board = columns(
        7,
        4,
        &["", "bbr", "rbbbrb", "brbrr", "rrbrbbr", "rbrrbr", "rr", "b"],
    );
    for cell in [3 + 8 * 2, 4 + 8 * 3, 5 + 8 * 4, 6 + 8 * 5] {
        board.cells[cell].line = true;
    }
    board.cells[6 + 8 * 5].last = true;
    lined(board)
}

fn draw() -> GameView {
    let mut board = columns(3, 3, &["rrb", "bbr", "rrb"]);
    board.cells[0].last = true;
    let [verdict, reason] = ["over-full", "over-full-reason"].map(Said::new);
    chips_over(board, Vec::new(), |_| verdict.clone(), reason)
}

fn refused_chips() -> FormView {
    let dice = DiceForm {
        rules: "v4".into(),
        levels: words(&LEVELS),
        ..DiceForm::default()
    };
    let chips = ChipsForm {
        width: Some(200),
        height: None,
        win: Some(5),
        seats: words(&["human", "human"]),
        levels: words(&["random", "exact"]),
    };
    FormView {
        game: "trilobite",
        parts: parts(dice, chips),
        problem: Some(Said::new("form-problem-board")),
        ..form(true)
    }
}

/// Version 1 of the book: no dice are rolled.
fn plain() -> GameView {
    let hexes = [(0, 3), (1, 1), (1, 2), (0, 1)].map(|(owner, dice)| HexView {
        owner,
        dice,
        ..HexView::default()
    });
    let mut board = BoardView {
        pointers: Vec::new(),
        side: 2,
        max_dice: 3,
        hexes: hexes.to_vec(),
        last_attack: Some((0, 1)),
        asked: None,
    };
    board.hexes[0].state = HexState::Chosen;
    board.hexes[0].href = Some("/g/abcdefgh".into());
    for hex in [1, 2] {
        board.hexes[hex].state = HexState::Target { odds: None };
        board.hexes[hex].href = Some(format!("/g/abcdefgh?from=0&to={hex}"));
    }
    let roll = RollView {
        attack: Vec::new(),
        defend: Vec::new(),
        dice: (3, 1),
        ..rolled()
    };
    let attack = |to| AttackView {
        from: 0,
        to,
        odds: None,
    };
    let said = Said::new("log-attack-plain")
        .of(0)
        .with("from", 23u8)
        .with("to", 17u8)
        .with("attack", 3u8)
        .with("defend", 1u8);
    GameView {
        buttons: Some(Arc::new(Attacks {
            from: 0,
            attacks: [1, 2].map(attack).to_vec(),
        })),
        strip: Some(Arc::new(roll)),
        log: vec![LogEntry {
            ply: 1,
            turn: Some(1),
            player: 0,
            said,
            marks: Some("h23 h17".into()),
            stands: true,
        }],
        corner: Some(Arc::new(PassView::GoesOn(Coming {
            dice: 1,
            lost: 0,
            cluster: None,
            alone: false,
        }))),
        ..game(choose_target(3, 2), board)
    }
}

fn cards() -> Vec<CardView> {
    let card = CardView {
        id: "abcdefgh".into(),
        board: Arc::new(resting()),
        players: players(),
        stage: Said::new("card-turn")
            .with("turn", 33u8)
            .with("rules", "v4")
            .with("side", 5u8),
        your_turn: true,
        uploaded: false,
        paused: false,
        result: None,
        created_ms: 1_795_305_600_000,
    };
    let lost = CardView {
        your_turn: false,
        stage: Said::new("card-plies")
            .with("plies", 132u8)
            .with("rules", "v4")
            .with("side", 5u8),
        result: over().result,
        ..card.clone()
    };
    let chips = CardView {
        board: Arc::new(middle()),
        players: column_chosen().players,
        stage: Said::new("card-chips").with("chips", 30u8),
        ..card.clone()
    };
    let drawn = CardView {
        board: draw().board,
        stage: Said::new("card-chips").with("chips", 9u8),
        your_turn: false,
        result: draw().result,
        ..chips.clone()
    };
    vec![
        card.clone(),
        chips,
        CardView {
            your_turn: false,
            ..card
        },
        lost,
        drawn,
    ]
}

fn watch() -> Vec<CardView> {
    let mut players = players();
    players[0].who = Who::Person;
    players[0].name = Some("Ada".into());
    let card = CardView {
        players,
        your_turn: false,
        ..cards().remove(0)
    };
    vec![card.clone(), card]
}

const LINK: &str = "http://localhost:8080/join/AAAAAAAAAAAAAAAAAAAAAA";

fn own(player: u8, name: &str) -> SeatView {
    let role = SeatRole::Own {
        link: Some(LINK.into()),
        renewable: true,
        name: name.into(),
    };
    SeatView { player, role }
}

/// The host's page while everybody waits for Blue's seat.
fn hosting() -> GameView {
    let mut view = waiting();
    view.players[1].who = Who::Open;
    view.players[2].who = Who::Open;
    view.prompt = Prompt::Open { player: 1 };
    let open = |player, link: Option<&str>| SeatView {
        player,
        role: SeatRole::Open {
            link: link.map(str::to_owned),
            is_asked: false,
        },
    };
    view.table = TableView {
        seats: vec![own(0, "Ada"), open(1, Some(LINK)), open(2, None)],
        leaving: Some(LeavingView {
            player: 0,
            ends: true,
        }),
        levels: ["random", "book"].map(String::from).to_vec(),
        private: true,
        ..TableView::default()
    };
    view
}

/// Green has not moved for a while.
fn slow() -> GameView {
    let mut view = waiting();
    view.players[1].on_turn = false;
    view.players[2].on_turn = true;
    view.mover = Some(2);
    view.prompt = Prompt::Waiting { player: 2 };
    let green = SeatView {
        player: 2,
        role: SeatRole::Slow,
    };
    view.table = TableView {
        seats: vec![own(0, ""), green],
        leaving: Some(LeavingView {
            player: 0,
            ends: false,
        }),
        ..TableView::default()
    };
    view
}

fn rematched(kinds: &[Again]) -> GameView {
    let made = kinds.iter().map(|kind| RematchView {
        kind: *kind,
        id: "zzzzzzzz".into(),
    });
    GameView {
        table: TableView {
            rematches: made.collect(),
            ..TableView::default()
        },
        ..over()
    }
}

fn join(back: bool) -> JoinView {
    let mut players = players();
    players[0].who = Who::Person;
    players[0].name = Some("Ada <b>".into());
    players[1].who = Who::Open;
    JoinView {
        player: if back { 0 } else { 1 },
        host: (!back).then_some(0),
        back,
        game: DICE,
        board: Arc::new(resting()),
        players,
        ply: 12,
        hints: false,
        private: true,
        picture: None,
        name: String::new(),
        problem: None,
    }
}

fn start(open: bool) -> StartView {
    StartView {
        hero: Some(Arc::new(resting())),
        onair: None,
        game: "dice",
        others: vec![OtherGame {
            game: "trilobite",
            play: "start-trilobite",
        }],
        games: cards(),
        watch: watch(),
        form: form(open),
    }
}

fn refused_join() -> JoinView {
    JoinView {
        host: None,
        name: "A\u{202e}".into(),
        problem: Some(SeatNotice::NameInvisible),
        game: TRILOBITE,
        board: Arc::new(middle()),
        ..join(false)
    }
}

fn book() -> BookView {
    BookView {
        board: choosing_source(),
        messages: vec![
            BookMessage::Rolled {
                attack: (5, 21),
                defend: (1, 6),
            },
            BookMessage::MayPass,
        ],
        link: Some(BookLink::Pass("/game.html?chosen=pass&ply=3".into())),
        refresh: None,
        notice: None,
        players: players(),
    }
}

fn pages() -> Vec<(&'static str, String)> {
    let play = site(Section::Play);
    let missing = ErrorView {
        status: 404,
        key: "error-not-found",
        request_id: None,
    };
    let stale = ErrorView {
        status: 409,
        key: "error-stale",
        request_id: None,
    };
    let confirming = confirming();
    let replay = GameView {
        ply: 40,
        mover: Some(3),
        ..game(Prompt::Replay, resting())
    };
    let noticed = GameView {
        notice: Some(Notice::Rules(Said::new("notice-one-die").with("hex", 20u8))),
        ..game(choose_source(), choosing_source())
    };
    let columns_open = trilobite(choose_column(), open(middle()));
    let columns_waiting = GameView {
        refresh_s: Some(1),
        mover: Some(1),
        ..trilobite(
            Prompt::Thinking {
                player: 1,
                ahead: 0,
            },
            middle(),
        )
    };
    let queued = GameView {
        prompt: Prompt::Thinking {
            player: 1,
            ahead: 12,
        },
        ..waiting()
    };
    let long = |chips: &[&str], height| trilobite(choose_column(), open(columns(height, 4, chips)));
    let form_chips = StartView {
        form: refused_chips(),
        ..start(true)
    };
    let looked = |settings: &str, view: &GameView| {
        game_page(&site_with(settings, Section::Play), text(), view)
    };
    let settings = |settings: &str, back: Option<&str>| {
        let view = SettingsView {
            saved: back.is_some(),
            back: back.map(str::to_owned),
            examples: vec![Arc::new(dice::Example), Arc::new(trilobite::Example)],
        };
        settings_page(&site_with(settings, Section::Settings), text(), &view)
    };
    let own_games = |games| {
        let view = GamesView {
            games,
            game: "dice",
        };
        games_page(&site(Section::Games), text(), &view)
    };
    [
        ("columns", game_page(&play, text(), &columns_open)),
        ("columns-chosen", game_page(&play, text(), &column_chosen())),
        (
            "columns-waiting",
            game_page(&play, text(), &columns_waiting),
        ),
        ("queued", game_page(&play, text(), &queued)),
        ("columns-line", game_page(&play, text(), &line())),
        ("columns-draw", game_page(&play, text(), &draw())),
        (
            "columns-3",
            game_page(&play, text(), &long(&["r", "b", ""], 3)),
        ),
        (
            "columns-14",
            game_page(&play, text(), &long(&["rb"; 14], 8)),
        ),
        ("columns-64", game_page(&play, text(), &long(&[""; 64], 1))),
        (
            "columns-127",
            game_page(&play, text(), &long(&["rbr"], 127)),
        ),
        ("plain", game_page(&play, text(), &plain())),
        ("start-chips", start_page(&play, text(), &form_chips)),
        ("game", game_page(&play, text(), &target_chosen())),
        ("source", game_page(&play, text(), &noticed)),
        ("confirm", game_page(&play, text(), &confirming)),
        ("end-dice", game_page(&play, text(), &coming_home())),
        (
            "end-room",
            game_page(&play, text(), &ending(coming(4, 3, false))),
        ),
        (
            "end-alone",
            game_page(&play, text(), &ending(coming(4, 3, true))),
        ),
        ("end-wins", game_page(&play, text(), &ends(true))),
        ("end-loses", game_page(&play, text(), &ends(false))),
        ("end-asks", game_page(&play, text(), &asking())),
        ("since", game_page(&play, text(), &since(112))),
        ("since-start", game_page(&play, text(), &since(0))),
        ("flat-end-dice", looked("board-flat", &coming_home())),
        ("flat-end-loses", looked("board-flat", &ends(false))),
        ("flat-since", looked("board-flat", &since(112))),
        ("waiting", game_page(&play, text(), &waiting())),
        ("replay", game_page(&play, text(), &replay)),
        ("over", game_page(&play, text(), &over())),
        ("flat", looked("board-flat", &target_chosen())),
        ("flat-source", looked("board-flat.coordinates-on", &noticed)),
        ("flat-over", looked("board-flat", &over())),
        (
            "flat-odds-off",
            looked("board-flat.odds-off", &target_chosen()),
        ),
        ("odds-off", looked("odds-off", &confirming)),
        (
            "game-dark",
            looked("theme-dark.coordinates-on", &target_chosen()),
        ),
        (
            "game-okabe",
            looked("theme-light.colours-okabe", &sized_game(5, 5)),
        ),
        (
            "game-contrast",
            looked("theme-light.colours-contrast", &sized_game(5, 5)),
        ),
        (
            "game-contrast-dark",
            looked("theme-dark.colours-contrast", &sized_game(5, 5)),
        ),
        (
            "flat-contrast-dark",
            looked("theme-dark.colours-contrast.board-flat", &sized_game(5, 5)),
        ),
        (
            "flat-okabe-dark",
            looked("theme-dark.colours-okabe.board-flat", &sized_game(5, 5)),
        ),
        ("piles-2", looked("", &sized_game(2, 3))),
        ("piles-3", looked("", &sized_game(3, 3))),
        ("piles-8", looked("coordinates-on", &sized_game(8, 8))),
        ("flat-2", looked("board-flat", &sized_game(2, 3))),
        ("flat-3", looked("board-flat", &sized_game(3, 3))),
        (
            "flat-8",
            looked("board-flat.coordinates-on", &sized_game(8, 8)),
        ),
        (
            "columns-contrast",
            looked("theme-dark.colours-contrast", &column_chosen()),
        ),
        ("settings", settings("", None)),
        (
            "settings-dark",
            settings("theme-dark.colours-okabe.board-flat", Some("/g/abc")),
        ),
        ("hosting", game_page(&play, text(), &hosting())),
        ("slow", game_page(&play, text(), &slow())),
        (
            "rematched",
            game_page(&play, text(), &rematched(&[Again::New])),
        ),
        (
            "rematched-both",
            game_page(&play, text(), &rematched(&[Again::New, Again::Same])),
        ),
        ("join", join_page(&play, text(), &join(false))),
        ("join-back", join_page(&play, text(), &join(true))),
        ("join-refused", join_page(&play, text(), &refused_join())),
        ("start", start_page(&play, text(), &start(false))),
        ("start-form", start_page(&play, text(), &start(true))),
        ("games", own_games(cards())),
        ("games-none", own_games(Vec::new())),
        (
            "rules",
            rules_page(
                &site(Section::Rules),
                text(),
                &[dice::rules::rules(text()), trilobite::rules::rules(text())],
            ),
        ),
        (
            "book",
            book_page(&site(Section::Elsewhere), text(), &book()),
        ),
        (
            "log",
            log_page(&play, text(), "abcdefgh", &log(), &players()),
        ),
        (
            "api",
            api_page(&site(Section::Api), text(), "http://dice.example", &[]),
        ),
        (
            "error",
            error_page(&site(Section::Elsewhere), text(), &missing, None),
        ),
        (
            "error-board",
            error_page(
                &site(Section::Elsewhere),
                text(),
                &stale,
                Some(&target_chosen()),
            ),
        ),
    ]
    .map(|(name, page)| (name, page.into_string()))
    .to_vec()
}

fn page(name: &str) -> String {
    pages()
        .into_iter()
        .find(|(other, _)| *other == name)
        .map(|(_, page)| page)
        .expect("the page is listed above")
}

#[test]
fn pages_can_be_looked_at() {
    let Ok(folder) = std::env::var("DOD_PAGES") else {
        return;
    };
    let folder = Path::new(&folder);
    fs::create_dir_all(folder).expect("the folder can be made");
    for (name, page) in pages() {
        fs::write(folder.join(name).with_extension("html"), page).expect("a page can be written");
    }
    fs::write(
        folder.join("board.svg"),
        board_svg(&resting()).into_string(),
    )
    .expect("a picture can be written");
    fs::write(
        folder.join("columns.svg"),
        board_svg(&*line().board).into_string(),
    )
    .expect("a picture can be written");
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("static"))
        .expect("static files are there")
    {
        let file = entry.expect("a file").path();
        fs::copy(&file, folder.join(file.file_name().expect("a name")))
            .expect("a file can be copied");
    }
}

#[test]
fn boards_of_columns_are_small() {
    for (name, most) in [
        ("columns", 48),
        ("columns-14", 48),
        ("columns-127", 48),
        ("columns-64", 80),
    ] {
        let size = page(name).len();
        assert!(size < most * 1024, "{name}: {size} bytes");
    }
}

#[test]
fn an_open_column_is_one_link_with_a_name() {
    let page = page("columns");
    assert!(page.contains(
        r#"class="col can" id="col-d" data-x="280" data-y="0" href="/g/abcdefgh?column=d" data-column="d" aria-label="Column d, 5 chips, drop a chip""#
    ));
    assert!(page.contains(r#"aria-label="Column a, empty, drop a chip""#));
    assert!(page.contains(r#"class="col" id="col-e" role="img" aria-label="Column e, full""#));
    // In the board and in the table.
    assert_eq!(page.matches(r#"href="/g/abcdefgh?column="#).count(), 2 * 7);
    assert_eq!(page.matches("data-column=").count(), 7);
    assert_eq!(page.matches(r#"<circle class="ring-last""#).count(), 1);
    assert!(!page.contains(r#"class="lit"#));
}

#[test]
fn every_open_column_has_a_button_with_its_key() {
    let page = page("columns");
    assert!(page.contains(
        r#"action="/g/abcdefgh/moves" data-key="d"><input type="hidden" name="ply" value="30"><input type="hidden" name="column" value="d"><button class="btn">Drop in d</button>"#
    ));
    assert_eq!(page.matches(r#"name="column""#).count(), 7);
    assert!(
        !page.contains(r#"data-key="e""#),
        "e is full, and no turn is ended"
    );
    let long = self::page("columns-64");
    assert!(long.contains(r#"name="column" value="bl""#));
    assert!(long.contains(r#"id="col-aa""#));
}

#[test]
fn a_chosen_column_is_confirmed_by_one_focused_button() {
    let page = page("columns-chosen");
    assert!(page.contains("<h1>Drop in d?</h1>"));
    assert!(page.contains(r#"value="d"><button class="btn main" autofocus>Drop in d</button>"#));
    assert_eq!(page.matches(r#"name="column""#).count(), 1);
    assert!(page.contains(
        r#"class="col src" id="col-d" data-x="280" data-y="0" href="/g/abcdefgh" aria-label="Column d, chosen; choose again to put the chip back""#
    ));
    assert!(page.contains(r#"<a data-back href="/g/abcdefgh">Another column</a>"#));
}

#[test]
fn who_waits_for_the_other_chip_can_click_nothing() {
    let page = page("columns-waiting");
    assert!(!page.contains(r#"href="/g/abcdefgh?column"#));
    assert!(!page.contains(r#"class="hit""#));
    assert!(page.contains("Blue is thinking"));
}

#[test]
fn a_computer_that_waits_says_for_how_many_turns() {
    let page = page("queued");
    assert!(page.contains("<h1>Blue waits to think</h1>"));
    assert!(page.contains("the turns of 12 other games come first."));
    assert!(page.contains(r#"data-ahead="12""#));
    assert!(!self::page("waiting").contains("data-ahead"));
}

#[test]
fn every_level_can_be_chosen_and_says_what_it_does() {
    let page = start_page(&site(Section::Play), text(), &start(true)).into_string();
    for (game, selects) in [("dice", 6), ("trilobite", 2)] {
        let (_, fields) = page
            .split_once(&format!("fieldset class=\"of of-{game}\""))
            .unwrap();
        let fields = fields.split("<fieldset class=\"of ").next().unwrap();
        for level in LEVELS {
            let option = format!(r#"<option value="{level}""#);
            assert_eq!(fields.matches(&option).count(), selects, "{game}: {level}");
            let about = format!("<dd>{}</dd>", level_about(text(), game, level));
            assert_eq!(fields.matches(&about).count(), 1, "{game}: {about}");
            assert!(!about.contains("level-"), "{about}");
        }
    }
}

#[test]
fn the_second_game_has_its_own_sentences() {
    let page = page("columns");
    assert!(page.contains("<title>Your turn · Trilobite</title>"));
    assert!(page.contains("<h2>Chip 31</h2>"));
    assert!(page.contains(r#"data-marks="k10""#));
    assert!(page.contains("Blue: <b>c</b>"));
    assert!(page.contains(r#"<b>15</b><i> chips</i>"#));
    assert!(!page.contains("hexes") && !page.contains("dice"));
}

#[test]
fn a_line_is_marked_and_told() {
    let page = page("columns-line");
    assert!(page.contains("<title>Four in a row: you win in 30 chips · Trilobite</title>"));
    assert!(page.contains("Your last chip completed the line."));
    assert_eq!(page.matches(r#"<circle class="lit""#).count(), 4);
    assert_eq!(page.matches(r#"<path class="line""#).count(), 1);
    assert!(page.contains(r#"<path class="line" d="M280 200L520 440"/>"#));
    assert!(page.contains("<h2>Chip 30</h2>"));
    let mut lost = line();
    lost.players[0].who = Who::Person;
    lost.players[0].name = Some("Ada <script>".into());
    lost.players[1].who = Who::You;
    let page = game_page(&site(Section::Play), text(), &lost).into_string();
    assert!(page.contains("<h1>Four in a row: Ada &lt;script&gt; wins in 30 chips</h1>"));
    assert!(page.contains("Ada &lt;script&gt;’s last chip completed the line."));
}

#[test]
fn lines_that_cross_are_two_strokes() {
    let mut board = columns(3, 3, &["rbr", "brb", "rbr"]);
    for cell in [0, 2, 4, 6, 8] {
        board.cells[cell].line = true;
    }
    let crossed = lined(board);
    let page = game_page(&site(Section::Play), text(), &crossed).into_string();
    assert_eq!(page.matches(r#"<path class="line""#).count(), 2);
    assert!(page.contains("Three in a row: you win"));
}

#[test]
fn a_draw_has_no_winner() {
    let page = page("columns-draw");
    assert!(page.contains("<h1>The board is full: a draw</h1>"));
    assert!(page.contains("Nobody made a line."));
    assert!(!page.contains(">Winner<") && !page.contains(r#"class="lit""#));
    assert!(self::page("games").contains(r#"<small>Trilobite, 9 chips</small><small><time datetime="2026-11-22">22 November 2026</time></small><em>Draw</em>"#));
}

#[test]
fn giving_up_at_columns_is_told_without_counting() {
    let verdict = |_| Said::new("over-won").of(1);
    let reason = Said::new("over-resigned-chips");
    let resigned = chips_over(middle(), vec![1], verdict, reason);
    let page = game_page(&site(Section::Play), text(), &resigned).into_string();
    assert!(page.contains("<h1>Blue wins</h1>"));
    assert!(page.contains("The other side gave up."));
}

#[test]
fn the_form_has_the_fields_of_both_games() {
    let dice = page("start");
    assert!(dice.contains(r#"<input type="radio" name="game" value="dice" checked>"#));
    assert_eq!(dice.matches(r#"name="seats""#).count(), 6);
    assert_eq!(dice.matches(r#"name="chips""#).count(), 2);
    assert!(dice.contains(
        r#"<form class="second" method="post" action="/games"><input type="hidden" name="game" value="trilobite">"#
    ));
    let chips = page("start-chips");
    assert!(chips.contains(r#"<input type="radio" name="game" value="trilobite" checked>"#));
    assert!(chips.contains("That board is too large"));
    for (name, value) in [
        ("width", r#" value="200""#),
        ("height", ""),
        ("win", r#" value="5""#),
    ] {
        let field = chips
            .split("<input ")
            .find(|field| field.contains(&format!(r#"name="{name}""#)))
            .expect("the field is there");
        let field = field.split('>').next().expect("it ends");
        assert!(field.contains(value), "{field}");
        assert_eq!(field.contains(" value="), !value.is_empty(), "{field}");
    }
    // Both seats are people, of the levels that Trilobite has.
    let seats: Vec<_> = chips.split(r#"name="chips""#).skip(1).collect();
    for seat in seats {
        let seat = seat.split("</select>").next().expect("it ends");
        assert!(seat.contains(r#"<option value="human" selected>"#));
        assert!(seat.contains(r#"<option value="exact">Exact</option>"#));
    }
    assert_eq!(chips.matches(r#"value="exact""#).count(), 2);
}

#[test]
fn where_no_dice_are_rolled_nothing_speaks_of_chances() {
    let page = page("plain");
    let main = page.split("<main ").nth(1).expect("the page has a main");
    assert!(!main.contains('%'), "no chances");
    assert!(main.contains(r#"aria-label="Hex 1, Blue, 1 die, attack""#));
    assert!(main.contains("3 dice beat 1"));
    assert!(main.contains("You take <b>17</b> from 23, with 3 against 1."));
    assert!(main.contains("for the dice you captured, less one"));
    let attack = AttackView {
        from: 0,
        to: 1,
        odds: None,
    };
    let confirm = GameView {
        prompt: confirm(attack, (3, 1)),
        corner: Some(Arc::new(Confirm(attack))),
        buttons: None,
        ..plain()
    };
    let confirm = game_page(&site(Section::Play), text(), &confirm).into_string();
    assert!(confirm.contains("3 dice against 1: it will be yours."));
}

#[test]
fn a_full_board_with_twenty_lines_of_log_is_small() {
    let size = page("game").len();
    assert!(size < 48 * 1024, "{size} bytes");
}

#[test]
fn no_page_has_a_style_or_a_script_of_its_own() {
    for (name, page) in pages() {
        assert!(!page.contains(" style="), "{name}");
        assert!(!page.contains("<style"), "{name}");
        assert!(!page.contains(" onclick="), "{name}");
        for script in page.split("<script").skip(1) {
            assert!(
                script.starts_with(r#" type="module" src="board.js"></script>"#),
                "{name}"
            );
        }
    }
}

#[test]
fn ids_are_unique() {
    for (name, page) in pages() {
        let mut ids: Vec<_> = page
            .split(" id=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "{name}");
    }
}

#[test]
fn every_page_has_one_headline_and_one_main() {
    for (name, page) in pages() {
        assert_eq!(page.matches("<h1>").count(), 1, "{name}");
        assert_eq!(page.matches("<main ").count(), 1, "{name}");
        assert!(
            page.matches("btn main").count() <= 1,
            "{name}: one main button"
        );
    }
}

#[test]
fn no_sentence_is_missing_and_no_mark_is_left() {
    for (name, page) in pages() {
        assert!(
            !page.contains(['\u{2068}', '\u{2069}']),
            "{name}: isolation marks"
        );
        assert!(
            !page.contains("{ $") && !page.contains("{$"),
            "{name}: a value is missing"
        );
    }
}

#[test]
fn names_are_escaped() {
    let page = page("waiting");
    assert!(page.contains("Ada &lt;script&gt;"));
    assert!(!page.contains("Ada <script>"));
}

#[test]
fn the_host_sees_links_and_what_to_do_with_them() {
    let page = page("hosting");
    assert!(page.contains("Blue’s seat is open"));
    assert!(page.contains(&format!("value=\"{LINK}\"")));
    assert!(page.contains("Withdraw the link and make a new one"));
    assert!(page.contains("Make a link"));
    assert!(page.contains("open seat"));
    assert!(page.contains("Yes, give up; that ends the game"));
    // The seat that everybody waits for is unfolded, the other is not.
    assert_eq!(page.matches("<details class=\"seat\" open>").count(), 1);
    assert!(!page.contains("Let a computer play for"));
}

#[test]
fn the_others_may_let_a_computer_play_for_who_does_not_move() {
    let page = page("slow");
    assert!(page.contains("Ada &lt;script&gt; has not moved for a while."));
    assert!(page.contains("name=\"do\" value=\"replace\""));
    assert!(page.contains("name=\"ply\" value=\"132\""));
    assert!(page.contains("Yes, give up; a computer plays on"));
    assert!(!page.contains("Withdraw the link and make a new one</button></form><form class"));
}

#[test]
fn a_rematch_is_asked_for_once_and_then_a_link() {
    let asked = page("over");
    assert!(asked.contains(">Rematch<") && asked.contains("Same board, next seat"));
    assert!(!asked.contains("To the rematch"));
    let made = page("rematched");
    assert!(made.contains("To the rematch") && made.contains("href=\"/g/zzzzzzzz\""));
    assert!(!made.contains(">Rematch<") && made.contains("Same board, next seat"));
    assert!(!page("rematched-both").contains("/rematch\""));
    for name in ["over", "rematched", "rematched-both"] {
        assert_eq!(page(name).matches("btn main").count(), 1, "{name}");
    }
}

#[test]
fn other_opponents_are_one_press_each_where_there_are_any() {
    let mut view = over();
    view.table.steps = vec![
        StepView {
            kind: Again::Easier,
            opponents: None,
        },
        StepView {
            kind: Again::Harder,
            opponents: Some("medium"),
        },
    ];
    let drawn = |view: &GameView| game_page(&site(Section::Play), text(), view).into_string();
    let asked = drawn(&view);
    for (value, label) in [("easier", "Easier"), ("harder", "Harder: Medium")] {
        let form = format!(
            r#"<input type="hidden" name="opponents" value="{value}"><button class="btn">{label}</button>"#
        );
        assert!(asked.contains(&form), "{form}");
    }
    assert_eq!(asked.matches("btn main").count(), 1);
    view.table.rematches = vec![RematchView {
        kind: Again::Easier,
        id: "zzzzzzzz".into(),
    }];
    let made = drawn(&view);
    assert!(made.contains("To the easier rematch") && made.contains(">Harder: Medium<"));
    assert!(!made.contains(">Easier<"));
    view.may_rematch = false;
    assert!(!drawn(&view).contains("/rematch\""));
    assert!(!page("over").contains("name=\"opponents\""));
}

#[test]
fn a_link_is_one_button_and_takes_nothing() {
    let page = page("join");
    assert!(page.contains("Ada &lt;b&gt; invites you to Dice of Doom"));
    let (_, main) = page.split_once("<main").expect("the page");
    let (main, _) = main.split_once("</main>").expect("its end");
    assert_eq!(main.matches("<button").count(), 1);
    assert_eq!(main.matches("<form method=\"post\">").count(), 1);
    assert!(page.contains("Take Blue’s seat"));
    assert!(page.contains("Only people with a seat see this game."));
    let back = self::page("join-back");
    assert!(back.contains("Back to your game") && !back.contains("name=\"name\""));
    let refused = self::page("join-refused");
    assert!(refused.contains("cannot be seen") && refused.contains("invited to Trilobite"));
}

#[test]
fn the_form_offers_seats_by_link_and_who_may_see_the_table() {
    let page = page("start-form");
    assert_eq!(
        page.matches("<option value=\"open\">A person, by link")
            .count(),
        8
    );
    for field in [
        "name=\"private\"",
        "name=\"replace_after\"",
        "name=\"name\"",
    ] {
        assert_eq!(page.matches(field).count(), 1, "{field}");
    }
    assert!(page.contains("after 5 minutes without a move"));
    assert!(page.contains("after a day without a move"));
    assert!(page.contains("Games to watch"));
}

#[test]
fn the_board_says_what_can_be_done() {
    let page = page("game");
    assert!(page.contains(r#"href="/g/abcdefgh?from=13&amp;to=18" data-from="13" data-to="18" data-marks="h13 h18" aria-label="Hex 18, Purple, 2 dice, attack with 78 %""#));
    assert!(page.contains(r#"aria-label="Hex 16, yours, 3 dice, choose to attack from""#));
    assert!(page.contains("Your 3 dice reach 6 hexes."));
    assert!(page.contains(r#"<input type="hidden" name="pass" value="1">"#));
    assert!(page.contains("+7 dice"));
    assert_eq!(page.matches(r#"name="to""#).count(), 6);
}

#[test]
fn the_log_tells_it_in_sentences() {
    let page = page("game");
    assert!(page.contains("You attack <b>23 → 17</b> with 3 against 2: 12 to 7, <b>captured</b>."));
    assert!(page.contains("Purple ends the turn: <b>+7</b> dice."));
    assert!(page.contains(r#"href="/g/abcdefgh/132""#));
}

#[test]
fn the_end_says_who_won_and_why() {
    let page = page("over");
    assert!(page.contains("<title>Lost by one hex · Dice of Doom</title>"));
    assert!(page.contains("<h1>Lost by one hex</h1>") && page.contains("Blue wins 9–8"));
    assert!(page.contains(
        "Green’s 2 hexes had a single die each at its turn, and one die cannot attack, so the game \
         ended. Most hexes win: Blue 9, you 8, Purple 6, Green 2."
    ));
    assert!(page.contains(r#"action="/g/abcdefgh/rematch""#));
}

#[test]
fn won_and_lost_look_different_and_who_watches_reads_who_won() {
    let ending = |did, place: Option<Said>| {
        let mut view = over();
        let result = view.result.as_mut().expect("it is over");
        (result.did, result.place) = (did, place);
        game_page(&site(Section::Play), text(), &view).into_string()
    };
    let won = ending(
        Some(Did::Won),
        Some(Said::new("over-won-by").with("n", 14u8)),
    );
    assert!(won.contains("class=\"over won\"") && won.contains("<h1>Won by 14 hexes</h1>"));
    let tied = ending(
        Some(Did::Tied),
        Some(Said::new("over-tied").of_all([1, 2, 3])),
    );
    assert!(tied.contains("class=\"over tied\""));
    assert!(tied.contains("<h1>A tie with Blue, Green and Purple</h1>"));
    let watched = ending(None, None);
    assert!(watched.contains("class=\"over\"") && watched.contains("<h1>Blue wins 9–8</h1>"));
    assert!(watched.contains("After 132 moves"));
    assert!(page("over").contains("class=\"over lost\""));
}

#[test]
fn the_end_shows_its_course() {
    let page = page("over");
    // Two graphs with the same numbers as tables, and a switch that needs no script.
    assert_eq!(page.matches("<svg class=\"graph\"").count(), 2);
    assert_eq!(page.matches("<polyline").count(), 8);
    assert_eq!(page.matches("type=\"radio\" name=\"held\"").count(), 2);
    assert!(page.contains("value=\"hexes\" checked"));
    let dice = page.split("of-dice").nth(1).expect("the graph of dice");
    let rows = dice.split("<tbody>").nth(1).expect("its table");
    assert!(rows.starts_with("<tr><th scope=\"row\">start</th><td>14</td><td>14</td>"));
    assert_eq!(page.matches("<g class=\"mk\"").count(), 6);
    // Each swing opens its move.
    for said in [
        "href=\"/g/abcdefgh/9\"><span class=\"no\">1</span><span><b>Your 2 beat Blue’s 4</b>, 6\u{a0}% likely",
        "href=\"/g/abcdefgh/40\"><span class=\"no\">2</span><span><b>Blue’s 4 lost to your 2</b>, 9\u{a0}% likely",
        "<b>Blue’s 4 lost to Green’s 3</b>, 26\u{a0}% likely</span><small>turn 2</small>",
        "You won 2 rolls more than the odds promised.",
        "<td>55</td><td>29</td><td>27.2</td>",
        "<b>+1.8</b>",
        "<b>−1.4</b>",
        "<b>0.0</b>",
    ] {
        assert!(page.contains(said), "{said}");
    }
    // A game without a course has none of it.
    assert!(!self::page("columns-line").contains("class=\"course"));
}

#[test]
fn waiting_pages_ask_again_without_scripts() {
    let page = page("waiting");
    assert!(page.contains(r#"<noscript><meta http-equiv="refresh" content="2"></noscript>"#));
    assert!(page.contains("Look again"));
    assert!(page.contains("data-refresh"));
}

#[test]
fn the_books_page_speaks_as_the_book() {
    let page = page("book");
    assert!(page.contains("On 5 dice rolled 21. On 1 dice rolled 6."));
    assert!(page.contains(
        r#"You may now <a href="/game.html?chosen=pass&amp;ply=3">pass</a> or make another move:"#
    ));
    let ended = BookView {
        messages: vec![BookMessage::Tie {
            players: vec![0, 1],
        }],
        link: Some(BookLink::PlayAgain("/game.html?chosen=NIL".into())),
        refresh: Some((1, "/game.html?chosen=NIL&ply=4".into())),
        ..book()
    };
    let page = book_page(&site(Section::Elsewhere), text(), &ended).into_string();
    assert!(page.contains("The game is a tie between (a b)"));
    assert!(page.contains(">play again</a>"));
    assert!(page.contains(
        r#"<meta http-equiv="refresh" content="1;url=/game.html?chosen=NIL&amp;ply=4">"#
    ));
}

#[test]
fn the_fragment_is_the_title_and_main_alone() {
    let fragment = game_fragment(&site(Section::Play), text(), &target_chosen()).into_string();
    assert!(fragment.starts_with("<title>Your turn · Dice of Doom</title><main id=\"main\""));
    assert!(fragment.ends_with("</main>"));
}

#[test]
fn the_picture_stands_alone() {
    let picture = board_svg(&resting()).into_string();
    assert!(picture.starts_with("<svg xmlns="));
    for foreign in ["<style", "class=", "var(", "href=\"/", "<script"] {
        assert!(!picture.contains(foreign), "{foreign}");
    }
    // No style sheet says how large the pips are.
    let mut circles = picture.split("<circle ").skip(1);
    assert!(circles.all(|circle| circle.starts_with("r=\"")));
}

#[test]
fn the_picture_of_columns_stands_alone() {
    let picture = board_svg(&*line().board).into_string();
    assert!(picture.starts_with("<svg xmlns="));
    for foreign in ["<style", "class=", "var(", "href=\"/", "<script", "id=\"k"] {
        assert!(!picture.contains(foreign), "{foreign}");
    }
    assert!(picture.contains("#bd2f1c") && picture.contains("#2052d2"));
}

#[test]
fn odd_columns_do_not_panic() {
    for (width, height) in [(0, 0), (0, 3), (255, 255), (3, 0), (2, 2)] {
        let board: Arc<dyn Board> = Arc::new(ColumnsView {
            width,
            height,
            win: 0,
            cells: vec![
                CellView {
                    chip: Some(250),
                    last: true,
                    line: true,
                };
                5
            ],
            columns: vec![
                ColumnView {
                    hint: None,
                    state: ColumnState::Choosable,
                    href: Some("\"<".into()),
                    landing: Some(255),
                };
                2
            ],
        });
        let view = GameView {
            board: board.clone(),
            mover: Some(250),
            ..column_chosen()
        };
        let page = game_page(&site(Section::Play), text(), &view).into_string();
        assert!(!page.contains("href=\"\"<"));
        let _ = board_svg(&*board);
    }
}

#[test]
fn odd_values_do_not_panic() {
    for side in [0, 1, 2, 8, 255] {
        let hexes = vec![
            HexView {
                owner: 250,
                dice: 255,
                state: HexState::Target {
                    odds: Some(f64::NAN)
                },
                ..HexView::default()
            };
            3
        ];
        let board = BoardView {
            pointers: Vec::new(),
            side,
            max_dice: 0,
            hexes,
            last_attack: Some((255, 0)),
            asked: None,
        };
        let view = GameView {
            players: Vec::new(),
            ..game(Prompt::Waiting { player: 200 }, board.clone())
        };
        let _ = game_page(&site(Section::Play), text(), &view);
        let _ = board_svg(&board);
    }
}

/// Appends every source file below a folder.
fn read_sources(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("sources are there") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            read_sources(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            *sources += &fs::read_to_string(path).expect("a source file");
        }
    }
}

#[test]
fn every_sentence_is_used_and_every_used_one_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = fs::read_to_string(root.join("src/terminal.rs")).expect("a source file");
    for folder in ["templates", "src/terminal", "src/faces", "src/web"] {
        read_sources(&root.join(folder), &mut sources);
    }
    let written = WRITTEN.concat();
    let keys: Vec<_> = written
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter_map(|line| line.split(" =").next())
        .collect();
    for key in &keys {
        assert!(text().has(key), "{key} cannot be parsed");
        let said = key.starts_with("level-")
            || key.starts_with("error-")
            || key.starts_with("set-")
            || ["levels-at-", "log-empty-", "switch-", "month-"]
                .iter()
                .any(|prefix| key.starts_with(prefix))
            || sources.contains(&format!("\"{key}\""));
        assert!(said, "{key} is never said");
    }
    let literals = sources.split('"').skip(1).step_by(2);
    for prefix in ["say(", "say_with(", "Said::new("] {
        for rest in sources.split(prefix).skip(1) {
            let Some(key) = rest
                .trim_start()
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next())
            else {
                continue;
            };
            assert!(text().has(key), "{key} is not written");
        }
    }
    let prefixes = [
        "form-", "notice-", "over-", "book-", "rules-", "roll-", "log-", "card-", "table-",
        "confirm-", "api-", "nav-",
    ];
    for literal in literals.filter(|literal| {
        prefixes.iter().any(|prefix| literal.starts_with(prefix))
            && !literal.contains([' ', '{', '.', '#'])
    }) {
        assert!(
            text().has(literal) || literal.ends_with('-'),
            "{literal} is not written"
        );
    }
}

#[test]
fn a_missing_sentence_shows_its_key() {
    assert_eq!(text().say("no-such-sentence"), "no-such-sentence");
}

#[test]
fn a_confirmed_attack_is_one_focused_button() {
    let page = page("confirm");
    assert!(page.contains(r#"name="to" value="18"><button class="btn main" autofocus>"#));
    assert_eq!(page.matches(r#"name="to""#).count(), 1);
}

/// The role, name and order of everything on a board, as a screen reader finds it.
fn spoken(view: &GameView, settings: &str) -> String {
    let page = game_page(&site_with(settings, Section::Play), text(), view).into_string();
    let from = page.find(r#"<svg class="board"#).expect("a board");
    let to = from + page[from..].find("</svg>").expect("closed");
    let mut out = String::new();
    for tag in page[from..to].split('<').skip(1) {
        let attribute = |name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            rest.split('"').next()
        };
        let role = match tag.split([' ', '>']).next() {
            // A tag only takes clicks for its hex, which is the link.
            Some("a") if attribute("tabindex") == Some("-1") => None,
            Some("a") => Some("link"),
            Some("title" | "desc") => {
                let words = tag.split('>').nth(1).unwrap_or_default();
                if !words.is_empty() {
                    out += &format!("- text: {words}\n");
                }
                None
            }
            _ => attribute("role"),
        };
        if let Some(role) = role {
            out += &format!(
                "- {role}: {}\n",
                attribute("aria-label").unwrap_or_default()
            );
        }
    }
    out
}

#[test]
fn both_drawings_say_the_same() {
    for view in [target_chosen(), sized_game(2, 3), sized_game(8, 8)] {
        let piles = spoken(&view, "");
        assert_eq!(spoken(&view, "board-flat"), piles);
    }
    let small = spoken(&sized_game(2, 3), "board-flat");
    let expect = "\
- group: 
- text: The board
- text: 2 by 2 hexes. Hexes are numbered from the back left, row by row.
- link: Hex 0, Blue, 1 die, attack with 9 %
- link: Hex 1, Blue, 3 dice, attack with 26 %
- link: Hex 2, Purple, 3 dice, attack with 43 %
- link: Hex 3, yours, 2 dice, chosen; press again to choose another hex
";
    assert_eq!(small, expect);
}

#[test]
fn flat_boards_have_the_same_links_and_marks() {
    for (side, dice) in [(2, 3), (3, 3), (5, 5), (8, 8)] {
        let view = sized_game(side, dice);
        let [piles, flat] = ["", "board-flat"].map(|settings| {
            game_page(&site_with(settings, Section::Play), text(), &view).into_string()
        });
        // Flat tiles lie beside each other: nothing takes their clicks.
        assert!(!flat.contains("class=\"tops\""));
        let (before, tops) = piles.split_once("<g class=\"tops\"").expect("tops");
        let (_, after) = tops.split_once("</g>").expect("the end of the tops");
        let piles = format!("{before}{after}");
        for mark in [
            "href=\"/g/",
            " id=\"h",
            "data-from=",
            "data-x=",
            "class=\"chip",
            "class=\"num p",
        ] {
            assert_eq!(
                flat.matches(mark).count(),
                piles.matches(mark).count(),
                "{side}: {mark}"
            );
        }
        assert_eq!(
            flat.matches("class=\"big\"").count(),
            usize::from(side).pow(2)
        );
        assert!(!flat.contains("<use href=\"#die"), "{side}");
        assert_eq!(
            flat.matches("href=\"#frl\"").count(),
            2,
            "{side}: the last attack"
        );
        assert!(flat.len() < piles.len(), "{side}");
    }
    assert!(page("flat").len() < 48 * 1024);
}

#[test]
fn without_odds_no_page_of_a_game_speaks_of_them() {
    for board in ["book", "flat"] {
        for view in [target_chosen(), confirming()] {
            let site = site_with(&format!("odds-off.board-{board}"), Section::Play);
            let page = game_page(&site, text(), &view).into_string();
            let main = page.split("<main").nth(1).expect("a main part");
            assert!(
                !main.contains('%') && !main.contains("class=\"chip"),
                "{board}"
            );
        }
    }
}

#[test]
fn settings_offer_every_choice_and_show_it() {
    let page = page("settings-dark");
    let mut chosen = 0;
    for choice in Settings::default().choices() {
        assert!(text().has(&format!("set-{}", choice.name)));
        for word in choice.words {
            // A language is called what its speakers call it.
            let said = choice.name == "language" && *word != "auto";
            assert!(
                said || text().has(&format!("set-{}-{word}", choice.name)),
                "{word}"
            );
            let input = format!(r#"name="{}" value="{word}""#, choice.name);
            // The foot of the page offers the languages that it is not in.
            let in_the_foot = choice.name == "language" && !["auto", "en"].contains(word);
            let count = 1 + usize::from(in_the_foot);
            assert_eq!(page.matches(&input).count(), count, "{input}");
            chosen += page.matches(&format!("{input} checked")).count();
        }
    }
    assert_eq!(chosen, 10);
    assert!(page.contains(r#"name="theme" value="dark" checked"#));
    assert!(page.contains(r#"<button class="btn" name="next" value="/g/abc">"#));
    assert!(
        page.contains(
            r#"<html lang="en" data-theme="dark" data-colours="okabe" data-board="flat">"#
        )
    );
    for kind in ["board still", "board flat still"] {
        assert!(
            page.contains(&format!("class=\"{kind} choosing\"")),
            "{kind}"
        );
    }
}

#[test]
fn every_sentence_has_a_name_of_its_own() {
    let written = WRITTEN.concat();
    let mut names: Vec<_> = written
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
        .filter_map(|line| Some(line.split_once(" =")?.0))
        .collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|two| two[0] == two[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn the_rules_have_exact_odds_and_pictures_of_the_board() {
    let page = page("rules");
    for (cell, times) in [
        (r#"<td class="hi">99.7</td>"#, 1),
        (r#"<td class="hi">99.98</td>"#, 1),
        (r#"<td class="hi">99</td>"#, 1),
        (r#"<td class="lo">1</td>"#, 1),
        (r#"<td class="hi">100</td>"#, 0),
    ] {
        assert_eq!(page.matches(cell).count(), times, "{cell}");
    }
    assert_eq!(page.matches(r#"<figure class="lesson">"#).count(), 3);
    assert_eq!(
        page.matches(r#"role="img" aria-label="A small board."#)
            .count(),
        3
    );
    assert!(page.contains("99.7 %</text>") && page.contains("46 %</text>"));
    assert_eq!(page.matches(r#"<g class="plus""#).count(), 4);
}

/// What a camera reads of the first QR code of a page.
fn scanned(page: &str) -> String {
    let picture = page.split(r#"<svg class="qr""#).nth(1).expect("a QR code");
    let side: usize = picture.split('"').nth(1).expect("its frame")[4..]
        .split(' ')
        .next_back()
        .expect("its side")
        .parse()
        .expect("a number");
    let path = picture.split(r#"<path d=""#).nth(1).expect("its modules");
    let path = path.split('"').next().expect("the end of the modules");
    let mut dark = vec![false; side * side];
    for run in path.split_terminator('z') {
        let mut numbers = run[1..].split([' ', 'h', 'v']);
        let mut next = || numbers.next().expect("a run").parse().expect("a number");
        let (x, y, length): (usize, usize, usize) = (next(), next(), next());
        dark[y * side + x..y * side + x + length].fill(true);
    }
    let shade = |x: usize, y: usize| if dark[y / 4 * side + x / 4] { 0 } else { 255 };
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(side * 4, side * 4, shade);
    let grids = image.detect_grids();
    assert_eq!(grids.len(), 1);
    grids[0].decode().expect("it can be read").1
}

#[test]
fn an_invitation_is_copied_shared_and_scanned() {
    let page = page("hosting");
    // One for the only open seat that has a link; the reader's own link has none.
    assert_eq!(page.matches(r#"<svg class="qr""#).count(), 1);
    assert!(page.contains(r#"aria-label="QR code of the link to Blue’s seat""#));
    assert_eq!(scanned(&page), LINK);
    for (button, times) in [
        (
            r#"<button class="btn scripted" type="button" data-of="link-1" data-done="Copied">"#,
            1,
        ),
        (
            r#"<button class="btn sharing" type="button" data-of="link-1" data-share>"#,
            1,
        ),
        (r#"data-of="back-0""#, 2),
    ] {
        assert_eq!(page.matches(button).count(), times, "{button}");
    }
}

/// What stands in the corner with the way on, without tags.
fn corner(name: &str) -> String {
    let page = page(name);
    let corner = page.split("class=\"acts").nth(1).expect("a corner");
    let corner = corner.split("</div>").next().expect("it ends");
    let texts = corner.split('<').filter_map(|tag| tag.split_once('>'));
    let words: Vec<_> = texts
        .flat_map(|(_, words)| words.split_whitespace())
        .collect();
    words.join(" ")
}

#[test]
fn the_end_of_a_turn_says_what_it_does() {
    for (page, words) in [
        (
            "end-dice",
            "End turn +7 dice for your largest cluster, 7 hexes",
        ),
        (
            "end-room",
            "End turn +4 dice, no room for 3 more for your largest cluster, 7 hexes",
        ),
        (
            "end-alone",
            "End turn no hex of yours can attack +4 dice for your largest cluster, 7 hexes; no room for 3 more",
        ),
        (
            "end-wins",
            "End the game you win 12–10 Blue’s lone die cannot attack.",
        ),
        (
            "end-loses",
            "End the game Green wins 12–10 Blue’s lone die cannot attack. You can still attack, from 3 hexes.",
        ),
        ("end-asks", "Keep attacking Esc End the game"),
    ] {
        assert_eq!(corner(page), words, "{page}");
    }
}

#[test]
fn watchers_have_the_words_of_their_number() {
    let page = |language, watchers| {
        let view = GameView {
            watchers,
            ..game(Prompt::Waiting { player: 2 }, resting())
        };
        game_page(&site(Section::Play), text_in(language), &view).into_string()
    };
    let russian = page(Language::Russian, 2);
    assert!(russian.contains("<b>2</b> зрителя"), "{russian}");
    for words in [
        r#"data-one="|| зритель""#,
        r#"data-few="|| зрителя""#,
        r#"data-other="|| зрителей""#,
    ] {
        assert!(russian.contains(words), "{words}");
    }
    // Where the words are the same for all numbers, the page does not repeat them.
    let english = page(Language::English, 2);
    assert!(english.contains("<b>2</b> watching") && !english.contains("|| watching"));
}

#[test]
fn long_links_have_a_code_and_endless_ones_none() {
    let link = format!(
        "https://{}.example/join/AAAAAAAAAAAAAAAAAAAAAA",
        "a".repeat(200)
    );
    assert_eq!(scanned(&qr(&link, "a \"seat\"").into_string()), link);
    assert_eq!(qr(&"a".repeat(4_000), "").into_string(), "");
}

#[test]
fn a_game_that_would_be_lost_is_ended_in_two_steps() {
    let (wins, loses, asks) = (page("end-wins"), page("end-loses"), page("end-asks"));
    let form = r#"name="pass""#;
    assert!(wins.contains(form) && !wins.contains("two stop"));
    assert!(
        !loses.contains(form)
            && loses.contains(
                r#"class="btn main two stop" id="end" href="/g/abcdefgh?end=1" data-key="e""#
            )
    );
    assert!(asks.contains(form) && asks.contains("data-back"));
    assert!(
        asks.contains("Green wins 12–10 if the game ends now. Two more hexes, taken from Green, would make you win.")
    );
    assert!(!asks.contains("data-key"), "one key must not end it twice");
}

#[test]
fn the_card_says_who_took_what_and_can_be_put_away() {
    let page = page("since");
    for words in [
        "<h2>Since your turn</h2>",
        "<b>−5</b> hexes",
        "<b>+6</b> new dice, <b>9</b> lost",
        r#"href="/g/abcdefgh/121" data-marks="h1 h2 h5""#,
        "<b>Green</b> took 3",
        "<b>Purple</b> took 2",
        r##"<a class="again" href="/g/abcdefgh/112#play">"##,
        r#"type="checkbox""#,
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert_eq!(page.matches(r##"class="was p0" href="#was""##).count(), 5);
    // The dice of the last attack stand behind the card.
    assert!(page.contains("The last attack"));
    assert!(self::page("since-start").contains("<h2>Since the start</h2>"));
}

#[test]
fn one_of_a_thing_is_not_many() {
    let page = page("columns");
    assert!(!page.contains("<b>1</b><i> chips</i>"));
    assert_eq!(
        text().say_with("players-dice", &[("count", 1u8.into())]),
        "die"
    );
    assert_eq!(
        text().say_with("players-chips", &[("count", 1u8.into())]),
        "chip"
    );
}

#[test]
fn the_usual_numbers_are_those_of_the_chosen_rules() {
    let usual = |rules: &str| {
        let numbers = |rules, size, players, max_dice| UsualNumbers {
            rules,
            size,
            players,
            max_dice,
        };
        let form = DiceForm {
            rules: rules.into(),
            usual: vec![numbers("v4", 5, 4, 5), numbers("v1", 2, 2, 3)],
            ..DiceForm::default()
        };
        form.draw(text(), &Look::default()).into_string()
    };
    let book = usual("v4");
    for first in [
        "5 × 5 (usual)</option>",
        "4 (usual)</option>",
        "5 (usual)</option>",
    ] {
        assert!(book.contains(first), "{book}");
    }
    assert!(book.contains(r#"data-usual="v4=5 × 5 (usual);v1=2 × 2 (usual)""#));
    assert!(usual("v1").contains("2 × 2 (usual)</option>"));
}

#[test]
fn what_an_attack_speaks_of_is_ringed() {
    let page = page("game");
    assert!(page.contains(r#"<button class="btn" data-marks="h13 h18">"#));
    assert!(page.contains(r#"tabindex="-1" data-marks="h13 h18" data-from="13" data-to="18""#));
    let view = BoardView {
        asked: Some((13, 18)),
        ..choosing_target()
    };
    let asked = game_page(&site(Section::Play), text(), &game(Prompt::Replay, view)).into_string();
    assert_eq!(asked.matches(" ask\" transform").count(), 2);
}

#[test]
fn cards_of_games_can_be_told_apart() {
    let page = page("games");
    assert!(page.contains("v4, 5 × 5, turn 33"));
    assert!(page.contains("v4, 5 × 5, 132 moves"));
    assert!(page.contains(r#"<time datetime="2026-11-22">22 November 2026</time>"#));
    assert!(page.contains(r#"class="mini"#));
}

#[test]
fn switches_stand_beside_the_boards_that_have_them() {
    let page = page("game");
    for switch in [
        r#"name="board" value="book" aria-pressed="true">Piles<"#,
        r#"name="board" value="flat" aria-pressed="false">Flat<"#,
        r#"name="odds" value="off" aria-pressed="true""#,
        r#"name="coordinates" value="on" aria-pressed="false""#,
        r#"name="theme" value="dark""#,
        r#"<input type="hidden" name="next" value="/g/abcdefgh">"#,
    ] {
        assert!(page.contains(switch), "{switch}");
    }
    let columns = self::page("columns");
    assert!(columns.contains(r#"name="theme""#) && !columns.contains(r#"name="odds" value"#));
}

#[test]
fn the_start_page_shows_the_game_that_is_on_the_air() {
    let shown = |event: Option<Said>, verdict: Option<Said>| {
        let onair = OnAirView {
            id: "abcdefgh".into(),
            ply: 12,
            board: Arc::new(resting()),
            turn: Said::new("turn").with("turn", 11u8),
            event,
            verdict,
        };
        let view = StartView {
            onair: Some(onair),
            ..start(false)
        };
        start_page(&site(Section::Play), text(), &view).into_string()
    };
    let page = shown(Some(attacked("captured")), None);
    assert!(page.contains("<b>Now playing.</b> Turn 11: "), "{page}");
    assert!(page.contains(r#"<a class="btn" href="/g/abcdefgh">Watch</a>"#));
    assert_eq!(page.matches(r#"id="live""#).count(), 1);
    assert_eq!(page.matches("A game under way").count(), 1);
    assert!(shown(None, None).contains("Four computers have just sat down."));
    let verdict = Said::new("over-one")
        .of(2)
        .with("hexes", 12u8)
        .with("next", 10u8);
    let page = shown(None, Some(verdict));
    assert!(page.contains("<b>Just played.</b> Green wins 12–10"));
    assert!(page.contains(">Look at it</a>"));
}
