//! Lines of bounded length: a line that is too long is skipped, not kept. How an editor marks the beginning of a text
//! and the ends of its lines makes no difference.

use std::io::{self, BufRead, Read};

/// The most bytes of a line, its end not counted: 1 MiB.
pub const MOST_BYTES: usize = 1 << 20;

/// The byte order mark with which some editors begin a text. It is no part of the text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The next line of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoundedLine<'b> {
    /// Its bytes without the line's end (LF or CRLF) and without a byte order mark.
    Bytes(&'b [u8]),
    /// More than [`MOST_BYTES`]; all of it has been skipped.
    TooLong,
}

/// Reads the next line into `buffer`; `None` at the end of input. A last line may lack its end.
///
/// # Errors
/// When reading fails.
pub fn next<'b>(
    input: &mut impl BufRead,
    buffer: &'b mut Vec<u8>,
) -> io::Result<Option<BoundedLine<'b>>> {
    buffer.clear();
    let most = BYTE_ORDER_MARK.len() + MOST_BYTES + "\r\n".len();
    let read = input.by_ref().take(most as u64).read_until(b'\n', buffer)?;
    if read == 0 {
        return Ok(None);
    }
    let has_end = buffer.last() == Some(&b'\n');
    if !has_end && read == most {
        skip_to_end(input)?;
        return Ok(Some(BoundedLine::TooLong));
    }
    let line = buffer.strip_suffix(b"\n").unwrap_or(buffer);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = bytes_without_mark(line);
    Ok(Some(match line.len() {
        0..=MOST_BYTES => BoundedLine::Bytes(line),
        _ => BoundedLine::TooLong,
    }))
}

/// The text without the byte order mark with which some editors begin one.
#[must_use]
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// As [`without_mark`], for a text that may be none in UTF-8.
#[must_use]
pub fn bytes_without_mark(bytes: &[u8]) -> &[u8] {
    let mark = BYTE_ORDER_MARK.as_bytes();
    bytes.strip_prefix(mark).unwrap_or(bytes)
}

fn skip_to_end(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let (used, found) = match input.fill_buf() {
            Ok(bytes) => match bytes.iter().position(|&byte| byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), bytes.is_empty()),
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        input.consume(used);
        if found {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &[u8], expected: &[BoundedLine<'_>]) {
        let mut buffer = Vec::new();
        let mut reader = io::BufReader::with_capacity(1000, input);
        for &line in expected {
            let found = next(&mut reader, &mut buffer).expect("bytes can be read");
            assert!(found == Some(line), "expected another line");
        }
        let end = next(&mut reader, &mut buffer).expect("bytes can be read");
        assert!(end.is_none(), "expected the end");
    }

    #[test]
    fn lines_end_where_they_end() {
        check(b"", &[]);
        check(
            b"a\n\nb",
            &[
                BoundedLine::Bytes(b"a"),
                BoundedLine::Bytes(b""),
                BoundedLine::Bytes(b"b"),
            ],
        );
    }

    #[test]
    fn marks_and_carriage_returns_are_no_part_of_a_line() {
        check(
            b"\xef\xbb\xbfa\r\n\r\n\xef\xbb\xbfb\rc\r\n",
            &[
                BoundedLine::Bytes(b"a"),
                BoundedLine::Bytes(b""),
                BoundedLine::Bytes(b"b\rc"),
            ],
        );
        let longest = vec![b'x'; MOST_BYTES];
        let text = [b"\xef\xbb\xbf", &longest[..], b"\r\n"].concat();
        check(&text, &[BoundedLine::Bytes(&longest)]);
    }

    #[test]
    fn long_lines_are_skipped() {
        let longest = vec![b'x'; MOST_BYTES];
        let too_long = vec![b'x'; MOST_BYTES + 1];
        let text = [&longest[..], b"\n", &too_long, b"\nnext\n", &too_long].concat();
        let (longest, next) = (BoundedLine::Bytes(&longest), BoundedLine::Bytes(b"next"));
        check(
            &text,
            &[longest, BoundedLine::TooLong, next, BoundedLine::TooLong],
        );
    }
}
