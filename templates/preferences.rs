//! User preferences for the look and the behaviour of the pages, their text form, and their effects on a
//! page.
//!
//! The cookie, the settings form and the attributes of the root element use the same names and values.
//! Unknown ones are ignored, so an outdated or a forged cookie gives a page with the defaults.

use std::fmt::{self, Display};

use super::localization::Language;

/// Light or dark.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Theme {
    /// The browser's preference.
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
    /// The colours of Masataka Okabe and Kei Ito (2002), for colour-blind users.
    Okabe,
    /// Six colours as far apart in lightness as possible, on black or white.
    Contrast,
}

/// Speed of animations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Speed {
    /// Slower than normal.
    Slow,
    /// The default.
    #[default]
    Normal,
    /// Half the duration.
    Fast,
    /// No animations.
    Off,
}

/// Which moves of other players are animated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Fights {
    /// All of them.
    #[default]
    All,
    /// Attacks on the user.
    Mine,
}

/// How the moves of other players are announced to screen readers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Announcements {
    /// Summed up when the user's turn begins.
    #[default]
    Summary,
    /// One by one.
    Each,
}

/// The preferences of a user, for all pages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UserPreferences {
    /// Language of the pages; `None`: the browser's preference.
    pub language: Option<Language>,
    /// Light or dark.
    pub theme: Theme,
    /// The colours of the players.
    pub colours: ColourScheme,
    /// How hex boards are drawn; `None`: flat on phones, piles otherwise.
    pub board: Option<BoardDrawing>,
    /// Whether the odds of each attack are shown.
    pub odds: bool,
    /// Whether every hex shows its coordinates.
    pub coordinates: bool,
    /// Speed of animations.
    pub speed: Speed,
    /// Which moves of other players are animated.
    pub fights: Fights,
    /// How the moves of other players are announced to screen readers.
    pub announce: Announcements,
    /// Whether sounds are played.
    pub sound: bool,
    /// Whether a turn without another legal action ends automatically.
    pub ends: bool,
    /// Whether keyboard shortcuts play actions: `e` ends the turn.
    pub keys: bool,
    /// Whether the browser shows a notification when it is the viewer's turn in a game with other people.
    pub notify: bool,
    /// Whether phrases of other players are shown.
    pub phrases: bool,
}

impl Default for UserPreferences {
    fn default() -> Self {
        UserPreferences {
            language: None,
            theme: Theme::default(),
            colours: ColourScheme::default(),
            board: None,
            odds: true,
            coordinates: false,
            speed: Speed::default(),
            fights: Fights::default(),
            announce: Announcements::default(),
            sound: false,
            ends: false,
            keys: true,
            notify: false,
            phrases: true,
        }
    }
}

/// One setting: its name, possible values, and current value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SettingChoice {
    /// The name: `theme`, `colours`, …
    pub name: &'static str,
    /// All values, in the order of the form.
    pub values: &'static [&'static str],
    /// The current value.
    pub value: &'static str,
}

/// A setting with a fixed list of values.
trait SettingValue: Copy + PartialEq + 'static {
    const VALUES: &'static [Self];
    const NAMES: &'static [&'static str];

    fn parse(value: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|known| *known == value)?;
        Self::VALUES.get(at).copied()
    }

    fn choice(self, name: &'static str) -> SettingChoice {
        let at = Self::VALUES.iter().position(|value| *value == self);
        SettingChoice {
            name,
            values: Self::NAMES,
            value: at.and_then(|at| Self::NAMES.get(at)).unwrap_or(&""),
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
    const NAMES: &'static [&'static str] = &["auto", "en", "ja", "ru"];
}

impl SettingValue for Theme {
    const VALUES: &'static [Self] = &[Theme::System, Theme::Light, Theme::Dark];
    const NAMES: &'static [&'static str] = &["system", "light", "dark"];
}

impl SettingValue for ColourScheme {
    const VALUES: &'static [Self] = &[
        ColourScheme::Book,
        ColourScheme::Okabe,
        ColourScheme::Contrast,
    ];
    const NAMES: &'static [&'static str] = &["book", "okabe", "contrast"];
}

impl SettingValue for Option<BoardDrawing> {
    const VALUES: &'static [Self] = &[None, Some(BoardDrawing::Book), Some(BoardDrawing::Flat)];
    const NAMES: &'static [&'static str] = &["auto", "book", "flat"];
}

impl SettingValue for Speed {
    const VALUES: &'static [Self] = &[Speed::Slow, Speed::Normal, Speed::Fast, Speed::Off];
    const NAMES: &'static [&'static str] = &["slow", "normal", "fast", "off"];
}

impl SettingValue for Fights {
    const VALUES: &'static [Self] = &[Fights::All, Fights::Mine];
    const NAMES: &'static [&'static str] = &["all", "mine"];
}

impl SettingValue for Announcements {
    const VALUES: &'static [Self] = &[Announcements::Summary, Announcements::Each];
    const NAMES: &'static [&'static str] = &["summary", "each"];
}

impl SettingValue for bool {
    const VALUES: &'static [Self] = &[true, false];
    const NAMES: &'static [&'static str] = &["on", "off"];
}

fn set<T: SettingValue>(field: &mut T, value: &str) {
    if let Some(value) = T::parse(value) {
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

    /// Sets a setting by name and value; an unknown name or value changes nothing.
    pub fn set_by_name(&mut self, name: &str, value: &str) {
        match name {
            "language" => set(&mut self.language, value),
            "theme" => set(&mut self.theme, value),
            "colours" => set(&mut self.colours, value),
            "board" => set(&mut self.board, value),
            "odds" => set(&mut self.odds, value),
            "coordinates" => set(&mut self.coordinates, value),
            "speed" => set(&mut self.speed, value),
            "fights" => set(&mut self.fights, value),
            "announce" => set(&mut self.announce, value),
            "sound" => set(&mut self.sound, value),
            "ends" => set(&mut self.ends, value),
            "keys" => set(&mut self.keys, value),
            "notify" => set(&mut self.notify, value),
            "phrases" => set(&mut self.phrases, value),
            _ => {}
        }
    }

    /// All settings, in the order of the form.
    #[must_use]
    pub fn choices(&self) -> [SettingChoice; 14] {
        [
            self.language.choice("language"),
            self.theme.choice("theme"),
            self.colours.choice("colours"),
            self.board.choice("board"),
            self.odds.choice("odds"),
            self.coordinates.choice("coordinates"),
            self.speed.choice("speed"),
            self.fights.choice("fights"),
            self.announce.choice("announce"),
            self.sound.choice("sound"),
            self.ends.choice("ends"),
            self.keys.choice("keys"),
            self.phrases.choice("phrases"),
            self.notify.choice("notify"),
        ]
    }

    /// The current value of a setting, if it is not the default.
    #[must_use]
    pub fn non_default(&self, name: &str) -> Option<&'static str> {
        let defaults = UserPreferences::default().choices();
        let mut pairs = self.choices().into_iter().zip(defaults);
        let (current, default) = pairs.find(|(current, _)| current.name == name)?;
        (current.value != default.value).then_some(current.value)
    }

    /// Parses the text form of [`Display`]: `theme-dark.board-flat`.
    ///
    /// ```
    /// use dice_of_doom_templates::preferences::{Theme, UserPreferences};
    ///
    /// let preferences = UserPreferences::parse("theme-dark.odds-maybe.<b>");
    /// assert_eq!(preferences, UserPreferences { theme: Theme::Dark, ..UserPreferences::default() });
    /// assert_eq!(preferences.to_string(), "theme-dark");
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut preferences = UserPreferences::default();
        for (name, value) in text.split('.').filter_map(|pair| pair.split_once('-')) {
            preferences.set_by_name(name, value);
        }
        preferences
    }
}

/// Writes the settings that differ from the default, in characters that need no escaping in a cookie.
impl Display for UserPreferences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for choice in self.choices() {
            if let Some(value) = self.non_default(choice.name) {
                write!(f, "{separator}{}-{value}", choice.name)?;
                separator = ".";
            }
        }
        Ok(())
    }
}

/// How hex boards are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BoardDrawing {
    /// Piles of dice on slanted hexes.
    #[default]
    Book,
    /// Large numbers on flat hexes.
    Flat,
}

impl BoardDrawing {
    /// The value of the root element's attribute.
    #[must_use]
    pub fn attribute_value(self) -> &'static str {
        match self {
            BoardDrawing::Book => "book",
            BoardDrawing::Flat => "flat",
        }
    }
}

/// The user's preferences, with the board drawing and the language that they mean for this response.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DisplayOptions {
    /// The user's preferences.
    pub preferences: UserPreferences,
    /// How hex boards are drawn.
    pub drawing: BoardDrawing,
    /// Language of the page.
    pub language: Language,
}

impl DisplayOptions {
    /// Resolves the preferences; `default_drawing` is for users who chose none.
    #[must_use]
    pub fn new(
        preferences: UserPreferences,
        default_drawing: BoardDrawing,
        language: Language,
    ) -> Self {
        DisplayOptions {
            preferences,
            drawing: preferences.board.unwrap_or(default_drawing),
            language,
        }
    }

    /// Whether the user chose no board drawing.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        self.preferences.board.is_none()
    }

    /// The odds, if the user wants to see them.
    #[must_use]
    pub fn odds(&self, odds: Option<f64>) -> Option<f64> {
        odds.filter(|_| self.preferences.odds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_round_trips_through_the_cookie() {
        for choice in UserPreferences::default().choices() {
            for value in choice.values {
                let mut preferences = UserPreferences::default();
                preferences.set_by_name(choice.name, value);
                assert_eq!(
                    UserPreferences::parse(&preferences.to_string()),
                    preferences,
                    "{value}"
                );
                let chosen = preferences
                    .choices()
                    .into_iter()
                    .find(|c| c.name == choice.name);
                assert_eq!(chosen.map(|c| c.value), Some(*value));
            }
        }
        assert_eq!(UserPreferences::default().to_string(), "");
    }

    #[test]
    fn unknown_settings_are_ignored() {
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
                UserPreferences::parse(text),
                UserPreferences::default(),
                "{text}"
            );
        }
    }
}
