//! The pages of Dice of Doom.

use std::sync::{Arc, LazyLock};

use maud::Markup;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use super::end_turn_preview::StuckPlayer;
use super::move_options::{self, AttackSelection, hex, hex_message, no_such_hex};
use super::{advice, analysis_board, book_page, hint, history, result_text, turn_summary};
use crate::game::{Game, MAX_PLAYERS, Player};
use crate::game_adapters::analysis_board::EditGroup;
use crate::game_adapters::book_page::{BookGame, BookPage};
use crate::game_adapters::dice_audit::{DiceThrow, OddsTrial, ThrowSide};
use crate::game_adapters::exercise::{BoardChoice, LessonAdvice};
use crate::game_adapters::form::{
    FormFields, OUT_OF_RANGE, UNKNOWN_CHOICE, complete_seats, level_names,
};
use crate::game_adapters::hint::{HintContent, RankedAction};
use crate::game_adapters::page::{
    FormError, GameEnd, GameProgress, MoveOptions, PageAdapter, PlyDescription, TurnSummaryInput,
};
use crate::game_adapters::puzzle::PuzzleDraft;
use crate::games::dice_of_doom::{
    Action, DiceOfDoom, Faces, Hex, IllegalActionError, Parameters, Position, Rules, SetupError,
    Throw, win_probability,
};
use crate::level::{AgentProvider, AgentRng, Level};
use crate::record::{Ply, ReplayedPly};
use crate::session::Session;
use crate::templates::BoardComponent;
use crate::templates::controls::TableComponent;
use crate::templates::dice_of_doom::comparison::AttackComparison;
use crate::templates::dice_of_doom::form::{DiceForm, PresetDefaults};
use crate::templates::dice_of_doom::roll::{EmptyDiceStrip, RollView};
use crate::templates::dice_of_doom::{self, HexBoardView, HexView};
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::page::Component;
use crate::templates::players::CountColumns;
use crate::templates::replay::PlyMark;
use crate::tree::GameTree;

/// Whether the rules award reinforcements for the largest cluster.
pub(super) fn pays_for_clusters(rules: Rules) -> bool {
    matches!(rules, Rules::V4 | Rules::Conquest)
}

/// The board on the start page: a fixed game between the book's computer players after ten turns.
static HERO: LazyLock<Arc<HexBoardView>> = LazyLock::new(|| {
    let game = DiceOfDoom::new(Rules::V4, 5, 4, 5).expect("the book's parameters are valid");
    let mut rng = ChaCha20Rng::seed_from_u64(20);
    let start = game.deal(&mut rng).expect("this seed deals a board");
    let mut session = Session::new(game, start);
    let mut agent_rng = AgentRng::seed_from_u64(20);
    for _ in 0..22 {
        let Some(mover) = session.status().mover() else {
            break;
        };
        let action = Level::Book.choose_action(&game, session.position(), &mut agent_rng);
        let played = session.prepare_ply(mover, action, &mut rng, 0);
        session = played
            .ok()
            .and_then(|ply| session.with_ply(ply).ok())
            .expect("the book's computer players choose legal actions");
    }
    let mut board = game.preview(session.position());
    let attacks = session.record().mainline().rev();
    board.last_attack = attacks
        .filter_map(|(_, ply)| match ply.action {
            Action::Attack { from, to } => Some((from.number(), to.number())),
            Action::EndTurn => None,
        })
        .next();
    Arc::new(board)
});

impl PageAdapter for DiceOfDoom {
    type BoardView = HexBoardView;
    type Selection = AttackSelection;

    const TITLE_KEY: &'static str = "site-name";
    const POSITION: &'static [(&'static str, &'static str)] = &[
        ("board", "dice-field-board"),
        ("neighbors", "dice-field-neighbors"),
        ("player", "dice-field-player"),
        ("spare", "dice-field-spare"),
        ("first_move", "dice-field-first-move"),
        ("quiet", "dice-field-quiet"),
        ("path", "dice-field-path"),
    ];
    const FORM_TITLE_KEY: &'static str = "form-dice";
    const PLAY_KEY: Option<&'static str> = None;
    const PUZZLES: Option<&'static str> = Some(include_str!("puzzles.json"));
    const EXERCISES: Option<&'static str> = Some(include_str!("lessons.json"));
    const TALLY: CountColumns = CountColumns {
        headings: &["players-hexes", "players-dice", "players-cluster"],
        territory: Some(0),
    };

    fn preview(&self, position: &Position) -> HexBoardView {
        let hexes = self.all_hexes().map(|hex| HexView {
            owner: position.owner(hex).number(),
            dice: position.dice(hex),
            ..HexView::default()
        });
        HexBoardView {
            side: self.side(),
            max_dice: self.max_dice(),
            hexes: hexes.collect(),
            last_attack: None,
            attack_to_confirm: None,
            hint_arrows: Vec::new(),
            mentioned: None,
        }
    }

    /// Highlights the attack, or the hexes that were reinforced.
    fn highlight_last_ply(&self, board: &mut HexBoardView, last: &ReplayedPly<'_, Self>) {
        match last.ply.action {
            Action::Attack { from, to } => board.last_attack = Some((from.number(), to.number())),
            Action::EndTurn => {
                for (hex, dice) in self.reinforced(&last.before) {
                    board.hexes[usize::from(hex.number())].reinforced = dice;
                }
                if pays_for_clusters(self.rules()) {
                    for hex in self.cluster(&last.before, last.before.player()) {
                        board.hexes[usize::from(hex.number())].in_cluster = true;
                    }
                }
            }
        }
    }

    fn dice_throw(&self, step: &ReplayedPly<'_, Self>) -> Option<DiceThrow> {
        let throw = step.ply.roll.throw()?;
        let Action::Attack { from, to } = step.ply.action else {
            return None;
        };
        let side = |player, faces: Faces| ThrowSide {
            player,
            faces: faces.as_slice().to_vec(),
        };
        let odds = self.attack_win_probability(&step.before, from, to);
        let dice = (step.before.dice(from), step.before.dice(to));
        Some(DiceThrow {
            sides: vec![
                side(step.before.owner(from), throw.attack),
                side(step.before.owner(to), throw.defend),
            ],
            attempt: odds.map(|odds| OddsTrial {
                dice,
                odds,
                won: throw.attacker_wins(),
            }),
        })
    }

    fn win_probability((attack, defend): (u8, u8)) -> Option<f64> {
        let dice_counts = 1..=8;
        let is_valid = dice_counts.contains(&attack) && dice_counts.contains(&defend);
        is_valid.then(|| win_probability(attack, defend))
    }

    fn select(
        tree: &impl GameTree<Game = Self>,
        query: &FormFields,
    ) -> Result<AttackSelection, FormError> {
        move_options::parse_selection(tree, query)
    }

    fn add_move_links(
        tree: &impl GameTree<Game = Self>,
        chosen: AttackSelection,
        here: &str,
        board: &mut HexBoardView,
    ) -> MoveOptions {
        move_options::add_move_links(tree, chosen, here, board)
    }

    fn add_exercise_links(
        &self,
        position: &Position,
        selected: Option<u8>,
        choices: &[(BoardChoice<Action>, String)],
        board: &mut HexBoardView,
    ) {
        move_options::add_exercise_links(self, position, selected, choices, board);
    }

    fn highlight_choice(&self, choice: BoardChoice<Action>, board: &mut HexBoardView) {
        match choice {
            BoardChoice::Element(hex) => board.attack_to_confirm = Some((hex, hex)),
            BoardChoice::Action(Action::Attack { from, to }) => {
                board.last_attack = Some((from.number(), to.number()));
            }
            BoardChoice::Action(Action::EndTurn) => {}
        }
    }

    fn puzzle_draft(
        &self,
        position: &Position,
        ranked: &[RankedAction<'_, Action>],
    ) -> Option<PuzzleDraft<Action>> {
        hint::puzzle_draft(self, position, ranked)
    }

    /// The same position with the players renamed in the order of their turns. Turned or mirrored boards are not
    /// equal to it, because reinforcements are placed in the order of the hexes.
    fn symmetric_positions(&self, position: &Position) -> Vec<Position> {
        let players = self.players();
        let renamed = |by: u8| {
            let mut setup = self.setup(position);
            for (owner, _) in &mut setup.board {
                *owner = (*owner + by) % players;
            }
            setup.player = (setup.player + by) % players;
            self.position(&setup).ok()
        };
        (1..players).filter_map(renamed).collect()
    }

    fn mark_choices(&self, _: &Position, choices: &[Action], board: &mut HexBoardView) -> bool {
        hint::mark_choices(choices, board);
        true
    }

    fn played_picture(
        &self,
        _: &Position,
        action: Action,
        after: &Position,
    ) -> Arc<dyn TableComponent> {
        self.comparison_picture(after, None, action)
    }

    fn first_turn_hint(
        tree: &impl GameTree<Game = Self>,
        chosen: &AttackSelection,
        plies: u32,
    ) -> Option<LocalizedMessage> {
        move_options::first_turn_hint(tree, *chosen, plies)
    }

    fn ply_mark(ply: &Ply<Self>) -> PlyMark {
        match ply.action {
            Action::EndTurn => PlyMark::Quiet,
            // An attack without dice always succeeds.
            Action::Attack { .. } if ply.roll.throw().is_none_or(Throw::attacker_wins) => {
                PlyMark::Won
            }
            Action::Attack { .. } => PlyMark::Failed,
        }
    }

    fn parse_action_form(&self, form: &FormFields) -> Result<Action, FormError> {
        form.has_only(&["ply", "pass", "from", "to"])?;
        let pass = form.single("pass")?.is_some();
        let (from, to) = (form.number("from")?, form.number("to")?);
        match (pass, from, to) {
            (true, None, None) => Ok(Action::EndTurn),
            (false, Some(from), Some(to)) => Ok(Action::Attack {
                from: hex(self, from)?,
                to: hex(self, to)?,
            }),
            _ => Err(FormError::Invalid(
                "a ply is a pass, or an attack with from and to".to_owned(),
            )),
        }
    }

    fn player_counts(&self, position: &Position, player: Player) -> Vec<u32> {
        let (hexes, dice) = self.hex_and_dice_count(position, player);
        vec![hexes, dice, self.largest_cluster(position, player)]
    }

    fn turn(&self, now: &GameProgress) -> LocalizedMessage {
        LocalizedMessage::new("turn").with_value("turn", now.turn)
    }

    fn describe_ply(&self, step: &ReplayedPly<'_, Self>) -> PlyDescription {
        let player = step.ply.player.number();
        match step.ply.action {
            Action::EndTurn => {
                let reinforced = self.reinforced(&step.before).into_iter();
                let message = match reinforced.map(|(_, dice)| u32::from(dice)).sum::<u32>() {
                    0 => LocalizedMessage::new("log-end-none").with_player(player),
                    dice => LocalizedMessage::new("log-end")
                        .with_player(player)
                        .with_value("dice", dice),
                };
                PlyDescription {
                    message,
                    marks: None,
                    strip: None,
                }
            }
            Action::Attack { from, to } => {
                let roll = roll_view(step, from, to);
                PlyDescription {
                    message: attack_message(&roll),
                    marks: Some(format!("h{from} h{to}")),
                    strip: Some(Arc::new(roll)),
                }
            }
        }
    }

    fn takeback_label(&self, action: Action) -> Option<LocalizedMessage> {
        Some(match action {
            Action::EndTurn => LocalizedMessage::new("take-back-end"),
            Action::Attack { from, to } => LocalizedMessage::new("take-back-attack")
                .with_value("from", from.number())
                .with_value("to", to.number()),
        })
    }

    fn takeback_text(&self, player: Player, action: Action) -> Option<LocalizedMessage> {
        let message = match action {
            Action::EndTurn => LocalizedMessage::new("log-took-back-end"),
            Action::Attack { from, to } => LocalizedMessage::new("log-took-back-attack")
                .with_value("from", from.number())
                .with_value("to", to.number()),
        };
        Some(message.with_player(player.number()))
    }

    fn log_turn(turn: u32) -> Option<u32> {
        Some(turn)
    }

    fn empty_strip() -> Option<Arc<dyn TableComponent>> {
        Some(Arc::new(EmptyDiceStrip))
    }

    fn turn_summary(
        &self,
        since: TurnSummaryInput<'_, Self>,
        board: &mut HexBoardView,
    ) -> Option<Arc<dyn TableComponent>> {
        let view = turn_summary::turn_summary(self, since, board)?;
        Some(Arc::new(view))
    }

    /// Marks the hexes of the player who cannot attack, and removes the marks of the last reinforcements.
    fn highlight_end(&self, board: &mut HexBoardView, position: &Position) {
        for hex in &mut board.hexes {
            (hex.reinforced, hex.in_cluster) = (0, false);
        }
        if let Some(stuck) = StuckPlayer::at_end(self, position) {
            stuck.mark(board);
        }
    }

    fn description(&self) -> LocalizedMessage {
        LocalizedMessage::new("numbers-dice")
            .with_value("rules", self.rules().name())
            .with_value("side", self.side())
            .with_value("players", self.players())
    }

    fn rated_games() -> Vec<Self> {
        let measured = [
            (Rules::V4, 5, 4),
            (Rules::V4, 5, 2),
            (Rules::V4, 7, 4),
            (Rules::Conquest, 5, 4),
            (Rules::V3, 5, 2),
        ];
        let games = measured.into_iter().map(|(rules, side, players)| {
            let (_, max_dice, _) = rules.defaults();
            DiceOfDoom::new(rules, side, players, max_dice)
        });
        games.filter_map(Result::ok).collect()
    }

    fn progress_label(&self, now: &GameProgress) -> LocalizedMessage {
        let message = if now.is_over() {
            LocalizedMessage::new("card-plies").with_value("plies", now.plies)
        } else {
            LocalizedMessage::new("card-turn").with_value("turn", now.turn)
        };
        message
            .with_value("rules", self.rules().name())
            .with_value("side", self.side())
    }

    fn winner_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage {
        result_text::winner_text(self, end)
    }

    fn player_result_text(
        &self,
        end: &GameEnd<'_, Self>,
        player: Player,
    ) -> Option<LocalizedMessage> {
        result_text::player_result_text(self, end, player)
    }

    fn end_reason_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage {
        result_text::end_reason_text(self, end)
    }

    fn history_component(session: &Session<Self>) -> Option<Arc<dyn TableComponent>> {
        Some(Arc::new(history::history(session)))
    }

    fn lesson_advice(session: &Session<Self>, player: Player) -> Option<LessonAdvice> {
        advice::lesson_advice(session, player)
    }

    fn action_text(&self, _: &Position, action: Action) -> LocalizedMessage {
        match action {
            Action::EndTurn => LocalizedMessage::new("review-end-turn"),
            Action::Attack { from, to } => LocalizedMessage::new("review-attack")
                .with_value("from", from.number())
                .with_value("to", to.number()),
        }
    }

    fn comparison_picture(
        &self,
        position: &Position,
        played: Option<Action>,
        better: Action,
    ) -> Arc<dyn TableComponent> {
        let attack = |action| match action {
            Action::EndTurn => None,
            Action::Attack { from, to } => Some((from.number(), to.number())),
        };
        Arc::new(AttackComparison {
            board: self.preview(position),
            played: played.and_then(attack),
            better: attack(better),
        })
    }

    fn why_better(
        &self,
        position: &Position,
        played: Option<Action>,
        better: Action,
    ) -> Option<LocalizedMessage> {
        let compared = [Some(better), played].into_iter().flatten();
        let rest = self.legal_actions(position);
        let rest = rest.filter(|action| *action != better && Some(*action) != played);
        let actions: Vec<_> = compared.chain(rest).collect();
        Some(hint::why(self, position, &actions))
    }

    fn rolled_faces(&self, step: &ReplayedPly<'_, Self>) -> Vec<(Player, Vec<u8>)> {
        let (Action::Attack { to, .. }, Some(throw)) = (step.ply.action, step.ply.roll.throw())
        else {
            return Vec::new();
        };
        vec![
            (step.ply.player, throw.attack.as_slice().to_vec()),
            (step.before.owner(to), throw.defend.as_slice().to_vec()),
        ]
    }

    fn illegal_action_text(error: &IllegalActionError) -> LocalizedMessage {
        match *error {
            IllegalActionError::GameOver => LocalizedMessage::new("notice-over"),
            IllegalActionError::NoSuchHex { .. } => no_such_hex(),
            IllegalActionError::NotYourHex { hex } => hex_message("notice-not-your-hex", hex),
            IllegalActionError::OneDie { hex } => hex_message("notice-one-die", hex),
            IllegalActionError::NotNeighbours { from, to } => {
                LocalizedMessage::new("notice-not-neighbours")
                    .with_value("from", from.number())
                    .with_value("to", to.number())
            }
            IllegalActionError::OwnTarget { to } => {
                LocalizedMessage::new("notice-own-target").with_value("to", to.number())
            }
            IllegalActionError::TooFewDice { from, to } => LocalizedMessage::new("notice-too-few")
                .with_value("from", from.number())
                .with_value("to", to.number()),
            IllegalActionError::NothingToPass => LocalizedMessage::new("notice-nothing-to-pass"),
        }
    }

    fn record_error_text(error: &IllegalActionError) -> LocalizedMessage {
        let attack = |key, from: Hex, to: Hex| {
            LocalizedMessage::new(key)
                .with_value("from", from.number())
                .with_value("to", to.number())
        };
        match *error {
            IllegalActionError::GameOver | IllegalActionError::NoSuchHex { .. } => {
                Self::illegal_action_text(error)
            }
            IllegalActionError::NotYourHex { hex } => hex_message("record-not-own-hex", hex),
            IllegalActionError::OneDie { hex } => hex_message("record-one-die", hex),
            IllegalActionError::NotNeighbours { from, to } => {
                attack("record-not-neighbours", from, to)
            }
            IllegalActionError::OwnTarget { to } => {
                LocalizedMessage::new("record-own-target").with_value("to", to.number())
            }
            IllegalActionError::TooFewDice { from, to } => attack("record-too-few", from, to),
            IllegalActionError::NothingToPass => LocalizedMessage::new("record-nothing-to-pass"),
        }
    }

    fn setup_error_text(error: &SetupError) -> LocalizedMessage {
        LocalizedMessage::new(match error {
            SetupError::NoDeal => "form-problem-deal",
            SetupError::TooFewHexes { .. } => "form-problem-players",
            _ => OUT_OF_RANGE,
        })
    }

    fn settings_form(submitted: &FormFields) -> Arc<dyn Component> {
        let rules = submitted.first("rules").filter(|rules| !rules.is_empty());
        Arc::new(DiceForm {
            rules: rules.unwrap_or(Rules::V4.name()).to_owned(),
            size: submitted.redisplayed("size"),
            players: submitted.redisplayed("players"),
            max_dice: submitted.redisplayed("max_dice"),
            seats: complete_seats(&submitted.list("seats"), MAX_PLAYERS as u8),
            seed: submitted.first("seed").unwrap_or_default().to_owned(),
            levels: level_names(Self::LEVELS),
            defaults: Rules::ALL.map(default_parameters).to_vec(),
        })
    }

    fn parse_form(submitted: &FormFields) -> Result<Parameters, FormError> {
        let rules: Option<Rules> = submitted.non_empty("rules", UNKNOWN_CHOICE)?;
        let rules = rules.unwrap_or(Rules::V4);
        let (players, max_dice, side) = rules.defaults();
        Ok(Parameters {
            rules,
            side: submitted.non_empty("size", OUT_OF_RANGE)?.unwrap_or(side),
            players: submitted
                .non_empty("players", OUT_OF_RANGE)?
                .unwrap_or(players),
            max_dice: submitted
                .non_empty("max_dice", OUT_OF_RANGE)?
                .unwrap_or(max_dice),
        })
    }

    fn rules_section(text: &Translations) -> Markup {
        dice_of_doom::rules::rules(text)
    }

    fn hero_position() -> Option<Arc<dyn BoardComponent>> {
        Some(HERO.clone())
    }

    fn example() -> Option<Arc<dyn Component>> {
        Some(Arc::new(dice_of_doom::DiceSettingsExample))
    }

    /// Each player's hexes and dice are within a third of an equal share.
    fn is_balanced(&self, start: &Position) -> bool {
        let players = u32::from(self.players());
        let (hexes, dice): (Vec<u32>, Vec<u32>) = Player::all(self.players())
            .map(|player| self.hex_and_dice_count(start, player))
            .unzip();
        [hexes, dice].iter().all(|counts| {
            let all: u32 = counts.iter().sum();
            counts
                .iter()
                .all(|count| 3 * all.abs_diff(players * count) <= all)
        })
    }

    fn hint_content(
        &self,
        position: &Position,
        ranked: &[RankedAction<'_, Action>],
        board: &mut HexBoardView,
    ) -> Option<HintContent> {
        hint::hint_content(self, position, ranked, board)
    }

    fn edit_groups(
        &self,
        position: &Position,
        at: Option<u8>,
        choose: &dyn Fn(u8) -> String,
        board: &mut HexBoardView,
    ) -> Vec<EditGroup> {
        analysis_board::edit_groups(self, position, at, choose, board)
    }

    fn action_sentence(&self, position: &Position, action: Action) -> LocalizedMessage {
        analysis_board::action_sentence(position, action)
    }

    fn outcome_sentence(number: u32) -> LocalizedMessage {
        analysis_board::outcome_sentence(number)
    }

    fn book_game() -> Option<BookGame> {
        Some(book_page::book_game())
    }

    fn book_page(session: &Session<Self>) -> Option<&dyn BookPage> {
        Some(session)
    }
}

/// The default parameters of a preset, for the form.
fn default_parameters(rules: Rules) -> PresetDefaults {
    let (players, max_dice, size) = rules.defaults();
    PresetDefaults {
        rules: rules.name(),
        size,
        players,
        max_dice,
    }
}

fn roll_view(step: &ReplayedPly<'_, DiceOfDoom>, from: Hex, to: Hex) -> RollView {
    let throw = step.ply.roll.throw();
    let faces = |side: fn(&Throw) -> &Faces| {
        let faces = throw.map(|throw| side(throw).as_slice().to_vec());
        faces.unwrap_or_default()
    };
    RollView {
        attacker: step.ply.player.number(),
        defender: step.before.owner(to).number(),
        from: from.number(),
        to: to.number(),
        attack: faces(|throw| &throw.attack),
        defend: faces(|throw| &throw.defend),
        dice: (step.before.dice(from), step.before.dice(to)),
        captured: step.after.owner(to) == step.ply.player,
    }
}

fn attack_message(roll: &RollView) -> LocalizedMessage {
    let sum = |faces: &[u8]| faces.iter().map(|face| u32::from(*face)).sum::<u32>();
    let plain = roll.attack.is_empty();
    LocalizedMessage::new(if plain {
        "log-attack-plain"
    } else {
        "log-attack"
    })
    .with_player(roll.attacker)
    .with_value("from", roll.from)
    .with_value("to", roll.to)
    .with_value("attack", roll.dice.0)
    .with_value("defend", roll.dice.1)
    .with_value("sumA", sum(&roll.attack))
    .with_value("sumD", sum(&roll.defend))
    .with_value("outcome", if roll.captured { "captured" } else { "held" })
}
