//! The guard: when an address is saved, and again at the connection.

use std::sync::Arc;

use connect_core::environment::{SendFailure, WebhookLinks as _, WebhookSender as _};
use connect_server::{
    networks::Networks,
    outbound::{AddressGuard, LookupError, Names},
    webhooks::{PublicWebhooks, WebhookClient},
};

use super::{PATIENCE, Told, Trap, request, send, settings};
use crate::host::{Host, Script};

fn links(allowed: &str, names: Arc<dyn Names>) -> PublicWebhooks {
    let allowed: Networks = match allowed {
        "" => Networks::default(),
        allowed => allowed.parse().unwrap(),
    };
    PublicWebhooks::with(AddressGuard::allowing(allowed), names)
}

#[tokio::test]
async fn an_address_is_saved_if_every_answer_of_the_lookup_is_public() {
    let public = "must lead to a public address on the internet";
    for (url, answer, expected) in [
        (
            "https://hooks.example/in?key=1",
            &["93.184.216.34"][..],
            Ok(()),
        ),
        (
            "https://hooks.example/",
            &["2606:2800::1", "1.1.1.1"],
            Ok(()),
        ),
        ("https://1.1.1.1/", &[], Ok(())),
        (
            "https://hooks.example/",
            &["1.1.1.1", "10.0.0.1"],
            Err(public),
        ),
        ("https://hooks.example/", &["::ffff:127.0.0.1"], Err(public)),
        ("https://hooks.example/", &[], Err(public)),
        ("https://0x7f.1/", &[], Err(public)),
        (
            "http://hooks.example/",
            &["1.1.1.1"],
            Err("must start with https://"),
        ),
        (
            "https://hooks.example:8443/",
            &["1.1.1.1"],
            Err("must not name a port"),
        ),
    ] {
        let judged = links("", Told::new(&[answer])).check(url).await;
        assert_eq!(judged, expected.map_err(str::to_owned), "{url}");
    }
    let near = links("127.0.0.0/8", Told::new(&[&["127.0.0.1"]]));
    assert_eq!(near.check("http://localhost:8080/in").await, Ok(()));
    let far = links("127.0.0.0/8", Told::new(&[&["1.1.1.1"]]));
    assert!(far.check("http://hooks.example:8080/in").await.is_err());
}

/// Knows no host.
#[derive(Debug)]
struct Nobody(LookupError);

#[async_trait::async_trait]
impl Names for Nobody {
    async fn look_up(&self, _: &str) -> Result<Vec<std::net::SocketAddr>, LookupError> {
        Err(self.0.clone())
    }
}

/// Saves an address, and sends a request to it, while a lookup ends so. Neither succeeds.
async fn without_answer(error: LookupError) -> (String, SendFailure) {
    let url = "https://hooks.example/";
    let names = Arc::new(Nobody(error));
    let refused = links("", names.clone()).check(url).await.unwrap_err();
    let mut settings = settings(Networks::default());
    settings.names = names;
    let client = WebhookClient::with(settings, PATIENCE).unwrap();
    (refused, client.send(&request(url)).await.unwrap_err())
}

#[tokio::test]
async fn a_host_that_is_not_found_is_refused() {
    let error = std::io::Error::other("no such host");
    let (refused, failed) = without_answer(error.into()).await;
    assert_eq!(refused, "must lead to a host that can be found");
    assert_eq!(failed.to_string(), "The host of the address was not found.");
}

#[tokio::test]
async fn a_host_that_is_not_looked_up_is_not_blamed() {
    let (refused, failed) = without_answer(LookupError::Crowded).await;
    assert_eq!(
        refused,
        "cannot be checked right now: try again in a minute"
    );
    assert_eq!(failed, SendFailure::NotTried);
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_after_it_was_saved_is_not_connected_to() {
    let trap = Trap::set("127.0.0.1").await;
    for answers in [
        &[&["127.0.0.2"][..], &["127.0.0.1"]][..],
        &[&["127.0.0.2"], &["127.0.0.2", "127.0.0.1"]],
        &[&["127.0.0.2"], &["::ffff:127.0.0.1"]],
    ] {
        let names = Told::new(answers);
        let url = format!("http://hooks.example:{}/", trap.port);
        let links = links("127.0.0.2", names.clone());
        assert_eq!(links.check(&url).await, Ok(()));
        let mut settings = settings("127.0.0.2".parse().unwrap());
        settings.names = names;
        let client = WebhookClient::with(settings, PATIENCE).unwrap();
        let failed = send(&client, &url).await.unwrap_err();
        let expected = "The address does not lead to a public address on the internet.";
        assert_eq!(failed, expected, "{answers:?}");
    }
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn no_spelling_and_no_redirect_reaches_a_refused_address() {
    let trap = Trap::set("127.0.0.1").await;
    let port = trap.port;
    let client = WebhookClient::with(settings("127.0.0.2".parse().unwrap()), PATIENCE).unwrap();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "0",
        "127.0.0.1.",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "localhost",
    ] {
        for scheme in ["http", "https"] {
            let refused = format!("{scheme}://{host}:{port}/");
            let failed = send(&client, &refused).await.unwrap_err();
            assert!(failed.starts_with("The address "), "{refused}: {failed}");
            let to = Host::start_on("127.0.0.2", move |_| Script::to(&refused)).await;
            assert_eq!(send(&client, &to.link("/")).await, Ok(302));
        }
    }
    assert_eq!(trap.connections(), 0);
    // It would have been connected to.
    let open = super::client(std::time::Duration::from_millis(100));
    assert!(
        send(&open, &format!("http://127.0.0.1:{port}/"))
            .await
            .is_err()
    );
    assert_eq!(trap.connections(), 1);
}
