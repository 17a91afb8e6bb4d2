//! A receiver on warp.
//!
//! Start it, then run the printed command, or the example `send`.
//!
//! `WEBHOOK_SECRETS` holds the secrets with commas between, `PORT` the port.
#![allow(clippy::print_stdout, reason = "it is for a person to watch")]

use std::{env, error::Error, time::SystemTime};

use connect_webhook_verify::{
    Secret, Verifier,
    receiver::{Delivery, Receiver},
    sign,
    warp::receive,
};
use warp::{Filter, http::StatusCode};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let secrets = env::var("WEBHOOK_SECRETS").unwrap_or("whsec_test_secret".into());
    let secrets = secrets
        .split(',')
        .map(Secret::new)
        .collect::<Result<Vec<_>, _>>()?;
    let port = env::var("PORT").map_or(Ok(8080), |port| port.parse())?;

    let body = r#"{"id":"evt_1"}"#;
    let now = SystemTime::UNIX_EPOCH.elapsed()?.as_secs();
    println!("listening; for five minutes this is taken:\n");
    println!("curl -i http://127.0.0.1:{port}/hooks -H 'Content-Type: application/json' \\");
    println!(
        "  -H 'Service-Signature: {}' -d '{body}'\n",
        sign(&secrets, now, body)
    );

    let receiver = Receiver::new(&Verifier::new(secrets))
        .on_refusal(|refusal| println!("refused with {}: {refusal}", refusal.status()));
    let hooks = warp::post()
        .and(warp::path!("hooks"))
        .and(receive(receiver, take));
    warp::serve(hooks).run(([127, 0, 0, 1], port)).await;
    Ok(())
}

async fn take(delivery: Delivery) -> StatusCode {
    let body = String::from_utf8_lossy(&delivery.body);
    println!("taken, by secret {}: {body}", delivery.verified.secret);
    StatusCode::NO_CONTENT
}
