//! Taking over images from a host that behaves badly, and serving the copies.

mod bombs;
mod bucket;
mod files;
mod hosts;
mod memory;
mod pictures;
mod served;

use std::time::Duration;

use connect_core::environment::{ImageFailure, Images as _};
use connect_server::{
    images::{Copies, ImageService},
    networks::Networks,
};

use crate::host::{Host, Script};

/// Longer than anything in these tests takes that is not meant to run into its deadline.
const PATIENCE: Duration = Duration::from_secs(60);

/// A service that also downloads from these networks.
fn service(allowed: Networks, deadline: Duration) -> ImageService {
    let public = "https://shop.example".parse().unwrap();
    ImageService::new(Copies::in_memory(), public, allowed, deadline).unwrap()
}

/// The bytes of the copy that is made of a file, and the end of its name.
async fn copy_of(file: Vec<u8>) -> Result<(Vec<u8>, String), ImageFailure> {
    let host = Host::start(move |_| Script::ok(&file)).await;
    let service = service(Networks::loopback(), PATIENCE);
    let link = service.take_over(&host.link("/a.jpg")).await?;
    let name = link.strip_prefix("https://shop.example/images/").unwrap();
    let copy = service.copies().get(&name.parse().unwrap()).await.unwrap();
    let (_, extension) = name.split_once('.').unwrap();
    Ok((copy.unwrap().to_vec(), extension.to_owned()))
}
