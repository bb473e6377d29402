//! A parser of server-sent events (WHATWG HTML, 9.2) that extracts only the numbers of plies and the reconnection time.

use std::time::Duration;

/// The relevant content of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct SseMessage {
    /// The number of the ply, in messages of type `ply`.
    pub(super) ply: Option<u32>,
    /// The time to wait before reconnecting.
    pub(super) retry: Option<Duration>,
}

/// The bytes received so far that are not parsed yet.
#[derive(Default)]
pub(super) struct SseParser(Vec<u8>);

impl SseParser {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Removes and returns all complete messages, in order; an incomplete message is retained.
    pub(super) fn take_messages(&mut self) -> Vec<SseMessage> {
        let mut messages = Vec::new();
        let mut parsed = 0;
        while let Some(length) = message_length(&self.0[parsed..]) {
            messages.push(parse_message(&self.0[parsed..parsed + length]));
            parsed += length + MESSAGE_END.len();
        }
        self.0.drain(..parsed);
        messages
    }
}

const MESSAGE_END: &[u8] = b"\n\n";

fn message_length(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(MESSAGE_END.len())
        .position(|window| window == MESSAGE_END)
}

fn parse_message(bytes: &[u8]) -> SseMessage {
    let (mut is_ply, mut id, mut retry) = (false, None, None);
    for line in bytes.split(|byte| *byte == b'\n') {
        if line == b"event: ply" {
            is_ply = true;
        } else if let Some(digits) = line.strip_prefix(b"id: ") {
            id = parse_number(digits);
        } else if let Some(digits) = line.strip_prefix(b"retry: ") {
            retry = parse_number(digits);
        }
    }
    SseMessage {
        ply: id.filter(|_| is_ply),
        retry: retry.map(|ms| Duration::from_millis(ms.into())),
    }
}

fn parse_number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_parsed_regardless_of_chunk_boundaries() {
        let text = "retry: 1873\n\nevent: watchers\ndata: {\"count\":2}\n\nevent: ply\nid: 17\ndata: {}\n\n\
                    : still here\n\nevent: bye\nretry: 2210\ndata: {}\n\n";
        let ms = |ms| Some(Duration::from_millis(ms));
        let (ply, retry) = (None, None);
        let expected = [
            SseMessage {
                ply,
                retry: ms(1873),
            },
            SseMessage { ply, retry },
            SseMessage {
                ply: Some(17),
                retry,
            },
            SseMessage { ply, retry },
            SseMessage {
                ply,
                retry: ms(2210),
            },
        ];
        for cut in 0..text.len() {
            let mut messages = SseParser::default();
            messages.push(&text.as_bytes()[..cut]);
            let mut received = messages.take_messages();
            messages.push(&text.as_bytes()[cut..]);
            received.extend(messages.take_messages());
            assert_eq!(received, expected, "cut at {cut}");
        }
    }
}
