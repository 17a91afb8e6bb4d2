//! Receives webhooks, and prints a line for each new event.
//! It verifies the signature of each request, and drops events already seen.
//!
//! The further duties of your own receiver are in `docs/webhooks.md`.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::{
    collections::{HashMap, HashSet},
    net::SocketAddr,
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

use clap::Parser;
use connect_client::wire::{AnyEvent, Id, Location};
use connect_webhook_verify::{
    Secret, Verifier, VerifyError,
    receiver::{Delivery, Receiver, Refusal},
    warp::receive,
};
use tokio::net::TcpListener;
use warp::{Filter, http::StatusCode};

type Error = Box<dyn std::error::Error>;

/// The printed fields of an event's data.
const SHOWN: [&str; 9] = [
    "id",
    "productId",
    "name",
    "deleted",
    "quantity",
    "status",
    "totalCents",
    "reason",
    "message",
];

/// Print the events that a Connect service sends to a webhook.
#[derive(Parser)]
struct Arguments {
    /// The address to listen at; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// The webhook's secret, and after a comma the one before it while it is rolled; others can see
    /// it on a command line
    #[arg(
        long,
        env = "WEBHOOK_SECRETS",
        hide_env_values = true,
        value_delimiter = ','
    )]
    secrets: Vec<String>,
}

/// The events received so far, in memory only.
/// Your own receiver stores the id of an event together with its effects.
#[derive(Default)]
struct Arrived {
    ids: HashSet<Id<AnyEvent>>,
    /// The highest sequence number of each location.
    latest: HashMap<Id<Location>, u64>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("webhook_receiver: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Receives until the program ends.
async fn run(arguments: Arguments) -> Result<(), Error> {
    let receiver = Receiver::new(&verifier(&arguments.secrets)?).on_refusal(explain);
    let address = arguments.listen;
    let listener = TcpListener::bind(address).await.map_err(|error| {
        format!("cannot listen at {address}: {error}; --listen 127.0.0.1:PORT takes another port")
    })?;
    let address = listener.local_addr()?;
    println!("Receiving at http://{address}/");

    let arrived = Arc::new(Mutex::new(Arrived::default()));
    let take = move |delivery: Delivery| {
        let status = arrived
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(&delivery);
        async move { status }
    };
    let hooks = warp::post().and(receive(receiver, take));
    warp::serve(hooks).incoming(listener).run().await;
    Ok(())
}

fn verifier(secrets: &[String]) -> Result<Verifier<Vec<Secret>>, Error> {
    if secrets.is_empty() {
        return Err("no secret: set WEBHOOK_SECRETS to the one that \
                    `connect-server webhook create` printed"
            .into());
    }
    let secrets = secrets.iter().map(Secret::new);
    Ok(Verifier::new(secrets.collect::<Result<Vec<_>, _>>()?))
}

/// Logs the reason of a refusal; the sender gets only a code.
fn explain(refusal: &Refusal) {
    eprintln!("refused with {}: {refusal}", refusal.status());
    if let Refusal::Signature(VerifyError::NoMatch { hint: None }) = refusal {
        eprintln!(
            "  Is WEBHOOK_SECRETS the secret of this webhook, and the latest one? \
             `connect-server webhook roll` makes another."
        );
    }
}

impl Arrived {
    /// Takes a verified delivery, and returns the status to answer.
    fn take(&mut self, delivery: &Delivery) -> StatusCode {
        let event: AnyEvent = match delivery.json() {
            Ok(event) => event,
            Err(error) => {
                eprintln!("signed, but no event: {error}");
                return StatusCode::BAD_REQUEST;
            }
        };
        if self.ids.insert(event.id) {
            println!("verified {}", self.line(&event));
        } else {
            eprintln!("{} came again", event.id);
        }
        StatusCode::NO_CONTENT
    }

    /// The line of a new event.
    fn line(&mut self, event: &AnyEvent) -> String {
        let field = |name: &&str| Some(format!(" {name}={}", event.data.get(name)?));
        let data: String = SHOWN.iter().filter_map(field).collect();
        let (Some(location), Some(sequence)) = (event.location_id, event.sequence) else {
            return format!("{} {}{data}", event.created_at, event.kind);
        };
        // Deliveries are tried again, so an event may arrive behind later ones.
        let latest = self.latest.entry(location).or_default();
        let late = if sequence < *latest { " (late)" } else { "" };
        *latest = sequence.max(*latest);
        format!(
            "{} {} #{sequence}{late} at {location}{data}",
            event.created_at, event.kind
        )
    }
}
