//! Receives webhooks, and prints the verified events.

use std::{env, error::Error};

use axum::{Router, http::StatusCode, routing::post};
use connect_webhook_verify::{Secret, Verifier, axum::Signed, receiver::Receiver};
use serde_json::Value;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let secrets = [Secret::new(env::var("WEBHOOK_SECRET")?)?];
    let receiver =
        Receiver::new(&Verifier::new(secrets)).on_refusal(|refusal| println!("refused: {refusal}"));
    let hooks = Router::new()
        .route("/hooks", post(take))
        .with_state(receiver);
    axum::serve(TcpListener::bind(env::var("LISTEN")?).await?, hooks).await?;
    Ok(())
}

async fn take(Signed(event): Signed<Value>) -> StatusCode {
    println!("verified: {} {}", event["type"], event["data"]);
    StatusCode::NO_CONTENT
}
