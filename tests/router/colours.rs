//! The contrast of texts and marks with their backgrounds (WCAG 2.2) in every theme, from the values in
//! `static/colours.css`; and the distance of the players' colours for colour-blind readers (Machado, Oliveira and
//! Fernandes 2009, severity 1; distances in OKLab).

use std::collections::HashMap;

use crate::common::{Server, get_with};

const COLOURS: &str = include_str!("../../static/colours.css");
const STYLE: &str = include_str!("../../static/style.css");

type Rgb = [f64; 3];

/// The resolved tokens of a palette in light or dark mode.
struct Theme {
    name: String,
    tokens: HashMap<String, String>,
}

/// Palettes, with the selector of their block.
const PALETTES: [(&str, &str); 3] = [
    ("book", ":root, .example {"),
    ("okabe", ":is(:root[data-colours=okabe],"),
    ("contrast", ":is(:root[data-colours=contrast],"),
];

fn themes() -> Vec<Theme> {
    let mut themes = Vec::new();
    for dark in [false, true] {
        let base = tokens(PALETTES[0].1, dark);
        for (name, selector) in PALETTES {
            let mut tokens_here = base.clone();
            tokens_here.extend(tokens(selector, dark));
            let light = if dark { "dark" } else { "light" };
            themes.push(Theme {
                name: format!("{name}, {light}"),
                tokens: tokens_here,
            });
        }
    }
    themes
}

/// The declarations of a block, resolved for light or dark mode.
fn tokens(selector: &str, dark: bool) -> HashMap<String, String> {
    let from = COLOURS.find(selector).expect("the block is there");
    let block = COLOURS[from..].split(['{', '}']).nth(1).expect("a block");
    let plain: String = block
        .split("/*")
        .map(|part| part.split_once("*/").map_or(part, |(_, after)| after))
        .collect();
    plain
        .split(';')
        .filter_map(|declaration| declaration.trim().split_once(": "))
        .map(|(name, value)| (name.to_owned(), resolve_mode(value, dark)))
        .collect()
}

/// Resolves `var(--L,light)var(--D,dark)`; any other value holds in both modes.
fn resolve_mode(value: &str, dark: bool) -> String {
    let Some(rest) = value.strip_prefix("var(--L, ") else {
        return value.to_owned();
    };
    let (light_value, rest) = rest.split_once(")var(--D, ").expect("two halves");
    let dark_value = rest.strip_suffix(')').expect("closed");
    if dark { dark_value } else { light_value }.to_owned()
}

impl Theme {
    fn text(&self, token: &str) -> &str {
        let value = self.tokens[token].as_str();
        match value.strip_prefix("var(") {
            Some(other) => self.text(other.trim_end_matches(')')),
            None => value,
        }
    }

    fn colour(&self, token: &str) -> Rgb {
        hex(self.text(token))
    }

    fn player_colour(&self, player: usize, what: &str) -> Rgb {
        self.colour(&format!("--p{player}{what}"))
    }

    fn number(&self, token: &str) -> f64 {
        self.text(token)
            .trim_end_matches('%')
            .parse()
            .expect("a number")
    }

    /// A player's colour as text: dark themes have a separate token.
    fn player_text(&self, player: usize) -> Rgb {
        let dark = self.name.ends_with("dark");
        self.player_colour(player, if dark { "-n" } else { "-k" })
    }
}

fn hex(text: &str) -> Rgb {
    let digits = text.strip_prefix('#').unwrap_or_else(|| panic!("{text}"));
    let long: String = if digits.len() == 3 {
        digits.chars().flat_map(|c| [c, c]).collect()
    } else {
        digits.to_owned()
    };
    [0, 2, 4].map(|i| f64::from(u8::from_str_radix(&long[i..i + 2], 16).expect(text)) / 255.0)
}

fn linear(rgb: Rgb) -> Rgb {
    rgb.map(|v| {
        if v <= 0.040_45 {
            v / 12.92
        } else {
            ((v + 0.055) / 1.055).powf(2.4)
        }
    })
}

fn gamma(rgb: Rgb) -> Rgb {
    rgb.map(|v| {
        let v = v.clamp(0.0, 1.0);
        if v <= 0.003_130_8 {
            12.92 * v
        } else {
            1.055 * v.powf(1.0 / 2.4) - 0.055
        }
    })
}

fn contrast(a: Rgb, b: Rgb) -> f64 {
    let luminance = |rgb| {
        let [r, g, b] = linear(rgb);
        0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    };
    let (a, b) = (luminance(a), luminance(b));
    a.max(b) / a.min(b)
}

/// Blends a colour with an opacity over another one.
fn over(top: Rgb, opacity: f64, below: Rgb) -> Rgb {
    [0, 1, 2].map(|i| opacity * top[i] + (1.0 - opacity) * below[i])
}

fn oklab(linear: Rgb) -> Rgb {
    let [r, g, b] = linear;
    let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    [
        0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s,
    ]
}

/// `color-mix(in oklab, a part%, b)`.
fn mix(a: Rgb, part: f64, b: Rgb) -> Rgb {
    let (x, y) = (oklab(linear(a)), oklab(linear(b)));
    let [l, a, b] = [0, 1, 2].map(|i| x[i] * part / 100.0 + y[i] * (1.0 - part / 100.0));
    let x = (l + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let y = (l - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let z = (l - 0.089_484_177_5 * a - 1.291_485_548 * b).powi(3);
    gamma([
        4.076_741_662_1 * x - 3.307_711_591_3 * y + 0.230_969_929_2 * z,
        -1.268_438_004_6 * x + 2.609_757_401_1 * y - 0.341_319_396_5 * z,
        -0.004_196_086_3 * x - 0.703_418_614_7 * y + 1.707_614_701 * z,
    ])
}

/// Collects all failures and reports them together on drop.
#[derive(Default)]
struct Short(Vec<String>);

impl Short {
    fn check(&mut self, theme: &Theme, what: &str, a: Rgb, b: Rgb, min: f64) {
        let ratio = contrast(a, b);
        if ratio < min {
            self.0
                .push(format!("{}: {what}: {ratio:.2} < {min}", theme.name));
        }
    }
}

impl Drop for Short {
    fn drop(&mut self) {
        assert!(self.0.is_empty(), "\n{}", self.0.join("\n"));
    }
}

const WHITE: Rgb = [1.0; 3];
const PAGES: [&str; 4] = ["--bg", "--bg-hi", "--surface", "--surface-2"];

#[test]
fn texts_are_readable_on_every_page() {
    let mut short = Short::default();
    for theme in themes() {
        let colour = |token| theme.colour(token);
        for page in PAGES {
            for text in ["--ink", "--ink-2", "--ink-3", "--link", "--good", "--bad"] {
                let what = format!("{text} on {page}");
                short.check(&theme, &what, colour(text), colour(page), 4.5);
            }
            for player in 0..6 {
                let what = format!("player {player} as text on {page}");
                short.check(&theme, &what, theme.player_text(player), colour(page), 4.5);
            }
        }
        for (text, on) in [
            ("--act-ink", "--act"),
            ("--act-ink", "--act-hi"),
            ("--pill", "--act-ink"),
            ("--cream-ink", "--cream"),
            ("--low-ink", "--low"),
            ("--wood-ink", "--wood-l"),
        ] {
            short.check(
                &theme,
                &format!("{text} on {on}"),
                colour(text),
                colour(on),
                4.5,
            );
        }
        let current = mix(colour("--line"), 50.0, colour("--bg"));
        short.check(&theme, "current page", colour("--ink"), current, 4.5);
        let checked = mix(colour("--act"), 18.0, colour("--surface"));
        short.check(&theme, "checked option", colour("--ink"), checked, 4.5);
    }
}

/// The colours of a tile in each state, mixed as in `static/style.css`.
fn states(theme: &Theme, player: usize) -> Vec<(&'static str, Rgb)> {
    let mixed = |css: &str| assert!(STYLE.contains(css), "{css} is not in style.css");
    mixed("{ --pc: color-mix(in oklab, var(--pc0) 82%, var(--dim)) }");
    mixed(".src { --top: color-mix(in oklab, var(--pc) 88%, var(--glow)) }");
    mixed(".hex.mark { --top: color-mix(in oklab, var(--pc) 88%, var(--glow)) }");
    let glow = format!("--p{player}-g");
    let glow = if theme.tokens.contains_key(&glow) {
        theme.colour(&glow)
    } else {
        WHITE
    };
    let tile = theme.player_colour(player, "");
    let dim = mix(tile, 82.0, theme.colour("--dim"));
    vec![
        ("at rest", tile),
        ("out of reach", dim),
        ("lit", mix(tile, 88.0, glow)),
        ("lit, out of reach", mix(dim, 88.0, glow)),
    ]
}

/// The lighting comes from the back left: behind the counts it adds 7 % white, behind the numbers of the flat board 9
/// %.
#[test]
fn counts_and_numbers_are_readable_on_every_tile() {
    let mut short = Short::default();
    for theme in themes() {
        for player in 0..6 {
            let ink = theme.player_colour(player, "-i");
            for (state, tile) in states(&theme, player) {
                let what = |what| format!("{what} on tile {player}, {state}");
                short.check(&theme, &what("count"), ink, over(WHITE, 0.07, tile), 4.5);
                short.check(&theme, &what("number"), ink, over(WHITE, 0.09, tile), 3.0);
            }
            let token = theme.player_colour(player, "");
            short.check(&theme, &format!("glyph {player}"), ink, token, 4.5);
            let chosen = theme.player_colour(player, "-k");
            let cream = theme.colour("--cream");
            short.check(&theme, &format!("chosen {player}"), chosen, cream, 4.5);
        }
    }
}

#[test]
fn pips_of_rolled_dice_are_readable() {
    let mut short = Short::default();
    for theme in themes() {
        for player in 0..6 {
            let (tile, pip) = (
                theme.player_colour(player, ""),
                theme.player_colour(player, "-d"),
            );
            let part = theme.number(&format!("--p{player}-f"));
            let face = mix(tile, part, theme.player_colour(player, "-s"));
            short.check(&theme, &format!("pips {player}"), pip, face, 3.0);
            let lost = mix(tile, 46.0, theme.colour("--dim"));
            short.check(&theme, &format!("lost pips {player}"), pip, lost, 3.0);
        }
    }
}

#[test]
fn marks_and_edges_are_visible() {
    let mut short = Short::default();
    for theme in themes() {
        let colour = |token| theme.colour(token);
        for page in PAGES {
            for edge in ["--act-edge", "--line-2"] {
                let what = format!("{edge} on {page}");
                short.check(&theme, &what, colour(edge), colour(page), 3.0);
            }
        }
        let case = colour("--case");
        short.check(
            &theme,
            "amber ring in its casing",
            colour("--act-hi"),
            case,
            3.0,
        );
        short.check(&theme, "focus in its casing", WHITE, case, 3.0);
        short.check(&theme, "arrow in its casing", colour("--cream"), case, 3.0);
        for player in 0..6 {
            for (state, tile) in states(&theme, player) {
                // A rim is white with a dark casing: one of the two has enough contrast on any tile.
                let rim = contrast(WHITE, tile).max(contrast(over(case, 0.75, tile), tile));
                assert!(
                    rim >= 3.0,
                    "{}: rim {player}, {state}: {rim:.2}",
                    theme.name
                );
            }
        }
    }
}

/// Normal vision, protanopia, deuteranopia and tritanopia.
const EYES: [[[f64; 3]; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [
        [0.152_286, 1.052_583, -0.204_868],
        [0.114_503, 0.786_281, 0.099_216],
        [-0.003_882, -0.048_116, 1.051_998],
    ],
    [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ],
    [
        [1.255_528, -0.076_749, -0.178_779],
        [-0.078_411, 0.930_809, 0.147_602],
        [0.004_733, 0.691_367, 0.303_900],
    ],
];

/// The smallest OKLab distance between the colours of any two players, times 100.
fn nearest(theme: &Theme, eye: &[[f64; 3]; 3]) -> f64 {
    let seen: Vec<Rgb> = (0..6)
        .map(|player| {
            let rgb = linear(theme.player_colour(player, ""));
            let seen = eye.map(|row| row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2]);
            oklab(seen.map(|v| v.clamp(0.0, 1.0)))
        })
        .collect();
    let mut nearest = f64::INFINITY;
    for (i, a) in seen.iter().enumerate() {
        for b in &seen[..i] {
            let square: f64 = (0..3).map(|i| (a[i] - b[i]).powi(2)).sum();
            nearest = nearest.min(100.0 * square.sqrt());
        }
    }
    nearest
}

#[test]
fn player_colours_differ_for_colour_blind_readers() {
    let least = [
        ("book", [20, 13, 15, 14]),
        ("okabe", [16, 9, 7, 8]),
        ("contrast", [25, 15, 15, 12]),
    ];
    for theme in themes() {
        let (_, least) = least
            .iter()
            .find(|(name, _)| theme.name.starts_with(name))
            .expect("every palette is listed");
        for (eye, least) in EYES.iter().zip(least) {
            let found = nearest(&theme, eye);
            // The values in the list are rounded.
            assert!(
                found >= f64::from(*least) - 0.5,
                "{}: {found:.1} < {least}",
                theme.name
            );
        }
    }
}

#[tokio::test]
async fn the_style_sheets_are_small() {
    let server = Server::start().await;
    let mut size = 0;
    for name in ["colours.css", "style.css"] {
        let sheet = get_with(&server, &format!("/assets/{name}"), &[]).await;
        size += sheet.text().await.unwrap().len();
    }
    // Text compresses to about a quarter; the compressed size is measured in the browser tests.
    assert!(size < 48 * 1024, "{size} bytes");
}
