//! A proxy in front of a shop, to check all traffic.
//! It is for clients without access to their responses, such as the SDK. It can also lose answers on the
//! way back.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use http::{HeaderMap, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    check::Checker,
    http::{Answer, Payload, Request, send},
    shop::Shop,
};

/// The proxy.
/// On drop, a response contrary to the document ends the test.
pub struct Watch {
    /// The base address of the service, as used by clients.
    pub base_url: String,
    seen: Arc<Mutex<Seen>>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    answers: Vec<Answer>,
    faults: Vec<String>,
    to_lose: usize,
}

impl Watch {
    /// A proxy in front of this shop.
    ///
    /// # Panics
    /// No port is free.
    pub async fn over(shop: &Shop) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let address = listener.local_addr().expect("the address of a listener");
        let seen = Arc::new(Mutex::new(Seen::default()));
        let accepting = tokio::spawn(accept(listener, shop.address, seen.clone()));
        Self {
            base_url: format!("http://{address}/v1"),
            seen,
            accepting,
        }
    }

    /// Loses the next answers: the service has answered, then the connection breaks.
    ///
    /// # Panics
    /// Never.
    pub fn lose_answers(&self, count: usize) {
        self.seen.lock().unwrap().to_lose = count;
    }

    /// Returns the answers since the last call, lost ones included.
    ///
    /// # Panics
    /// Never.
    pub fn passed(&self) -> Vec<Answer> {
        std::mem::take(&mut self.seen.lock().unwrap().answers)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.accepting.abort();
        let faults = std::mem::take(&mut self.seen.lock().unwrap().faults);
        if !std::thread::panicking() {
            assert!(
                faults.is_empty(),
                "not as the document says:\n{}",
                faults.join("\n")
            );
        }
    }
}

async fn accept(listener: TcpListener, shop: SocketAddr, seen: Arc<Mutex<Seen>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let seen = seen.clone();
        let pass = service_fn(move |request| pass(request, shop, seen.clone()));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), pass);
        // A client that goes away, or an answer that is lost, ends the connection with an error.
        tokio::spawn(async move {
            let _ = connection.await;
        });
    }
}

async fn pass(
    request: http::Request<Incoming>,
    shop: SocketAddr,
    seen: Arc<Mutex<Seen>>,
) -> Result<Response<Full<Bytes>>, String> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(|e| e.to_string())?.to_bytes();
    let forwarded = Request {
        method: head.method,
        target: head.uri.to_string(),
        headers: end_to_end(head.headers),
        body: Payload::Whole(body),
    };
    let answer = send(shop, forwarded).await?;
    let lost = {
        let mut seen = seen.lock().unwrap();
        for fault in Checker::v1().faults(&answer) {
            seen.faults
                .push(format!("{fault}\n    {}", answer.summary()));
        }
        seen.answers.push(answer.clone());
        let lost = seen.to_lose > 0;
        seen.to_lose = seen.to_lose.saturating_sub(1);
        lost
    };
    if lost {
        return Err("lost".to_owned());
    }
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status;
    *response.headers_mut() = end_to_end(answer.headers);
    Ok(response)
}

/// Removes the headers of a single connection.
/// `Accept-Encoding` goes too: gzip content cannot be judged.
fn end_to_end(mut headers: HeaderMap) -> HeaderMap {
    for name in [
        header::ACCEPT_ENCODING,
        header::HOST,
        header::CONNECTION,
        header::CONTENT_LENGTH,
        header::TRANSFER_ENCODING,
    ] {
        headers.remove(name);
    }
    headers
}
