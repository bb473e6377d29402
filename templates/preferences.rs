//! How the reader wants the pages to look and to behave: a plain value, its words, and its effects on a
//! page.
//!
//! The words are the same in the cookie, in the form, and in the attributes of the page's root. Unknown
//! words are ignored, so an old or a forged cookie gives a page with the default look.

use std::fmt::{self, Display};

use super::localization::Language;

/// Light or dark.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Theme {
    /// As the reader's system is set.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// The colours of the players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ColourScheme {
    /// Red, blue, green, purple, as in the book.
    #[default]
    Book,
    /// The colours of Masataka Okabe and Kei Ito (2002), for colour-blind readers.
    Okabe,
    /// As far apart in lightness as six colours can be, on black or white.
    Contrast,
}

/// Which board the reader chose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BoardChoice {
    /// The reader chose none: flat on phones, piles elsewhere.
    #[default]
    Auto,
    /// Piles of dice on slanted hexes.
    Book,
    /// Big numbers on flat hexes.
    Flat,
}

/// How quickly things move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Speed {
    /// Slower, with time to look.
    Slow,
    /// As usual.
    #[default]
    Normal,
    /// Half as long.
    Fast,
    /// Nothing moves.
    Off,
}

/// What a reader can choose about every page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UserPreferences {
    /// What the pages speak; `None` is what the browser asks for.
    pub language: Option<Language>,
    /// Light or dark.
    pub theme: Theme,
    /// The colours of the players.
    pub colours: ColourScheme,
    /// Piles or numbers.
    pub board: BoardChoice,
    /// The odds of each attack are shown.
    pub odds: bool,
    /// Every hex shows its number.
    pub coordinates: bool,
    /// How quickly things move.
    pub speed: Speed,
    /// Sounds are played.
    pub sound: bool,
    /// A turn in which nothing else can be done ends by itself.
    pub ends: bool,
    /// Single keys play: `e` ends the turn.
    pub keys: bool,
}

impl Default for UserPreferences {
    fn default() -> Self {
        UserPreferences {
            language: None,
            theme: Theme::default(),
            colours: ColourScheme::default(),
            board: BoardChoice::default(),
            odds: true,
            coordinates: false,
            speed: Speed::default(),
            sound: false,
            ends: false,
            keys: true,
        }
    }
}

/// One setting: its name, its words, and the chosen one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SettingChoice {
    /// The name: `theme`, `colours`, …
    pub name: &'static str,
    /// Every word, in the order of the form.
    pub words: &'static [&'static str],
    /// The chosen word.
    pub word: &'static str,
}

/// A setting that is one of a few words.
trait SettingValue: Copy + PartialEq + 'static {
    const VALUES: &'static [Self];
    const WORDS: &'static [&'static str];

    fn read(word: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|known| *known == word)?;
        Self::VALUES.get(at).copied()
    }

    fn choice(self, name: &'static str) -> SettingChoice {
        let at = Self::VALUES.iter().position(|value| *value == self);
        SettingChoice {
            name,
            words: Self::WORDS,
            word: at.and_then(|at| Self::WORDS.get(at)).unwrap_or(&""),
        }
    }
}

impl SettingValue for Option<Language> {
    const VALUES: &'static [Self] = &[
        None,
        Some(Language::English),
        Some(Language::Japanese),
        Some(Language::Russian),
    ];
    const WORDS: &'static [&'static str] = &["auto", "en", "ja", "ru"];
}

impl SettingValue for Theme {
    const VALUES: &'static [Self] = &[Theme::System, Theme::Light, Theme::Dark];
    const WORDS: &'static [&'static str] = &["system", "light", "dark"];
}

impl SettingValue for ColourScheme {
    const VALUES: &'static [Self] = &[
        ColourScheme::Book,
        ColourScheme::Okabe,
        ColourScheme::Contrast,
    ];
    const WORDS: &'static [&'static str] = &["book", "okabe", "contrast"];
}

impl SettingValue for BoardChoice {
    const VALUES: &'static [Self] = &[BoardChoice::Auto, BoardChoice::Book, BoardChoice::Flat];
    const WORDS: &'static [&'static str] = &["auto", "book", "flat"];
}

impl SettingValue for Speed {
    const VALUES: &'static [Self] = &[Speed::Slow, Speed::Normal, Speed::Fast, Speed::Off];
    const WORDS: &'static [&'static str] = &["slow", "normal", "fast", "off"];
}

impl SettingValue for bool {
    const VALUES: &'static [Self] = &[true, false];
    const WORDS: &'static [&'static str] = &["on", "off"];
}

fn set<T: SettingValue>(field: &mut T, word: &str) {
    if let Some(value) = T::read(word) {
        *field = value;
    }
}

impl UserPreferences {
    /// The names of all settings, in the order of the form.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        let choices = UserPreferences::default().choices();
        choices.iter().map(|choice| choice.name).collect()
    }

    /// Sets a setting by its name and word; an unknown name or word changes nothing.
    pub fn choose(&mut self, name: &str, word: &str) {
        match name {
            "language" => set(&mut self.language, word),
            "theme" => set(&mut self.theme, word),
            "colours" => set(&mut self.colours, word),
            "board" => set(&mut self.board, word),
            "odds" => set(&mut self.odds, word),
            "coordinates" => set(&mut self.coordinates, word),
            "speed" => set(&mut self.speed, word),
            "sound" => set(&mut self.sound, word),
            "ends" => set(&mut self.ends, word),
            "keys" => set(&mut self.keys, word),
            _ => {}
        }
    }

    /// All settings, in the order of the form.
    #[must_use]
    pub fn choices(&self) -> [SettingChoice; 10] {
        [
            self.language.choice("language"),
            self.theme.choice("theme"),
            self.colours.choice("colours"),
            self.board.choice("board"),
            self.odds.choice("odds"),
            self.coordinates.choice("coordinates"),
            self.speed.choice("speed"),
            self.sound.choice("sound"),
            self.ends.choice("ends"),
            self.keys.choice("keys"),
        ]
    }

    /// The chosen word, if it is not the default.
    #[must_use]
    pub fn unusual(&self, name: &str) -> Option<&'static str> {
        let usual = UserPreferences::default().choices();
        let mut pairs = self.choices().into_iter().zip(usual);
        let (mine, usual) = pairs.find(|(mine, _)| mine.name == name)?;
        (mine.word != usual.word).then_some(mine.word)
    }

    /// Reads what [`Display`] wrote: `theme-dark.board-flat`.
    ///
    /// ```
    /// use dice_of_doom_templates::view::{Settings, Theme};
    ///
    /// let settings = Settings::read("theme-dark.odds-maybe.<b>");
    /// assert_eq!(settings, Settings { theme: Theme::Dark, ..Settings::default() });
    /// assert_eq!(settings.to_string(), "theme-dark");
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut settings = UserPreferences::default();
        for (name, word) in text.split('.').filter_map(|pair| pair.split_once('-')) {
            settings.choose(name, word);
        }
        settings
    }
}

/// The settings that are not the default, in characters that need no escaping in a cookie.
impl Display for UserPreferences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut and = "";
        for choice in self.choices() {
            if let Some(word) = self.unusual(choice.name) {
                write!(f, "{and}{}-{word}", choice.name)?;
                and = ".";
            }
        }
        Ok(())
    }
}

/// How boards of hexes are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BoardDrawing {
    /// Piles of dice on slanted hexes.
    #[default]
    Book,
    /// Big numbers on flat hexes.
    Flat,
}

impl BoardDrawing {
    /// The word in the attribute of the page's root.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            BoardDrawing::Book => "book",
            BoardDrawing::Flat => "flat",
        }
    }
}

/// The reader's settings, and which board and language they mean for this answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DisplayOptions {
    /// What the reader chose.
    pub settings: UserPreferences,
    /// How boards of hexes are drawn now.
    pub drawing: BoardDrawing,
    /// What the page speaks.
    pub language: Language,
}

impl DisplayOptions {
    /// The look for these settings in this language; `usual` is the board for readers who chose none.
    #[must_use]
    pub fn new(settings: UserPreferences, usual: BoardDrawing, language: Language) -> Self {
        let drawing = match settings.board {
            BoardChoice::Auto => usual,
            BoardChoice::Book => BoardDrawing::Book,
            BoardChoice::Flat => BoardDrawing::Flat,
        };
        DisplayOptions {
            settings,
            drawing,
            language,
        }
    }

    /// Whether the reader chose no board.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        self.settings.board == BoardChoice::Auto
    }

    /// The odds, if the reader wants to see them.
    #[must_use]
    pub fn odds(&self, odds: Option<f64>) -> Option<f64> {
        odds.filter(|_| self.settings.odds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_survives_the_cookie() {
        for choice in UserPreferences::default().choices() {
            for word in choice.words {
                let mut settings = UserPreferences::default();
                settings.choose(choice.name, word);
                assert_eq!(
                    UserPreferences::read(&settings.to_string()),
                    settings,
                    "{word}"
                );
                let chosen = settings
                    .choices()
                    .into_iter()
                    .find(|c| c.name == choice.name);
                assert_eq!(chosen.map(|c| c.word), Some(*word));
            }
        }
        assert_eq!(UserPreferences::default().to_string(), "");
    }

    #[test]
    fn what_nobody_knows_changes_nothing() {
        for text in [
            "",
            "...---",
            "theme",
            "theme-",
            "theme-DARK",
            "theme-dark ",
            " theme-dark",
            "theme-dark;board-flat",
            "theme=dark",
            "odds-0",
            "\u{1f3b2}-\u{1f3b2}",
            "x-\"><script>",
        ] {
            assert_eq!(
                UserPreferences::read(text),
                UserPreferences::default(),
                "{text}"
            );
        }
    }
}
