//! Colours as numbers, for standalone SVG images: the same values as in `static/colours.css`, mixed in OKLab
//! (Björn Ottosson, 2020) as CSS `color-mix(in oklab, …)` does.

/// The colours of a player: tile, text on the tile, shadow, pips of the dice.
#[derive(Clone, Copy)]
pub(super) struct PlayerColours {
    pub(super) tile: &'static str,
    pub(super) ink: &'static str,
    pub(super) shadow: &'static str,
    pub(super) pip: &'static str,
}

const BOOK: [PlayerColours; 6] = [
    PlayerColours {
        tile: "#bd2f1c",
        ink: "#ffffff",
        shadow: "#5a0a04",
        pip: "#fffaf2",
    },
    PlayerColours {
        tile: "#2052d2",
        ink: "#ffffff",
        shadow: "#0a1a66",
        pip: "#fffaf2",
    },
    PlayerColours {
        tile: "#6fb04a",
        ink: "#1d1712",
        shadow: "#1a4210",
        pip: "#fffdf8",
    },
    PlayerColours {
        tile: "#da80e2",
        ink: "#1d1712",
        shadow: "#5a1068",
        pip: "#fffdf8",
    },
    PlayerColours {
        tile: "#f2cf6b",
        ink: "#1d1712",
        shadow: "#6e4a00",
        pip: "#3a2a10",
    },
    PlayerColours {
        tile: "#3c394f",
        ink: "#ffffff",
        shadow: "#0c0a16",
        pip: "#fffaf2",
    },
];

/// The book's colours of a player; they repeat after six players.
pub(super) fn colours(player: u8) -> PlayerColours {
    BOOK[usize::from(player) % BOOK.len()]
}

/// Mixes `part` (0..=1) of `colour` with the rest of `other`.
pub(super) fn mix(colour: &str, part: f64, other: &str) -> String {
    let (a, b) = (oklab(linear(colour)), oklab(linear(other)));
    let mixed = [0, 1, 2].map(|i| a[i] * part + b[i] * (1.0 - part));
    let [r, g, b] = rgb(mixed).map(|v| (gamma(v) * 255.0).round().clamp(0.0, 255.0) as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn linear(hex: &str) -> [f64; 3] {
    [1, 3, 5].map(|i| {
        let byte = hex
            .get(i..i + 2)
            .and_then(|two| u8::from_str_radix(two, 16).ok())
            .unwrap_or(0);
        let v = f64::from(byte) / 255.0;
        if v <= 0.040_45 {
            v / 12.92
        } else {
            ((v + 0.055) / 1.055).powf(2.4)
        }
    })
}

fn gamma(v: f64) -> f64 {
    if v <= 0.003_130_8 {
        12.92 * v
    } else {
        1.055 * v.powf(1.0 / 2.4) - 0.055
    }
}

fn oklab([r, g, b]: [f64; 3]) -> [f64; 3] {
    let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    [
        0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s,
    ]
}

fn rgb([l, a, b]: [f64; 3]) -> [f64; 3] {
    let cube = |v: f64| v * v * v;
    let x = cube(l + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let y = cube(l - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let z = cube(l - 0.089_484_177_5 * a - 1.291_485_548 * b);
    [
        4.076_741_662_1 * x - 3.307_711_591_3 * y + 0.230_969_929_2 * z,
        -1.268_438_004_6 * x + 2.609_757_401_1 * y - 0.341_319_396_5 * z,
        -0.004_196_086_3 * x - 0.703_418_614_7 * y + 1.707_614_701 * z,
    ]
}

#[cfg(test)]
mod tests {
    use super::mix;

    #[test]
    fn mixing_keeps_the_ends_and_the_greys() {
        assert_eq!(mix("#bd2f1c", 1.0, "#000000"), "#bd2f1c");
        assert_eq!(mix("#bd2f1c", 0.0, "#2052d2"), "#2052d2");
        // Half white and half black gives the grey of OKLab lightness 0.5.
        assert_eq!(mix("#ffffff", 0.5, "#000000"), "#636363");
    }
}
