//! Frames of HTTP/2 (RFC 9113) and header blocks (RFC 7541), also invalid.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The first bytes of a connection.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The types of frames.
pub(super) mod kind {
    pub(in super::super) const DATA: u8 = 0;
    pub(in super::super) const HEADERS: u8 = 1;
    pub(in super::super) const PRIORITY: u8 = 2;
    pub(in super::super) const RESET: u8 = 3;
    pub(in super::super) const SETTINGS: u8 = 4;
    pub(in super::super) const PING: u8 = 6;
    pub(in super::super) const GOAWAY: u8 = 7;
    pub(in super::super) const WINDOW: u8 = 8;
    pub(in super::super) const CONTINUATION: u8 = 9;
}

/// The flags of frames.
pub(super) mod flag {
    pub(in super::super) const ACK: u8 = 1;
    pub(in super::super) const END_STREAM: u8 = 1;
    pub(in super::super) const END_HEADERS: u8 = 4;
    pub(in super::super) const PADDED: u8 = 8;
}

/// The settings used by attacks.
pub(super) mod setting {
    pub(in super::super) const HEADER_TABLE: u16 = 1;
    pub(in super::super) const INITIAL_WINDOW: u16 = 4;
}

/// The largest window.
pub(super) const WIDEST: u32 = (1 << 31) - 1;

/// Frames to send, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames(pub(super) Vec<u8>);

impl Frames {
    /// The preface, and the settings of the client.
    pub(super) fn opening(settings: &[(u16, u32)]) -> Self {
        Self(PREFACE.to_vec()).settings(settings)
    }

    pub(super) fn add(mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Self {
        let length = (payload.len() as u32).to_be_bytes();
        self.0.extend_from_slice(&length[1..]);
        self.0.extend_from_slice(&[kind, flags]);
        self.0.extend_from_slice(&stream.to_be_bytes());
        self.0.extend_from_slice(payload);
        self
    }

    pub(super) fn settings(self, settings: &[(u16, u32)]) -> Self {
        let pair =
            |(name, value): &(u16, u32)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat();
        let payload: Vec<u8> = settings.iter().flat_map(pair).collect();
        self.add(kind::SETTINGS, 0, 0, &payload)
    }

    /// A request without a body.
    pub(super) fn request(self, stream: u32, block: &Block) -> Self {
        let flags = flag::END_STREAM | flag::END_HEADERS;
        self.add(kind::HEADERS, flags, stream, &block.0)
    }

    /// The head of a request with a body.
    pub(super) fn head(self, stream: u32, block: &Block) -> Self {
        self.add(kind::HEADERS, flag::END_HEADERS, stream, &block.0)
    }

    pub(super) fn data(self, stream: u32, data: &[u8]) -> Self {
        self.add(kind::DATA, 0, stream, data)
    }

    pub(super) fn window(self, stream: u32, more: u32) -> Self {
        self.add(kind::WINDOW, 0, stream, &more.to_be_bytes())
    }
}

/// A block of headers.
#[derive(Clone, Debug, Default)]
pub(super) struct Block(pub(super) Vec<u8>);

impl Block {
    /// The head of a request over plain HTTP.
    pub(super) fn of(method: &str, path: &str, token: Option<&str>) -> Self {
        let block = Self(vec![0x86])
            .indexed_name(2, method)
            .indexed_name(4, path)
            .indexed_name(1, "localhost");
        match token {
            Some(token) => block.field("authorization", &format!("Bearer {token}")),
            None => block,
        }
    }

    /// The head of a GET request, with its path kept in the server's dynamic table.
    pub(super) fn with_kept_path(path: &str) -> Self {
        const KEPT: u8 = 0x40;
        Self(vec![0x86])
            .indexed_name(2, "GET")
            .indexed_name(1, "localhost")
            .indexed_name(KEPT | 4, path)
    }

    /// A header named by the static table, not put into the dynamic one.
    fn indexed_name(mut self, index: u8, value: &str) -> Self {
        self.0.push(index);
        self.text(value)
    }

    /// A header, not put into the dynamic table.
    pub(super) fn field(mut self, name: &str, value: &str) -> Self {
        self.0.push(0);
        self.text(name).text(value)
    }

    /// A header to be kept in the server's dynamic table.
    pub(super) fn kept(mut self, name: &str, value: &str) -> Self {
        self.0.push(0x40);
        self.text(name).text(value)
    }

    /// The last kept header, repeated so many times by a byte each.
    pub(super) fn again(mut self, times: usize) -> Self {
        self.0.extend(std::iter::repeat_n(0x80 | 62, times));
        self
    }

    fn text(mut self, text: &str) -> Self {
        let mut length = text.len();
        if length < 127 {
            self.0.push(length as u8);
        } else {
            self.0.push(127);
            length -= 127;
            while length >= 128 {
                self.0.push((length % 128) as u8 | 128);
                length /= 128;
            }
            self.0.push(length as u8);
        }
        self.0.extend_from_slice(text.as_bytes());
        self
    }
}

/// A frame of the server.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
    pub(super) payload: Vec<u8>,
}

impl Frame {
    pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Self> {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        stream.read_exact(&mut payload).await?;
        Ok(Self {
            kind: head[3],
            flags: head[4],
            stream: u32::from_be_bytes([head[5] & 0x7f, head[6], head[7], head[8]]),
            payload,
        })
    }

    /// Returns whether this is the head of an answer.
    pub(super) fn is_answer(&self) -> bool {
        self.kind == kind::HEADERS && self.flags & flag::END_HEADERS != 0
    }

    /// Returns whether this is a 200 or 204, each coded in one byte.
    pub(super) fn is_success(&self) -> bool {
        let is_resizing = |byte: &&u8| **byte & 0xe0 == 0x20;
        let mut block = self.payload.iter().skip_while(is_resizing);
        self.is_answer() && matches!(block.next(), Some(0x88 | 0x89))
    }
}
