//! The metrics as one warp filter.

use std::net::IpAddr;

use connect_core::{Connect, Error, Reason, wire::ErrorCode};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header::CONTENT_TYPE, uri::Authority};
use warp::{Filter, Rejection, filters::BoxedFilter, reply::Response};

use super::{
    caller::{CredentialKind, bearer, denied},
    endpoint::Reply,
    incoming::{Incoming, IncomingBody, ResponseContext, incoming, respond},
};
use crate::{
    net::{Peer, RequestNote},
    telemetry::metrics::{Exporter, PATH, Readers, digest},
};

/// The content type of Prometheus' text format.
const TEXT: HeaderValue = HeaderValue::from_static(prometheus::TEXT_FORMAT);

/// Answers `GET /metrics` for permitted readers. Rejects every other path.
pub(super) fn metrics(
    connect: Connect,
    exporter: Exporter,
    readers: Readers,
) -> BoxedFilter<(Response,)> {
    warp::path!("metrics")
        .and(origin())
        .and(incoming())
        .then(move |from, address, incoming| {
            let (connect, exporter) = (connect.clone(), exporter.clone());
            async move { answer(&connect, &exporter, readers, from, address, incoming).await }
        })
        .boxed()
}

/// The connection of a request, and its requested host.
struct MetricsOrigin {
    peer: Option<Peer>,
    host: Option<Authority>,
}

fn origin() -> impl Filter<Extract = (MetricsOrigin,), Error = Rejection> + Clone {
    let peer = warp::ext::optional();
    peer.and(warp::host::optional())
        .map(|peer, host| MetricsOrigin { peer, host })
}

async fn answer(
    connect: &Connect,
    exporter: &Exporter,
    readers: Readers,
    from: MetricsOrigin,
    address: IpAddr,
    incoming: Incoming<impl IncomingBody>,
) -> Response {
    let asked = ResponseContext::of(&incoming);
    // Asked every few seconds, as probes are.
    let note = RequestNote {
        is_probe: true,
        ..RequestNote::of(Some(PATH))
    };
    let method = &incoming.method;
    let reply = match check(connect, readers, &from, address, &incoming.headers) {
        Err(refused) => *refused,
        Ok(()) if !matches!(*method, Method::GET | Method::HEAD) => {
            Reply::method_not_allowed(method, &[Method::GET, Method::HEAD])
        }
        Ok(()) => match exporter.text().await {
            Ok(text) => Reply::json(StatusCode::OK, text).with_header(CONTENT_TYPE, TEXT),
            Err(error) => unwritten(&error),
        },
    };
    respond(reply, asked, None, note).await
}

/// The answer after a failure to write the text.
fn unwritten(error: &prometheus::Error) -> Reply {
    let reason = Reason::new("the metrics could not be written").detail(ErrorCode::ServerError);
    let reply = Reply::error(StatusCode::INTERNAL_SERVER_ERROR, reason);
    reply.with_cause(Some(error.to_string()))
}

/// Checks the caller's right to read the metrics.
fn check(
    connect: &Connect,
    readers: Readers,
    from: &MetricsOrigin,
    address: IpAddr,
    headers: &HeaderMap,
) -> Result<(), Box<Reply>> {
    match readers {
        Readers::Local if Readers::is_local(from.peer.as_ref(), from.host.as_ref(), headers) => {
            Ok(())
        }
        Readers::Local | Readers::Nobody => {
            let problem = "the metrics are for this machine alone, and this request came from \
                           elsewhere, through a proxy or for a host name, or may have; ask for an IP \
                           address or localhost, or set CONNECT_METRICS_TOKEN for the server, and send \
                           it as bearer token";
            Err(Box::new(Error::ForbiddenScope(Reason::new(problem)).into()))
        }
        Readers::Holders(wanted) => {
            let token = bearer(headers);
            if token.map(digest) == Ok(wanted) {
                return Ok(());
            }
            // Guesses count against the address's limit for requests without a token.
            connect
                .count_anonymous(address)
                .map_err(|refused| denied(*refused, None, CredentialKind::Token).0)?;
            let wrong = Reason::of("Authorization", "must be the token for the metrics");
            let error = token.err().map_or(Error::Unauthorized(wrong), |unsent| {
                unsent.error("token for the metrics")
            });
            Err(Box::new(error.into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use connect_core::{
        storage::{
            disk::{Health, ScrubCounts},
            memory::MemoryStorage,
        },
        wire::Timestamp,
    };

    use super::*;
    use crate::{
        api::{ConnectApp, ListenerKind, templates::templates},
        net::{App as _, Ended, Limits, Load},
        telemetry::metrics::{Requests, Sources},
    };

    /// An exporter after one request to each of these routes.
    fn exporter(connect: &Connect, routes: &[&'static str]) -> Exporter {
        let requests = Arc::new(Requests::to(templates()));
        let app = ConnectApp::new(connect.clone(), ListenerKind::Api).counted_by(&requests);
        for route in routes {
            app.ended(&Ended {
                method: &Method::GET,
                route: Some(route),
                status: Some(StatusCode::OK),
                took: Duration::ZERO,
            });
        }
        let sources = Sources {
            connect: connect.clone(),
            health: Box::new(|| Health::Working),
            scrub: Box::new(ScrubCounts::default),
            loads: ["api", "owner"].map(|name| (name, Load::new(&Limits::default()))),
            certificate: None,
            folder: None,
            started: Timestamp::EPOCH,
        };
        Exporter::new(requests, sources)
    }

    #[tokio::test]
    async fn the_metrics_are_for_their_readers_alone() {
        let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
        let routes = ["/v1/locations", "/device/v1/orders/{id}", "/readyz", PATH];
        let exporter = exporter(&connect, &routes);
        let holders = Readers::Holders(digest("0123456789abcdef"));
        for (readers, method, client, token, status) in [
            (Readers::Local, "GET", [127, 0, 0, 1], "", 200),
            (Readers::Local, "POST", [127, 0, 0, 1], "", 405),
            (Readers::Local, "GET", [192, 0, 2, 1], "", 403),
            (Readers::Nobody, "GET", [127, 0, 0, 1], "", 403),
            (holders, "GET", [192, 0, 2, 1], "0123456789abcdef", 200),
            (holders, "GET", [192, 0, 2, 1], "0123456789abcdeg", 401),
            (holders, "GET", [192, 0, 2, 1], "", 401),
        ] {
            let peer = Peer {
                address: client.into(),
                tls: false,
            };
            let answer = warp::test::request()
                .method(method)
                .path("/metrics")
                .header("host", "localhost")
                .header("authorization", format!("Bearer {token}"))
                .extension(peer)
                .reply(&metrics(connect.clone(), exporter.clone(), readers))
                .await;
            assert_eq!(answer.status(), status, "{readers:?} {method} {client:?}");
            assert!(answer.extensions().get::<RequestNote>().unwrap().is_probe);
            let text = String::from_utf8_lossy(answer.body());
            for route in routes {
                let counted = text.contains(&format!("route=\"{route}\""));
                assert_eq!(counted, status == 200, "{route}");
            }
        }
    }
}
