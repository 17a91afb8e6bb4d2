//! A port to images that does what the name of an image says, without a network.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::{
    environment::{ImageFailure, Images},
    wire::ImageErrorCode,
};
use std::sync::Mutex;
use tokio::{sync::Semaphore, task::yield_now, time::sleep};

/// Takes over any image; fails with one that is called `lasting` or `passing`, panics at `panic`,
/// holds one whose name begins with `held` until it is let go, and takes a while for one that is called
/// `slow`.
pub(super) struct Port {
    calls: Mutex<HashMap<String, usize>>,
    begun: Semaphore,
    let_go: Semaphore,
}

impl Port {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            calls: Mutex::default(),
            begun: Semaphore::new(0),
            let_go: Semaphore::new(0),
        })
    }

    /// How often this image was asked for.
    pub(super) fn calls(&self, name: &str) -> usize {
        self.calls
            .lock()
            .unwrap()
            .get(&link(name))
            .copied()
            .unwrap_or(0)
    }

    /// How many held images were asked for.
    pub(super) fn held(&self) -> usize {
        let calls = self.calls.lock().unwrap();
        let held = calls
            .iter()
            .filter(|(asked, _)| asked.starts_with(&link("held")));
        held.map(|(_, calls)| calls).sum()
    }

    /// Waits until a held image is asked for.
    pub(super) async fn begun(&self) {
        self.begun.acquire().await.unwrap().forget();
    }

    /// Lets one held image go.
    pub(super) fn let_go(&self) {
        self.let_go.add_permits(1);
    }
}

/// The link of an image.
pub(super) fn link(name: &str) -> String {
    format!("https://images.example/{name}")
}

/// The link of the copy of an image.
pub(super) fn copy(name: &str) -> String {
    format!("https://copies.example/{name}")
}

#[async_trait]
impl Images for Port {
    async fn take_over(&self, link: &str) -> Result<String, ImageFailure> {
        *self
            .calls
            .lock()
            .unwrap()
            .entry(link.to_owned())
            .or_default() += 1;
        yield_now().await;
        let name = link.rsplit('/').next().unwrap();
        if name.starts_with("held") {
            self.begun.add_permits(1);
            self.let_go.acquire().await.unwrap().forget();
        }
        if name.starts_with("slow") {
            sleep(Duration::from_millis(10)).await;
        }
        match name.trim_start_matches("held-") {
            "lasting" => Err(ImageFailure::lasting(ImageErrorCode::Corrupt, "Damaged.")),
            "passing" => Err(ImageFailure::passing(ImageErrorCode::Timeout, "Slow.")),
            "panic" => panic!("a hostile file"),
            _ => Ok(copy(name)),
        }
    }
}
