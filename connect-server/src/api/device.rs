//! The device API as one warp filter.

use std::net::IpAddr;

use connect_core::{Actor, Connect};
use warp::{Filter, Rejection, reply::Response};

use super::{
    document::{Form, ServedDocument},
    endpoint::Reply,
    gate,
    incoming::{Incoming, IncomingBody, ResponseContext, incoming, respond},
    routes::{self, DEVICE_DOCS_PATH, DEVICE_OPENAPI, DEVICE_OPENAPI_PATH},
};
use crate::net::RequestNote;

/// The device API, below `/device/v1`.
/// Registers, kiosks and Scan & Order write here, each with the key of its screen as bearer token. The
/// OpenAPI document is at `/device/v1/openapi.json`, the reference for people at `/device/v1/docs`. The
/// filter rejects every other path, so routes of your own can follow.
///
/// Serve it on the shop's own network only. A screen has the same rate limit as a token.
pub fn device_api(
    connect: Connect,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    let document = ServedDocument::new(DEVICE_OPENAPI);
    warp::path!("device" / "v1" / ..)
        .and(incoming())
        .then(move |address, incoming| answer(connect.clone(), document.clone(), address, incoming))
}

async fn answer(
    connect: Connect,
    document: ServedDocument,
    address: IpAddr,
    mut incoming: Incoming<impl IncomingBody>,
) -> Response {
    let asked = ResponseContext::of(&mut incoming);
    let form = match incoming.path.as_str() {
        DEVICE_OPENAPI_PATH => Some((DEVICE_OPENAPI_PATH, Form::Json)),
        DEVICE_DOCS_PATH => Some((DEVICE_DOCS_PATH, Form::Page)),
        _ => None,
    };
    if let Some((path, form)) = form {
        let (method, query) = (&asked.method, &incoming.query);
        let reply = document.answer(form, method, query, asked.accepted).await;
        return respond(reply, asked, None, RequestNote::of(Some(path))).await;
    }
    let found = gate::find(&routes::DEVICE, &incoming);
    let mut note = RequestNote::of(found.template());
    let key = gate::bearer(&incoming.headers);
    let unsent = key.err();
    let (reply, rate) = match connect.authenticate_screen(address, key.ok()).await {
        Ok(access) => {
            note.set_caller(|| match access.actor() {
                Actor::Screen { name, .. } => format!("screen {name}"),
                other => other.id().to_string(),
            });
            let rate = access.rate();
            let reply = match gate::pass_screen(&connect, access, found, incoming).await {
                Ok((passed, route)) => route.answer(passed).await.unwrap_or_else(Reply::from),
                Err(reply) => reply,
            };
            (reply, rate)
        }
        Err(denied) => {
            let rate = denied.rate;
            (gate::denied(denied, unsent, "screen's key"), Some(rate))
        }
    };
    respond(reply, asked, rate, note).await
}
