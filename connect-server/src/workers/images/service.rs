//! The adapter behind the core's port for images.

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::{
    environment::{ImageFailure, Images},
    wire::ImageErrorCode,
};
use tokio::{
    sync::Semaphore,
    task::{JoinError, spawn_blocking},
    time::timeout,
};
use url::Url;

use super::{Copies, ScaledCopy, download::download, failure::damaged, scaled_copy};
use crate::{
    net::{Server, networks::Networks},
    workers::outbound::{AddressGuard, Outbound, OutboundError, OutboundSettings},
};

/// The default time limit of a download.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(30);

/// The number of images decoded at a time.
/// Each may take 165 MB of memory, and a processor core.
const DECODERS: usize = 1;

/// The number of images taken over at a time.
/// Each keeps its file of up to 5 MB in memory until it is decoded.
const PLACES: usize = 8;

/// The time for everything but the download.
/// This covers waiting for a place and for the decoder, decoding and storing.
const PROCESSING: Duration = Duration::from_secs(30);

/// Downloads images, makes copies of them, and stores these.
#[derive(Clone, Debug)]
pub struct ImageService {
    outbound: Outbound,
    /// The time limit of a download.
    deadline: Duration,
    /// The time limit of taking an image over, the download included.
    limit: Duration,
    places: Arc<Semaphore>,
    decoders: Arc<Semaphore>,
    copies: Copies,
    public: PublicUrl,
}

impl ImageService {
    /// Makes the service.
    /// Besides the public internet it downloads from the `allowed` networks. A download may take
    /// `deadline`, and the rest 30 seconds more. The copies are reached below `public`.
    ///
    /// # Errors
    /// The system has no certificates to trust.
    pub fn new(
        copies: Copies,
        public: PublicUrl,
        allowed: Networks,
        deadline: Duration,
    ) -> Result<Self, OutboundError> {
        Ok(Self {
            outbound: Outbound::new(OutboundSettings::new(
                AddressGuard::allowing(allowed),
                "Connect-Images/1",
            ))?,
            deadline,
            limit: deadline.saturating_add(PROCESSING),
            places: Arc::new(Semaphore::new(PLACES)),
            decoders: Arc::new(Semaphore::new(DECODERS)),
            copies,
            public,
        })
    }

    /// The stored copies, to serve them.
    pub fn copies(&self) -> Copies {
        self.copies.clone()
    }

    /// Makes a copy on its own thread.
    /// There the work blocks no task and may panic.
    async fn on_thread(
        &self,
        work: impl FnOnce() -> Result<ScaledCopy, ImageFailure> + Send + 'static,
    ) -> Result<ScaledCopy, ImageFailure> {
        // The semaphore is never closed.
        // The thread keeps the permit even when its caller has stopped waiting.
        let permit = self.decoders.clone().acquire_owned().await;
        let thread = spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        thread.await.unwrap_or_else(|error| Err(undone(&error)))
    }

    /// Takes an image over. Only the download has a time limit here.
    async fn process(&self, link: &str) -> Result<String, ImageFailure> {
        // The semaphore is never closed.
        let _place = self.places.acquire().await;
        let file = download(&self.outbound, link, self.deadline).await?;
        let copy = self.on_thread(move || scaled_copy(&file)).await?;
        match self.copies.put(copy).await {
            Ok(name) => Ok(format!("{}/images/{name}", self.public)),
            Err(error) => {
                tracing::error!(%error, "an image could not be stored");
                Err(ImageFailure::passing(
                    ImageErrorCode::ServerError,
                    "The image is fine, but it could not be stored.",
                ))
            }
        }
    }
}

/// The failure of an image after its thread panicked or was cancelled.
/// Its decoder panicked, or the server stops.
fn undone(error: &JoinError) -> ImageFailure {
    if error.is_panic() {
        tracing::warn!(panic = %error, "an image could not be decoded");
        return damaged();
    }
    ImageFailure::passing(
        ImageErrorCode::ServerError,
        "The server stopped before the image was decoded.",
    )
}

#[async_trait]
impl Images for ImageService {
    async fn take_over(&self, link: &str) -> Result<String, ImageFailure> {
        let in_time = timeout(self.limit, self.process(link)).await;
        in_time.unwrap_or_else(|_| {
            tracing::warn!(limit = ?self.limit, "an image was not copied in time");
            Err(ImageFailure::passing(
                ImageErrorCode::Timeout,
                "The server was too busy to copy the image in time.",
            ))
        })
    }
}

/// The public address of this server.
/// An example is `https://shop.example`, perhaps with a path in front of `/images`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// The address of a server with nothing in front of it.
    pub fn of(server: &Server) -> Self {
        Self(format!("{}://{}", server.scheme(), server.address()))
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| error.to_string())?;
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if is_plain {
            return Ok(Self(url.as_str().trim_end_matches('/').to_owned()));
        }
        Err("must be an address such as https://shop.example, perhaps with a path".to_owned())
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::*;

    fn service() -> ImageService {
        let public = "https://shop.example".parse().unwrap();
        let networks = Networks::loopback();
        ImageService::new(Copies::in_memory(), public, networks, DEFAULT_DEADLINE).unwrap()
    }

    #[tokio::test]
    async fn a_decoder_that_panics_harms_its_own_image_only() {
        let service = service();
        let failed = service.on_thread(|| panic!("a hostile file")).await;
        assert_eq!(failed.unwrap_err().code, ImageErrorCode::Corrupt);
        let next = service.on_thread(|| scaled_copy(b"")).await;
        assert_eq!(next.unwrap_err().message, "The file is empty.");
        assert_eq!(service.decoders.available_permits(), DECODERS);
    }

    #[tokio::test]
    async fn a_decoder_that_was_not_run_says_nothing_about_the_image() {
        let thread = tokio::spawn(std::future::pending::<()>());
        thread.abort();
        let failed = undone(&thread.await.unwrap_err());
        assert_eq!(failed.code, ImageErrorCode::ServerError);
        assert!(failed.may_pass);
    }

    /// Sends one byte, not an image, to every client.
    async fn host() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let link = format!("http://{}/a.jpg", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.read(&mut [0; 4096]).await.unwrap();
                let response = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
                stream.write_all(response).await.unwrap();
            }
        });
        link
    }

    #[tokio::test]
    async fn waiting_counts_towards_the_time_limit() {
        let link = host().await;
        let mut service = service();
        service.limit = Duration::from_millis(300);
        for (awaited, all) in [
            (service.places.clone(), PLACES),
            (service.decoders.clone(), DECODERS),
        ] {
            let taken = awaited
                .clone()
                .acquire_many_owned(all as u32)
                .await
                .unwrap();
            let failed = timeout(DEFAULT_DEADLINE, service.take_over(&link)).await;
            let failed = failed.expect("it ends by itself").unwrap_err();
            assert_eq!(failed.code, ImageErrorCode::Timeout, "{failed}");
            assert!(failed.may_pass);
            assert!(failed.message.contains("busy"), "{failed}");
            drop(taken);
            assert_eq!(awaited.available_permits(), all);
        }
        service.limit = DEFAULT_DEADLINE;
        let failed = service.take_over(&link).await.unwrap_err();
        assert_eq!(failed.code, ImageErrorCode::UnsupportedType, "{failed}");
    }

    /// The next image is not decoded beside abandoned work.
    #[tokio::test]
    async fn abandoned_work_keeps_its_place_until_it_ends() {
        let service = service();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let (begin, begun) = tokio::sync::oneshot::channel();
        let work = service.on_thread(move || {
            let _ = begin.send(());
            let _ = ended.recv();
            Err(damaged())
        });
        tokio::select! {
            _ = work => unreachable!("it waits"),
            begun = begun => begun.unwrap(),
        }
        assert_eq!(service.decoders.available_permits(), 0);
        end.send(()).unwrap();
        assert!(service.on_thread(|| Err(damaged())).await.is_err());
    }

    #[test]
    fn public_addresses_are_written_without_a_slash_at_the_end() {
        for (text, expected) in [
            ("https://shop.example", Some("https://shop.example")),
            (
                "https://shop.example:8443/",
                Some("https://shop.example:8443"),
            ),
            ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            (
                "https://shop.example/connect/",
                Some("https://shop.example/connect"),
            ),
            ("shop.example", None),
            ("ftp://shop.example", None),
            ("https://user@shop.example", None),
            ("https://shop.example/?a", None),
            ("https://shop.example/#a", None),
        ] {
            let read = text.parse::<PublicUrl>().ok().map(|url| url.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
