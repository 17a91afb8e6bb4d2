//! Webhooks sent to endpoints that behave badly, and e-mail to owners.

mod answers;
mod authority;
mod bad;
mod certificates;
mod endpoints;
mod guard;
mod mail;
mod memory;
mod shops;
mod zoo;

use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use connect_core::environment::{WebhookRequest, WebhookSender as _};
use connect_server::{
    networks::Networks,
    outbound::{AddressGuard, LookupError, Names, OutboundSettings},
    webhooks::WebhookClient,
};
use tokio::{net::TcpListener, task::JoinHandle};

/// Longer than anything in these tests takes that is not meant to run into its deadline.
const PATIENCE: Duration = Duration::from_secs(60);

/// The settings of a client that also sends into these networks.
fn settings(allowed: Networks) -> OutboundSettings {
    OutboundSettings::new(AddressGuard::allowing(allowed), "Tests/1")
}

/// A client that sends to this machine.
fn client(deadline: Duration) -> WebhookClient {
    WebhookClient::with(settings(Networks::loopback()), deadline).unwrap()
}

/// A request to this address.
fn request(url: &str) -> WebhookRequest {
    WebhookRequest {
        url: url.to_owned(),
        headers: vec![
            ("content-type", "application/json".to_owned()),
            ("user-agent", "Connect-Webhooks/1".to_owned()),
            ("service-signature", "t=1,v1=00".to_owned()),
        ],
        body: b"{\"a\": 1 }".to_vec(),
    }
}

/// Sends a request to this address. A failure is its sentence.
async fn send(client: &WebhookClient, url: &str) -> Result<u16, String> {
    let sent = client.send(&request(url)).await;
    sent.map(|answer| answer.status)
        .map_err(|failure| failure.to_string())
}

/// Gives the addresses of every host: the first of these at first, and the last again and again.
#[derive(Debug)]
struct Told {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Told {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parsed = |answer: &&[&str]| answer.iter().map(|ip| ip.parse().unwrap()).collect();
        Arc::new(Self {
            answers: answers.iter().map(parsed).collect(),
            asked: AtomicUsize::new(0),
        })
    }
}

#[async_trait]
impl Names for Told {
    async fn look_up(&self, _: &str) -> Result<Vec<SocketAddr>, LookupError> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = &self.answers[asked.min(self.answers.len() - 1)];
        Ok(answer.iter().map(|ip| SocketAddr::new(*ip, 0)).collect())
    }
}

/// Counts the connections to an address that must not be reached.
struct Trap {
    port: u16,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Trap {
    async fn set(address: &str) -> Self {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = connections.clone();
        let task = tokio::spawn(async move {
            loop {
                let _connection = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self {
            port,
            connections,
            task,
        }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        self.task.abort();
    }
}
