//! Endpoints without authentication: the OpenAPI documents and the probes.
//!
//! `/healthz` fails when a restart may help, `/readyz` whenever requests would fail. A failing probe gives
//! its reason in one word, `reason`. Probes count as requests without a token, but are never refused. Beyond
//! the limit, `/readyz` answers without asking the store.

use std::sync::Arc;

use connect_core::{Connect, RateStatus, storage::disk::Health};
use http::{Method, StatusCode};
use warp::{Filter as _, filters::BoxedFilter, path::FullPath};

use crate::{
    api::endpoint::{Reply, add_rate},
    net::{Peer, RequestNote},
};

/// The path of the OpenAPI document.
pub(crate) const OPENAPI_PATH: &str = "/v1/openapi.json";

/// The path of the API reference.
pub(crate) const DOCS_PATH: &str = "/v1/docs";

/// The OpenAPI document.
pub(crate) const OPENAPI: &str = include_str!("../../../openapi/openapi.json");

/// The path of the OpenAPI document of the device API.
pub(crate) const DEVICE_OPENAPI_PATH: &str = "/device/v1/openapi.json";

/// The path of the reference of the device API.
pub(crate) const DEVICE_DOCS_PATH: &str = "/device/v1/docs";

/// The OpenAPI document of the device API.
pub(crate) const DEVICE_OPENAPI: &str = include_str!("../../../openapi/device.json");

/// The paths of the probes.
pub(crate) const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Returns the health of the store.
pub(crate) type Probe = Arc<dyn Fn() -> Health + Send + Sync>;

/// Answers every request, if need be with 404 or 405.
/// `hint` names the paths of the listener.
pub(crate) fn filters(
    connect: Connect,
    health: Probe,
    hint: &'static str,
) -> BoxedFilter<(warp::reply::Response,)> {
    let answer = move |method: Method, path: FullPath, peer: Option<Peer>| {
        let (connect, health) = (connect.clone(), health.clone());
        async move {
            let probe = PROBES.iter().find(|probe| **probe == path.as_str());
            let note = RequestNote {
                is_probe: probe.is_some(),
                ..RequestNote::of(probe.copied())
            };
            // Without a socket, as in a test, requests are not counted.
            let counted = peer.map(|peer| connect.count_anonymous(peer.address));
            let (rate, denied) = match counted {
                Some(Ok(rate)) => (Some(rate), None),
                Some(Err(denied)) => (Some(denied.rate), Some(denied)),
                None => (None, None),
            };
            let is_read = matches!(method, Method::GET | Method::HEAD);
            let reply = match (path.as_str(), denied) {
                // Clients behind a load balancer's address must not make it drop this server.
                ("/healthz", _) if is_read => alive(&health()),
                ("/readyz", denied) if is_read => {
                    ready(&connect, &health(), denied.is_none()).await
                }
                (_, Some(denied)) => Reply::from(denied.error).retry_after(denied.retry_after),
                _ if probe.is_some() => {
                    Reply::method_not_allowed(&method, &[Method::GET, Method::HEAD])
                }
                (path, None) => Reply::no_route(path, hint),
            };
            dressed(reply, rate, note)
        }
    };
    warp::method()
        .and(warp::path::full())
        .and(warp::ext::optional::<Peer>())
        .then(answer)
        .boxed()
}

/// The response, with rate limit headers and a note for the log.
fn dressed(reply: Reply, rate: Option<RateStatus>, note: RequestNote) -> warp::reply::Response {
    let mut response = warp::Reply::into_response(reply);
    response.extensions_mut().insert(note);
    add_rate(response.headers_mut(), rate);
    response
}

/// The answer to `/healthz`.
fn alive(health: &Health) -> Reply {
    match health {
        Health::Failed { .. } => failing("failed", "store"),
        // A restart makes no room and no newer program, and cures no damage.
        Health::Working | Health::Full | Health::Damaged { .. } | Health::Outdated => passing("ok"),
    }
}

/// The answer to `/readyz`.
/// It asks the store unless the rate limit is used up.
async fn ready(connect: &Connect, health: &Health, is_asked: bool) -> Reply {
    let reason = match health {
        Health::Failed { .. } => Some("store"),
        Health::Damaged { .. } => Some("damaged"),
        Health::Full => Some("full"),
        Health::Outdated => Some("version"),
        Health::Working if connect.clock_skew().is_some() => Some("clock"),
        Health::Working if is_asked => asked(connect).await,
        Health::Working => None,
    };
    match reason {
        None if connect.holds_deliveries() => Reply::json(
            StatusCode::OK,
            "{\"status\":\"ready\",\"deliveries\":\"off\"}",
        ),
        None => passing("ready"),
        Some(reason) => failing("unready", reason),
    }
}

/// Has the store read and write. Returns the reason for a failure.
async fn asked(connect: &Connect) -> Option<&'static str> {
    let error = connect.check_ready().await.err()?;
    tracing::warn!(cause = error.cause(), "not ready");
    Some("store")
}

fn passing(status: &str) -> Reply {
    Reply::json(StatusCode::OK, format!("{{\"status\":\"{status}\"}}"))
}

fn failing(status: &str, reason: &str) -> Reply {
    Reply::json(
        StatusCode::SERVICE_UNAVAILABLE,
        format!("{{\"status\":\"{status}\",\"reason\":\"{reason}\"}}"),
    )
}
