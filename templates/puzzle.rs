//! The pages of puzzles: the list of themes, and a puzzle before and after its answer.

use std::borrow::Cow;
use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::controls::{TableComponent, TableContext};
use super::hint::percent_text;
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{
    Refresh, SiteContext, emphasised, odds_class, page, page_title, stylesheet_link,
};
use super::played_action::{PlayedActionView, dice_tray, exercise_script};
use super::players::PlayerNames;
use super::preferences::DisplayOptions;
use super::prompt::MovePrompt;
use super::seats::copyable_link;
use super::svg_symbols::glyph_icon;

/// View of the list of themes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzlesView {
    /// All themes, those of a game together.
    pub themes: Vec<PuzzleThemeView>,
    /// Address of the puzzle of the day, and how far the viewer is with it.
    pub today: Option<(String, DayPuzzleStatus)>,
    /// How the viewer does; `None` before the first answer.
    pub standing: Option<PuzzleStanding>,
}

/// How far a viewer is with the puzzle of the day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DayPuzzleStatus {
    /// Whether the answer was right; `None` before the answer.
    pub is_solved: Option<bool>,
    /// The number of days in a row, up to today or yesterday, on which it was solved.
    pub streak: u32,
}

/// How a viewer does with puzzles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuzzleStanding {
    /// The rating on the Elo scale.
    pub rating: u32,
    /// The rating before the answer that is shown; `None` if none is, or the viewer has answered another puzzle since.
    pub rating_before: Option<u32>,
    /// The number of puzzles solved in a row.
    pub row: u32,
    /// The longest row so far.
    pub longest_row: u32,
}

/// A theme.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleThemeView {
    /// Message key of the game's name.
    pub game: &'static str,
    /// The theme, as in the keys of its texts.
    pub theme: String,
    /// The number of its puzzles.
    pub puzzles: u32,
    /// The number that the viewer has answered.
    pub answered: u32,
    /// The number that the viewer has solved.
    pub solved: u32,
}

/// View of a puzzle.
#[derive(Clone, Debug)]
pub struct PuzzleView {
    /// Its address.
    pub address: String,
    /// Its theme, as in the keys of its texts.
    pub theme: String,
    /// The player to move.
    pub mover: u8,
    /// Its URL, such as `http://localhost:8080/puzzles/1-2`.
    pub url: String,
    /// How far the viewer is with it as the puzzle of the day; `None` if it is another one.
    pub day: Option<DayPuzzleStatus>,
    /// How the viewer does.
    pub standing: PuzzleStanding,
    /// Its rating on the Elo scale.
    pub rating: u32,
    /// How often it was solved, and tried; `None` before the first answer.
    pub solved: Option<(u32, u32)>,
    /// The choices, in the order of their letters.
    pub choices: Vec<PuzzleChoiceView>,
    /// The index of the right choice.
    pub right: usize,
    /// Whether it is answered.
    pub stage: PuzzleStage,
}

/// A choice of a puzzle.
#[derive(Clone, PartialEq, Debug)]
pub struct PuzzleChoiceView {
    /// The action in a few words; the message can select on the argument `place`: `head` or `within` a sentence.
    pub name: LocalizedMessage,
    /// What else there is to say about it.
    pub detail: Option<LocalizedMessage>,
    /// The probability that it succeeds, where dice decide.
    pub odds: Option<f64>,
    /// The win share after it, 0..=1.
    pub share: f64,
    /// In a game that knows its result without chance: whether it wins, draws or loses.
    pub outcome: Option<LocalizedMessage>,
    /// Its letter on the board; `None` if the board has letters of its own.
    pub letter: Option<char>,
    /// Address of its link on the board; `None` if it is not chosen there.
    pub link: Option<String>,
}

/// An action that was pressed on the board of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PressedAction {
    /// The choice with this index.
    Choice(usize),
    /// None of the choices.
    Other,
}

/// Whether a puzzle is answered.
#[derive(Clone, Debug)]
pub enum PuzzleStage {
    /// The question.
    Question {
        /// The board, with a pointer for each choice.
        board: Arc<dyn BoardComponent>,
        /// The empty tray of the dice, in a game with dice.
        strip: Option<Arc<dyn TableComponent>>,
        /// What to do next on the board.
        prompt: MovePrompt,
        /// The action that was pressed on the board.
        pressed: Option<PressedAction>,
    },
    /// The answer.
    Answered(PuzzleAnswerView),
}

/// View of an answer.
#[derive(Clone, Debug)]
pub struct PuzzleAnswerView {
    /// The index of the choice.
    pub chosen: usize,
    /// What the choice led to.
    pub played: PlayedActionView,
    /// Why the right choice is right.
    pub why: Option<LocalizedMessage>,
    /// What follows from the right choice.
    pub steps: Vec<PuzzleStepView>,
    /// Whether it is stored; browsers without cookies have none.
    pub is_stored: bool,
    /// Address of the next puzzle.
    pub next: String,
    /// Address of the analysis board.
    pub analysis: String,
}

/// A step of what follows from the right choice.
#[derive(Clone, Debug)]
pub struct PuzzleStepView {
    /// The player.
    pub player: u8,
    /// The action.
    pub action: LocalizedMessage,
    /// What the dice decided.
    pub outcome: Option<LocalizedMessage>,
    /// A small board.
    pub picture: Arc<dyn TableComponent>,
}

/// From this number of answers on, the share of right ones is shown.
const SHOWN_ANSWERS: u32 = 10;

/// Renders the list of themes.
#[must_use]
pub fn puzzles_page(site: &SiteContext<'_>, text: &Translations, view: &PuzzlesView) -> Markup {
    let title = text.get("puzzles-title");
    let main = html! {
        main #main.puzzles {
            (stylesheet_link(site, "puzzle.css"))
            h1 { (title) }
            p.lead { (text.get("puzzles-lead")) }
            @if let Some((today, status)) = &view.today {
                p.of-today {
                    a.btn.main[status.is_solved.is_none()] href=(text.path(today)) { (text.get("puzzle-of-the-day")) }
                    (day_status(text, *status))
                }
            }
            @if let Some(standing) = view.standing {
                p.sub { (text.get_with("puzzle-your-rating", &[("rating", standing.rating.to_string().into())])) }
                (solved_in_a_row(text, standing))
            }
            @for (index, theme) in view.themes.iter().enumerate() {
                @if index == 0 || view.themes[index - 1].game != theme.game { h2 { (text.get(theme.game)) } }
                (theme_card(text, theme))
            }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

fn theme_card(text: &Translations, theme: &PuzzleThemeView) -> Markup {
    let counts = [
        ("solved", theme.solved.into()),
        ("answered", theme.answered.into()),
        ("puzzles", theme.puzzles.into()),
    ];
    let is_done = theme.answered == theme.puzzles;
    html! {
        section.theme {
            h3 { (text.get(&format!("puzzle-theme-{}", theme.theme))) }
            p.sub { (text.get_with(if is_done { "puzzle-theme-done" } else { "puzzle-theme-count" }, &counts)) }
            @if !is_done {
                a.btn href={ (text.path("/puzzles?theme=")) (theme.theme) } { (text.get("puzzle-solve")) }
            }
        }
    }
}

/// Whether the puzzle of the day is solved, and on how many days in a row it was.
fn day_status(text: &Translations, status: DayPuzzleStatus) -> Markup {
    html! {
        @if let Some(is_solved) = status.is_solved {
            span.of-day {
                @if is_solved { svg.ico aria-hidden="true" { use href="#i-tick" {} } }
                (text.get(if is_solved { "puzzle-day-solved" } else { "puzzle-day-tried" }))
            }
        }
        @if status.streak > 0 { span.of-day { (text.get_with("puzzle-day-streak", &[("days", status.streak.into())])) } }
    }
}

fn solved_in_a_row(text: &Translations, standing: PuzzleStanding) -> Markup {
    html! {
        @if standing.longest_row > 0 {
            p.row {
                b { (standing.row) }
                span { (text.get_with("puzzle-row", &[("row", standing.row.into())])) }
                span.sub { (text.get_with("puzzle-longest-row", &[("row", standing.longest_row.into())])) }
            }
        }
    }
}

/// Renders a puzzle.
#[must_use]
pub fn puzzle_page(site: &SiteContext<'_>, text: &Translations, view: &PuzzleView) -> Markup {
    let names = PlayerNames::none(text);
    let theme = format!("puzzle-theme-{}", view.theme);
    let theme = text.get(&theme);
    let parts = PuzzlePageParts {
        site,
        text,
        names: &names,
        view,
    };
    let main = match &view.stage {
        PuzzleStage::Question {
            board,
            strip,
            prompt,
            pressed,
        } => html! {
            main #main.puzzle data-refused=(parts.refusal()) {
                (parts.head(&parts.turn(prompt)))
                div.place {
                    (board.interactive(text, &site.display, Some(view.mover), &names))
                    (parts.corner())
                }
                div.tray {
                    (dice_tray(site, text, strip.as_ref()))
                    @if strip.is_some() { p.no-roll { (text.get("puzzle-no-roll")) } }
                }
                section.question {
                    (parts.eyebrow())
                    h1 { (theme) }
                    (parts.question(*pressed))
                }
                (exercise_script(site))
            }
        },
        PuzzleStage::Answered(answer) => html! {
            main #main.puzzle
                data-played=(answer.played.event)
                data-rolling=[answer.played.rolling(site, text)]
                data-said=(parts.spoken(answer)) {
                (parts.head(&parts.happened(&answer.played)))
                div.place { (answer.played.board.interactive(text, &site.display, None, &names)) }
                div.tray { (dice_tray(site, text, answer.played.strip.as_ref())) }
                section.question {
                    (parts.eyebrow())
                    (parts.answer(answer))
                }
                (parts.played_out(answer))
            }
        },
    };
    page(site, text, &page_title(text, &theme), &Refresh::Never, main)
}

/// The parts of the page of a puzzle.
struct PuzzlePageParts<'a> {
    site: &'a SiteContext<'a>,
    text: &'a Translations,
    names: &'a PlayerNames<'a>,
    view: &'a PuzzleView,
}

impl PuzzlePageParts<'_> {
    /// The style sheets, and the line of state above the board.
    fn head(&self, state: &Markup) -> Markup {
        html! {
            (stylesheet_link(self.site, "review.css"))
            (stylesheet_link(self.site, "puzzle.css"))
            div.state { (state) }
        }
    }

    fn turn(&self, prompt: &MovePrompt) -> Markup {
        let (text, mover) = (self.text, self.view.mover);
        let shown_odds = self.site.display.odds(Some(1.0));
        let sub = match (&prompt.sub_without_odds, shown_odds) {
            (Some(sub), None) => sub,
            _ => &prompt.sub,
        };
        html! {
            p.turn-of { (glyph_icon(mover)) (text.get_with("puzzle-turn", &[("player", self.names.name(mover).into())])) }
            p.sub {
                (sub.render(text, self.names))
                @if let Some(back) = &prompt.back { " " a data-back href=(text.path(&back.href)) { (text.get(back.key)) } }
            }
        }
    }

    fn happened(&self, played: &PlayedActionView) -> Markup {
        let text = self.text;
        let result = played.result(text);
        let is_rolled = result.is_some();
        let result = result.unwrap_or_else(|| played.message.render(text, self.names));
        html! {
            p.turn-of { (glyph_icon(self.view.mover)) span { (emphasised(&result)) } }
            @if is_rolled { p.sub { (text.get("puzzle-answer-counts")) } }
        }
    }

    fn eyebrow(&self) -> Markup {
        let (text, day) = (self.text, self.view.day);
        html! {
            p.eyebrow {
                b { (text.get(if day.is_some() { "puzzle-of-the-day" } else { "puzzle" })) }
                @if let Some(day) = day { (day_status(text, day)) }
            }
        }
    }

    /// What a script says about an action that is none of the choices.
    fn refusal(&self) -> String {
        let answers = self.view.choices.len() as u32;
        let refusal = self
            .text
            .get_with("puzzle-refused", &[("answers", answers.into())]);
        refusal.into_owned()
    }

    fn question(&self, pressed: Option<PressedAction>) -> Markup {
        let (text, view) = (self.text, self.view);
        let has_letters = view.choices.iter().any(|choice| choice.letter.is_some());
        let asked = match pressed {
            None => text.get("puzzle-play"),
            Some(PressedAction::Choice(_)) => text.get("puzzle-confirm"),
            Some(PressedAction::Other) => self.refusal().into(),
        };
        html! {
            p.lead { (text.get(&format!("puzzle-task-{}", view.theme))) }
            p.play-it { (asked) }
            form #answers.answers.narrow[!has_letters] method="post" action=(text.path(&view.address)) {
                @for (index, choice) in view.choices.iter().enumerate() {
                    @let is_pressed = pressed == Some(PressedAction::Choice(index));
                    button.btn.pressed[is_pressed] name="answer" value=(index + 1) autofocus[is_pressed]
                        data-link=[choice.link.as_ref().map(|link| text.path(link).to_string())] {
                        (letter(choice))
                        span.what {
                            b { (self.name(choice, "head")) }
                            @if let Some(detail) = &choice.detail { small { (detail.render(text, self.names)) } }
                        }
                        (self.odds(choice.odds))
                    }
                }
            }
            (self.solved_share())
            (self.standing())
        }
    }

    /// The choices that the board does not have, in its corner.
    fn corner(&self) -> Markup {
        let off_board = self.view.choices.iter().enumerate();
        let off_board = off_board.filter(|(_, choice)| choice.link.is_none());
        html! {
            div.corner {
                @for (index, choice) in off_board {
                    button.btn form="answers" name="answer" value=(index + 1) {
                        (letter(choice)) b { (self.name(choice, "head")) }
                    }
                }
            }
        }
    }

    fn name(&self, choice: &PuzzleChoiceView, place: &str) -> String {
        let name = choice.name.clone().with_value("place", place.to_owned());
        name.render(self.text, self.names)
    }

    fn odds(&self, odds: Option<f64>) -> Markup {
        let (text, display): (_, &DisplayOptions) = (self.text, &self.site.display);
        html! {
            @if let Some(odds) = display.odds(odds) {
                span class={ "tag " (odds_class(odds)) } { (percent_text(text, odds)) }
            }
        }
    }

    /// How many have solved it.
    fn solved_share(&self) -> Markup {
        let text = self.text;
        let solved = self.view.solved;
        html! {
            @if let Some((right, answers)) = solved.filter(|(_, answers)| *answers >= SHOWN_ANSWERS) {
                @let share = text.language().format_percent(f64::from(right) / f64::from(answers));
                p.sub { (text.get_with("puzzle-solved-by", &[("share", share.into()), ("answers", answers.into())])) }
            }
        }
    }

    /// The puzzles in a row, and the ratings of the viewer and of the puzzle on one scale.
    fn standing(&self) -> Markup {
        let (text, standing) = (self.text, self.view.standing);
        let rating = standing.rating;
        let change =
            standing
                .rating_before
                .map(|before| match i64::from(rating) - i64::from(before) {
                    change @ ..0 => format!("−{}", -change),
                    change => format!("+{change}"),
                });
        let mut values = vec![("rating", rating.to_string().into())];
        let yours = match change {
            None => text.get_with("puzzle-you", &values),
            Some(change) => {
                values.push(("change", change.into()));
                text.get_with("puzzle-you-changed", &values)
            }
        };
        let of_puzzle = [("rating", self.view.rating.to_string().into())];
        let of_puzzle = text.get_with("puzzle-its", &of_puzzle);
        html! {
            div.standing {
                (solved_in_a_row(text, standing))
                svg.ratings viewBox="0 0 240 60" role="img" aria-label=(text.join_with_commas([yours.clone(), of_puzzle.clone()])) {
                    path.axis d="M8 30h224" {}
                    @for tick in 0..5 { path.axis d={ "M" (8 + 56 * tick) " 26v8" } {} }
                    path.yours d={ "M" (scale_x(rating, 8)) " 28l-6-9h12Z" } {}
                    text.yours x=(scale_x(rating, 60)) y="13" { (yours) }
                    path d={ "M" (scale_x(self.view.rating, 8)) " 32l-6 9h12Z" } {}
                    text x=(scale_x(self.view.rating, 60)) y="55" { (of_puzzle) }
                }
            }
        }
    }

    fn verdict(&self, answer: &PuzzleAnswerView) -> String {
        let is_right = answer.chosen == self.view.right;
        let key = if is_right {
            "puzzle-right"
        } else {
            "puzzle-wrong"
        };
        let best = self.name(&self.view.choices[self.view.right], "within");
        self.text
            .get_with(key, &[("what", best.into())])
            .into_owned()
    }

    /// What a script says when the dice lie.
    fn spoken(&self, answer: &PuzzleAnswerView) -> String {
        let (text, row) = (self.text, self.view.standing.row);
        let verdict = self.verdict(answer);
        let roll = answer.played.result(text);
        let row = (row > 0).then(|| text.get_with("puzzle-row-spoken", &[("row", row.into())]));
        let why = answer.why.as_ref();
        let why = why.map(|why| why.render(text, self.names).replace('|', ""));
        let sentences = roll.into_iter().chain([verdict]).chain(why);
        text.join_sentences(sentences.map(Cow::from).chain(row))
    }

    fn answer(&self, answer: &PuzzleAnswerView) -> Markup {
        let (text, view) = (self.text, self.view);
        let chosen = answer.chosen;
        let is_right = chosen == view.right;
        let mut ranked: Vec<usize> = (0..view.choices.len()).collect();
        ranked.sort_by(|&a, &b| view.choices[b].share.total_cmp(&view.choices[a].share));
        let has_shares = view.choices[chosen].outcome.is_none();
        html! {
            h1.verdict-of.right[is_right] {
                svg.ico aria-hidden="true" { use href=(if is_right { "#i-tick" } else { "#i-cross" }) {} }
                span { (self.verdict(answer)) }
            }
            p.lead {
                @if !is_right { (emphasised(&self.cost(chosen))) (text.get("sentence-gap")) }
                @if let Some(why) = self.why(answer) { (emphasised(&why)) }
            }
            ol.ranked {
                @for index in ranked {
                    li.best[index == view.right].wrong[index == chosen && !is_right] { (self.ranked_choice(index, chosen)) }
                }
            }
            p.sub {
                @if has_shares { (text.get("puzzle-points")) (text.get("sentence-gap")) }
                @if !answer.is_stored { (text.get("puzzle-not-stored")) }
            }
            (self.solved_share())
            (self.standing())
            p.go { a.btn.main.later href=(text.path(&answer.next)) { (text.get("puzzle-next")) } }
            div.go.quiet {
                a href=(text.path(&answer.analysis)) { (text.get("puzzle-analyse")) }
                @if !is_right { a href=(text.path(&view.address)) { (text.get("puzzle-try")) } }
                details { summary { (text.get("share-game")) } (copyable_link(text, "puzzle-link", &view.url)) }
            }
        }
    }

    /// Why the right choice is right; after a wrong one it is named first.
    fn why(&self, answer: &PuzzleAnswerView) -> Option<String> {
        let (text, right) = (self.text, self.view.right);
        let why = answer.why.as_ref()?.render(text, self.names);
        if answer.chosen == right {
            return Some(why);
        }
        let what = self.name(&self.view.choices[right], "within");
        let why = text.get_with(
            "puzzle-better",
            &[("what", what.into()), ("why", why.into())],
        );
        Some(why.into_owned())
    }

    /// What a wrong choice costs, or leads to.
    fn cost(&self, chosen: usize) -> String {
        let (text, view) = (self.text, self.view);
        let choice = &view.choices[chosen];
        let what = ("what", self.name(choice, "head").into());
        let cost = match &choice.outcome {
            Some(outcome) => {
                let outcome = outcome.render(text, self.names);
                text.get_with("puzzle-cost-outcome", &[what, ("outcome", outcome.into())])
            }
            None => {
                let lost = view.choices[view.right].share - choice.share;
                let points = (lost * 100.0).round() as u32;
                text.get_with("puzzle-cost", &[what, ("points", points.into())])
            }
        };
        cost.into_owned()
    }

    /// A choice with its chance to win, or its outcome.
    fn ranked_choice(&self, index: usize, chosen: usize) -> Markup {
        let (text, view) = (self.text, self.view);
        let choice = &view.choices[index];
        html! {
            @if index == view.right { svg.ico aria-hidden="true" { use href="#i-tick" {} } }
            @else if index == chosen { svg.ico aria-hidden="true" { use href="#i-cross" {} } }
            @else { span {} }
            span.what {
                (letter(choice))
                b { (self.name(choice, "head")) }
                @if index == chosen { (text.get("sentence-gap")) (text.get("puzzle-your-answer")) }
            }
            @match &choice.outcome {
                Some(outcome) => { b.outcome { (outcome.render(text, self.names)) } }
                None => {
                    b.percent { (percent_text(text, choice.share)) }
                    svg.bar viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
                        rect width="100" height="6" {}
                        rect.part width=((choice.share.clamp(0.0, 1.0) * 100.0).round()) height="6" {}
                    }
                }
            }
        }
    }

    /// The steps that follow from the right choice, each with a small board.
    fn played_out(&self, answer: &PuzzleAnswerView) -> Markup {
        let (text, names, right) = (self.text, self.names, self.view.right);
        let what = self.name(&self.view.choices[right], "within");
        let title = match answer.chosen == right {
            true => text.get("puzzle-line-right"),
            false => text.get_with("puzzle-line-better", &[("what", what.into())]),
        };
        let table = TableContext {
            text,
            display: &self.site.display,
            names,
            id: "",
            ply: 0,
        };
        html! {
            section.played {
                h2 { (title) }
                ol {
                    @for step in &answer.steps {
                        li {
                            p {
                                (glyph_icon(step.player)) " "
                                b { (names.name(step.player)) } (text.get("label-colon"))
                                (emphasised(&step.action.render(text, names)))
                                @if let Some(outcome) = &step.outcome { (text.get("label-colon")) (emphasised(&outcome.render(text, names))) }
                            }
                            (step.picture.draw(&table))
                        }
                    }
                }
            }
        }
    }
}

fn letter(choice: &PuzzleChoiceView) -> Markup {
    html! { @if let Some(letter) = choice.letter { b.letter { (letter) } } }
}

/// The place of a rating on the scale from 1000 to 2000, at least this far from its ends.
fn scale_x(rating: u32, margin: u32) -> u32 {
    let place = 8 + (rating.clamp(1000, 2000) - 1000) * 224 / 1000;
    place.clamp(margin, 240 - margin)
}
