//! Lines of bounded length: a line that is too long is skipped, not kept.

use std::io::{self, BufRead, Read};

/// The most bytes of a line, its end not counted: 1 MiB.
pub const MOST_BYTES: usize = 1 << 20;

/// The next line of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line<'b> {
    /// Its bytes without the line's end.
    Bytes(&'b [u8]),
    /// More than [`MOST_BYTES`]; all of it has been skipped.
    TooLong,
}

/// Reads the next line into `buffer`; `None` at the end of input. A last line may lack its end.
///
/// # Errors
/// When reading fails.
pub fn next<'b>(input: &mut impl BufRead, buffer: &'b mut Vec<u8>) -> io::Result<Option<Line<'b>>> {
    buffer.clear();
    // One byte more for the line's end.
    let most = MOST_BYTES as u64 + 1;
    let read = input.by_ref().take(most).read_until(b'\n', buffer)?;
    if buffer.last() == Some(&b'\n') {
        buffer.pop();
    } else if buffer.len() > MOST_BYTES {
        skip_to_end(input)?;
        buffer.clear();
        return Ok(Some(Line::TooLong));
    }
    Ok((read > 0).then_some(Line::Bytes(buffer)))
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
    fn check(input: &[u8], expected: &[Line<'_>]) {
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
            &[Line::Bytes(b"a"), Line::Bytes(b""), Line::Bytes(b"b")],
        );
    }

    #[test]
    fn long_lines_are_skipped() {
        let longest = vec![b'x'; MOST_BYTES];
        let too_long = vec![b'x'; MOST_BYTES + 1];
        let text = [&longest[..], b"\n", &too_long, b"\nnext\n", &too_long].concat();
        let (longest, next) = (Line::Bytes(&longest), Line::Bytes(b"next"));
        check(&text, &[longest, Line::TooLong, next, Line::TooLong]);
    }
}
