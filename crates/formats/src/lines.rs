//! Reads lines of bounded length: a line that is too long is skipped without buffering it. Byte order marks and CRLF
//! line ends are removed.

use std::io::{self, BufRead, Read};

/// The maximum length of a line in bytes without its end: 1 MiB.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// The byte order mark that some editors write at the beginning of a text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The next line of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoundedLine<'b> {
    /// The line without its end (LF or CRLF) and without a byte order mark.
    Bytes(&'b [u8]),
    /// A line longer than [`MAX_LINE_BYTES`]; it has been skipped completely.
    TooLong,
}

/// Reads the next line into `buffer`; `None` at the end of input. The last line may lack a line end.
///
/// # Errors
/// When reading fails.
pub fn read_line<'b>(
    input: &mut impl BufRead,
    buffer: &'b mut Vec<u8>,
) -> io::Result<Option<BoundedLine<'b>>> {
    buffer.clear();
    let limit = BYTE_ORDER_MARK.len() + MAX_LINE_BYTES + "\r\n".len();
    let read = input
        .by_ref()
        .take(limit as u64)
        .read_until(b'\n', buffer)?;
    if read == 0 {
        return Ok(None);
    }
    let has_end = buffer.last() == Some(&b'\n');
    if !has_end && read == limit {
        skip_to_end(input)?;
        return Ok(Some(BoundedLine::TooLong));
    }
    let line = buffer.strip_suffix(b"\n").unwrap_or(buffer);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = strip_bom_bytes(line);
    Ok(Some(match line.len() {
        0..=MAX_LINE_BYTES => BoundedLine::Bytes(line),
        _ => BoundedLine::TooLong,
    }))
}

/// The text without a leading byte order mark.
#[must_use]
pub fn strip_bom(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Like [`strip_bom`], for bytes that need not be UTF-8.
#[must_use]
pub fn strip_bom_bytes(bytes: &[u8]) -> &[u8] {
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
            let found = read_line(&mut reader, &mut buffer).expect("bytes can be read");
            assert!(found == Some(line), "expected another line");
        }
        let end = read_line(&mut reader, &mut buffer).expect("bytes can be read");
        assert!(end.is_none(), "expected the end");
    }

    #[test]
    fn lines_are_split_at_line_feeds() {
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
    fn byte_order_marks_and_carriage_returns_are_removed() {
        check(
            b"\xef\xbb\xbfa\r\n\r\n\xef\xbb\xbfb\rc\r\n",
            &[
                BoundedLine::Bytes(b"a"),
                BoundedLine::Bytes(b""),
                BoundedLine::Bytes(b"b\rc"),
            ],
        );
        let longest = vec![b'x'; MAX_LINE_BYTES];
        let text = [b"\xef\xbb\xbf", &longest[..], b"\r\n"].concat();
        check(&text, &[BoundedLine::Bytes(&longest)]);
    }

    #[test]
    fn long_lines_are_skipped() {
        let longest = vec![b'x'; MAX_LINE_BYTES];
        let too_long = vec![b'x'; MAX_LINE_BYTES + 1];
        let text = [&longest[..], b"\n", &too_long, b"\nnext\n", &too_long].concat();
        let (longest, next) = (BoundedLine::Bytes(&longest), BoundedLine::Bytes(b"next"));
        check(
            &text,
            &[longest, BoundedLine::TooLong, next, BoundedLine::TooLong],
        );
    }
}
