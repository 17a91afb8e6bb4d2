//! Attacks with connections.

use std::{io, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::sleep,
};

use super::wire::{head, sip};
use crate::attack::scene::{Scene, hold};

/// The path of a long answer, open without a token.
const DOCUMENT: &str = "/v1/openapi.json";
/// The number of connections, within the default limit of open files.
const MANY: usize = 900;

pub(super) async fn pipelining(scene: Scene) {
    let work = |scene: Scene| async move {
        let path = format!("{}?limit=200", scene.products);
        let request = format!("{}\r\n", head("GET", &path, Some(scene.token())));
        let mut stream = scene.connect_narrow().await?;
        stream.write_all(request.repeat(5000).as_bytes()).await?;
        hold().await;
        io::Result::Ok(())
    };
    scene.swarm(50, work).await;
}

pub(super) async fn slow_reading(scene: Scene) {
    let request = format!("{}\r\n", head("GET", DOCUMENT, None));
    let work = |scene: Scene| {
        let request = &request;
        async move {
            let mut stream = scene.connect_narrow().await?;
            stream.write_all(request.repeat(20).as_bytes()).await?;
            sip(&mut stream).await
        }
    };
    scene.swarm(300, work).await;
}

pub(super) async fn flood(scene: Scene) {
    let work = |scene: Scene| async move {
        let mut stream = scene.connect().await?;
        // It ends when the server has had enough of it.
        stream.read(&mut [0]).await.map(drop)
    };
    scene.swarm(MANY, work).await;
}

pub(super) async fn idle(scene: Scene) {
    let request = format!("{}\r\n", head("GET", "/healthz", None));
    let work = |scene: Scene| {
        let request = &request;
        async move {
            let mut stream = scene.connect().await?;
            loop {
                stream.write_all(request.as_bytes()).await?;
                if stream.read(&mut [0; 4096]).await? == 0 {
                    return io::Result::Ok(());
                }
                sleep(Duration::from_secs(5)).await;
            }
        }
    };
    scene.swarm(MANY, work).await;
}

pub(super) async fn reconnecting(scene: Scene) {
    let request = format!("{}\r\n", head("GET", "/v1/locations", None));
    let work = |scene: Scene| {
        let request = &request;
        async move {
            let mut stream = scene.connect().await?;
            stream.write_all(request.as_bytes()).await
        }
    };
    scene.swarm(200, work).await;
}
