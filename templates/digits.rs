//! Digits as stroked paths, for standalone SVG images: a renderer may have no fonts.

/// One path for each digit, 12 units wide and 16 high.
const STROKES: [&str; 10] = [
    "M6 0C2.4 0 1 3.2 1 8S2.4 16 6 16 11 12.8 11 8 9.6 0 6 0Z",
    "M2.5 3.2 6.5 0V16",
    "M1.4 4.4C1.6 1.7 3.4 0 6 0 8.7 0 10.5 1.7 10.5 4.2 10.5 8 3 11 1.4 16H11",
    "M1.6 2.6C2.4 .9 4 0 6 0 8.6 0 10.3 1.5 10.3 3.8S8.6 7.5 5 7.5C9 7.5 11 9.2 11 11.8 11 14.4 9 16 6 16 3.7 16 2 15 1 13.2",
    "M8.3 16V0L.6 11.6H11.5",
    "M10.2 0H2.9L2.1 7.4C3.1 6.4 4.5 5.8 6 5.8 9 5.8 11 7.9 11 10.9S9 16 6 16C3.8 16 2.1 15 1 13.3",
    "M9.6 .7C5.5 0 1 2.6 1 10.4 1 14 3 16 6 16S11 13.9 11 11 9 6.1 6 6.1 1 8.1 1 10.8",
    "M.8 0H11L4.6 16",
    "M6 7.5C3.4 7.5 1.8 6 1.8 3.8S3.4 0 6 0 10.2 1.6 10.2 3.8 8.6 7.5 6 7.5ZM6 7.5C3 7.5 1 9.2 1 11.8S3 16 6 16 11 14.4 11 11.8 9 7.5 6 7.5Z",
    "M2.4 15.3C6.5 16 11 13.4 11 5.6 11 2 9 0 6 0S1 2.1 1 5 3 9.9 6 9.9 11 7.9 11 5.2",
];

/// Horizontal distance between the origins of two adjacent digits.
const STEP: u8 = 15;

/// A number centred on the origin, 16 units high, stroked in the colour `ink`.
pub(crate) fn number(number: u8, ink: &str) -> String {
    let digits: Vec<u8> = number.to_string().bytes().map(|byte| byte - b'0').collect();
    let width = digits.len() as u8 * STEP - (STEP - 12);
    let mut out = format!(
        r##"<g fill="none" stroke="{ink}" stroke-width="3.4" stroke-linejoin="round" transform="translate(-{} -8)">"##,
        f64::from(width) / 2.0
    );
    for (place, digit) in (0_u8..).zip(digits) {
        let stroke = STROKES[usize::from(digit % 10)];
        let x = place * STEP;
        out.push_str(&format!(
            r##"<path transform="translate({x})" d="{stroke}"/>"##
        ));
    }
    out.push_str("</g>");
    out
}
