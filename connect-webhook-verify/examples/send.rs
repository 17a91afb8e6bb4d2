//! Sends a signed delivery to the example `receiver` and prints the answer.
//!
//! `WEBHOOK_SECRETS` and `PORT` as there; the first argument is the body.
#![allow(clippy::print_stdout, reason = "it is for a person to watch")]

use std::{
    env,
    error::Error,
    io::{Read, Write},
    net::TcpStream,
    time::SystemTime,
};

use connect_webhook_verify::{Secret, sign};

fn main() -> Result<(), Box<dyn Error>> {
    let secrets = env::var("WEBHOOK_SECRETS").unwrap_or("whsec_test_secret".into());
    let secrets = secrets
        .split(',')
        .map(Secret::new)
        .collect::<Result<Vec<_>, _>>()?;
    let port = env::var("PORT").map_or(Ok(8080), |port| port.parse::<u16>())?;
    let body = env::args().nth(1).unwrap_or(r#"{"id":"evt_1"}"#.into());

    let now = SystemTime::UNIX_EPOCH.elapsed()?.as_secs();
    let mut connection = TcpStream::connect(("127.0.0.1", port))?;
    write!(
        connection,
        "POST /hooks HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
         User-Agent: Connect-Webhooks/1\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nService-Signature: {}\r\n\r\n{body}",
        body.len(),
        sign(&secrets, now, &body),
    )?;

    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    println!("{answer}");
    Ok(())
}
