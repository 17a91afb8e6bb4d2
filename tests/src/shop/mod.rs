//! Shops to send requests to: the whole server in this process.
//! Each has ports of its own, and a clock moved only by the test.

mod conduct;
mod devices;
pub mod setup;
mod tokens;
mod unsteady;
mod usual_store;

use std::{net::SocketAddr, sync::Arc};

use connect_core::{
    Account, Connect, ImageWorker,
    environment::ManualClock,
    wire::{Id, Location},
};
use connect_server::images::ImageService;
use tokio::{sync::oneshot, task::JoinHandle};

pub use devices::{Device, at as device_path};
pub use setup::Setup;
pub use tokens::everything;
pub use unsteady::{Mood, Unsteady};

use usual_store::Premises;

/// An account with two locations, and its server; stops on drop.
pub struct Shop {
    /// The address of the server's API.
    pub address: SocketAddr,
    /// The address of the owner's listener, for registers and kiosks.
    pub owner_address: SocketAddr,
    /// The core behind it.
    pub connect: Connect,
    /// The only clock.
    pub clock: Arc<ManualClock>,
    /// The account.
    pub account: Id<Account>,
    /// The main location, for most requests.
    pub here: Id<Location>,
    /// The account's other location.
    pub there: Id<Location>,
    /// A token for everything at both locations.
    pub token: String,
    images: Option<ImageService>,
    stop: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<()>>,
    _premises: Option<Premises>,
}

impl Shop {
    /// An empty shop in memory, with limits no test reaches.
    pub async fn open() -> Self {
        Setup::default().open().await
    }

    /// A path at the main location.
    pub fn at(&self, path: &str) -> String {
        format!("/v1/locations/{}/{path}", self.here)
    }

    /// A worker for taking images over.
    ///
    /// # Panics
    /// The shop was set up without [`Setup::images_from`].
    pub fn image_worker(&self) -> ImageWorker {
        let images = self.images.clone().expect("a service for images");
        self.connect.image_worker(Arc::new(images))
    }

    /// Lets running requests finish, stops the server and closes its storage.
    pub async fn close(mut self) {
        self.stop.take();
        if let Some(served) = self.served.take() {
            served.await.expect("the server stops in good order");
        }
    }
}
