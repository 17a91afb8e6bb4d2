//! Attacks with bodies.

use std::{io, time::Duration};

use tokio::{io::AsyncWriteExt as _, time::sleep};

use super::wire::{batch_head, chunked_head, flood, send_and_wait};
use crate::attack::scene::Scene;

/// The size of a large body, just below the limit.
const LARGE: usize = 1_990_000;

pub(super) async fn slow(scene: Scene) {
    let work = |scene: Scene| async move {
        let mut stream = scene.connect().await?;
        stream
            .write_all(batch_head(&scene, LARGE).as_bytes())
            .await?;
        loop {
            stream.write_all(b" ").await?;
            sleep(Duration::from_secs(1)).await;
        }
    };
    scene.swarm(400, work).await;
}

pub(super) async fn stalled(scene: Scene) {
    let body = vec![b' '; LARGE - 1];
    large(scene, body, 400).await;
}

pub(super) async fn at_once(scene: Scene) {
    let name = "x".repeat(LARGE - 24);
    let body = format!(r#"{{"items":[{{"name":"{name}"}}]}}"#);
    large(scene, body.into_bytes(), 300).await;
}

/// Sends a body on several connections, declared as large in the head.
async fn large(scene: Scene, body: Vec<u8>, connections: usize) {
    let work = |scene: Scene| {
        let body = &body;
        async move {
            let request = [batch_head(&scene, LARGE).as_bytes(), body].concat();
            send_and_wait(&scene, &request).await
        }
    };
    scene.swarm(connections, work).await;
}

pub(super) async fn tiny_chunks(scene: Scene) {
    let work = |scene: Scene| async move {
        let head = chunked_head(&scene);
        flood(&scene, head.as_bytes(), &b"1\r\n \r\n".repeat(1000)).await
    };
    scene.swarm(50, work).await;
}

pub(super) async fn extensions(scene: Scene) {
    let work = |scene: Scene| async move {
        let begin = format!("{}1;", chunked_head(&scene));
        flood(&scene, begin.as_bytes(), &b"a=b;".repeat(1000)).await
    };
    scene.swarm(50, work).await;
}

pub(super) async fn trailers(scene: Scene) {
    let work = |scene: Scene| async move {
        let begin = format!("{}2\r\n{{}}\r\n0\r\n", chunked_head(&scene));
        flood(&scene, begin.as_bytes(), &b"x: y\r\n".repeat(1000)).await
    };
    scene.swarm(50, work).await;
}

pub(super) async fn expected(scene: Scene) {
    let work = |scene: Scene| async move {
        let head = batch_head(&scene, LARGE);
        let head = head.trim_end();
        let request = format!("{head}\r\nExpect: 100-continue\r\n\r\n");
        send_and_wait(&scene, request.as_bytes()).await?;
        io::Result::Ok(())
    };
    scene.swarm(400, work).await;
}
