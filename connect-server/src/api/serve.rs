//! The API and the device API: the way of a request to its response.

use std::net::IpAddr;

use bytes::Bytes;
use connect_core::{Author, Connect, RateStatus};
use futures_util::future;
use http::Method;
use warp::{Filter, Rejection, path::FullPath, reject, reply::Response};

use super::{
    caller::{CredentialKind, denied},
    document::{Form, ServedDocument},
    endpoint::Reply,
    gate,
    incoming::{Incoming, IncomingBody, ResponseContext, finish, incoming},
    routes::{
        self, DEVICE_DOCS_PATH, DEVICE_OPENAPI, DEVICE_OPENAPI_PATH, DOCS_PATH, OPENAPI,
        OPENAPI_PATH, Table,
    },
};
use crate::{
    net::{RequestNote, headers},
    telemetry::audit::ActionOrigin,
    workers::images::PublicUrl,
};

/// The API of the specification, below `/v1`.
/// It includes tokens, limits, errors, the OpenAPI document at `/v1/openapi.json` and the reference for
/// people at `/v1/docs`. The filter rejects every other path, so routes of your own can follow.
///
/// Callers without a valid token are limited by their address, from [`warp::filters::addr::remote`]. Behind a
/// proxy, put a [`Peer`](crate::net::Peer) into the extensions of each request.
///
/// ```
/// use std::sync::Arc;
/// use connect_core::Connect;
/// use connect_core::storage::memory::MemoryStorage;
/// use warp::Filter;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let storage = Arc::new(MemoryStorage::new());
/// let connect = Connect::builder(storage).build();
/// let own = warp::path("menu").map(|| "Soup, bread, herring");
/// let site = connect_server::api(connect).or(own);
///
/// let menu = warp::test::request().path("/menu").reply(&site).await;
/// assert_eq!(menu.status(), 200);
/// let refused = warp::test::request().path("/v1/locations").reply(&site).await;
/// assert_eq!(refused.status(), 401);
/// # }
/// ```
pub fn api(
    connect: Connect,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    filter(ServedApi::of_tokens(connect))
}

/// [`api`] with its public address, before `/v1`, in the OpenAPI document.
pub fn api_at(
    connect: Connect,
    public: &PublicUrl,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    filter(ServedApi::of_tokens(connect).at(public))
}

/// The device API, below `/device/v1`.
/// Registers, kiosks and Scan & Order write here, each with the key of its screen as bearer token. The
/// OpenAPI document is at `/device/v1/openapi.json`, the reference for people at `/device/v1/docs`. The
/// filter rejects every other path, so routes of your own can follow.
///
/// Serve it on the shop's own network only. A screen has the same rate limit as a token.
pub fn device_api(
    connect: Connect,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    filter(ServedApi::of_screens(connect))
}

/// An API as a filter.
/// It rejects paths outside the API.
fn filter(
    api: ServedApi,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    let has_path = {
        let api = api.clone();
        move |path: FullPath| {
            future::ready(
                api.has_path(path.as_str())
                    .then_some(())
                    .ok_or_else(reject::not_found),
            )
        }
    };
    warp::path::full()
        .and_then(has_path)
        .untuple_one()
        .and(incoming())
        .then(move |address, incoming| {
            let api = api.clone();
            async move {
                let response = api.answer_alone(address, incoming).await;
                response.map(Into::into)
            }
        })
}

/// An API: its routes, its document, and its callers.
#[derive(Clone)]
pub(super) struct ServedApi {
    connect: Connect,
    /// The beginning of its paths, without a slash at the end.
    prefix: &'static str,
    table: &'static Table,
    callers: CredentialKind,
    document: ServedDocument,
    /// The paths of the document, as JSON and as a page.
    document_paths: [&'static str; 2],
}

impl ServedApi {
    /// The API for holders of tokens.
    pub(super) fn of_tokens(connect: Connect) -> Self {
        Self {
            connect,
            prefix: "/v1",
            table: &routes::API,
            callers: CredentialKind::Token,
            document: ServedDocument::new(OPENAPI),
            document_paths: [OPENAPI_PATH, DOCS_PATH],
        }
    }

    /// Puts the public address of the API for tokens into its document.
    pub(super) fn at(self, public: &PublicUrl) -> Self {
        Self {
            document: ServedDocument::at(public, OPENAPI),
            ..self
        }
    }

    /// The API for screens.
    pub(super) fn of_screens(connect: Connect) -> Self {
        Self {
            connect,
            prefix: "/device/v1",
            table: &routes::DEVICE,
            callers: CredentialKind::ScreenKey,
            document: ServedDocument::new(DEVICE_OPENAPI),
            document_paths: [DEVICE_OPENAPI_PATH, DEVICE_DOCS_PATH],
        }
    }

    /// Returns whether it answers a path, if need be with 404.
    pub(super) fn has_path(&self, path: &str) -> bool {
        let rest = path.strip_prefix(self.prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Answers a request in a server other than ours.
    /// A request without a usable id gets one. The id and the note are on the response.
    pub(super) async fn answer_alone(
        &self,
        address: IpAddr,
        mut incoming: Incoming<impl IncomingBody>,
    ) -> http::Response<Bytes> {
        let id = headers::ensure_request_id(&mut incoming.headers);
        let (mut response, note) = self.answer(address, incoming).await;
        response.headers_mut().insert(headers::REQUEST_ID, id);
        response.extensions_mut().insert(note);
        response
    }

    /// Answers a request, and returns the note for its log.
    /// The server around it gives the request its id, and puts it on the response.
    pub(super) async fn answer(
        &self,
        address: IpAddr,
        incoming: Incoming<impl IncomingBody>,
    ) -> (http::Response<Bytes>, RequestNote) {
        let asked = ResponseContext::of(&incoming);
        let mut note = RequestNote::default();
        let path = incoming.path();
        let [json, page] = self.document_paths;
        let form = match path {
            _ if path == json => Some((json, Form::Json)),
            _ if path == page => Some((page, Form::Page)),
            _ => None,
        };
        let (reply, rate) = if let Some((path, form)) = form {
            note.route = Some(path);
            let counted = match self.callers {
                CredentialKind::Token => self.connect.count_anonymous(address).map(Some),
                // Screens are on the shop's own network.
                CredentialKind::ScreenKey => Ok(None),
            };
            match counted {
                Ok(rate) => {
                    let (method, query) = (&asked.method, incoming.query());
                    let reply = self.document.answer(form, method, query, asked.accepted);
                    (reply.await, rate)
                }
                Err(refused) => {
                    let (reply, rate) = denied(*refused, None, self.callers);
                    (reply, Some(rate))
                }
            }
        } else {
            self.call(address, incoming, &mut note).await
        };
        note.refusal = note.token.and_then(|_| reply.refusal());
        (finish(reply, &asked, rate).await, note)
    }

    /// Authenticates the caller, and calls the route of the path.
    async fn call(
        &self,
        address: IpAddr,
        incoming: Incoming<impl IncomingBody>,
        note: &mut RequestNote,
    ) -> (Reply, Option<RateStatus>) {
        // Only the log shows the route: callers without a token must not learn of it.
        let found = gate::find(self.table, &incoming);
        note.route = found.template();
        let admitted = self
            .callers
            .authenticate(&self.connect, address, &incoming.headers, note);
        let caller = match admitted.await {
            Ok(caller) => caller,
            Err((reply, rate)) => return (reply, Some(rate)),
        };
        let rate = caller.rate();
        caller.note(note);
        let connect = match incoming.method {
            Method::GET | Method::HEAD => self.connect.clone(),
            // The token or the screen is known by its access.
            _ => {
                let asked = ActionOrigin::Request {
                    client: address,
                    headers: &incoming.headers,
                };
                self.connect.by(Author::Service, asked.origin())
            }
        };
        let passed = gate::pass(&connect, caller, self.table, found, incoming).await;
        let reply = match passed {
            Ok((call, route)) => route.answer(call).await.unwrap_or_else(Reply::from),
            Err(reply) => reply,
        };
        (reply, rate)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use connect_core::storage::memory::MemoryStorage;

    use super::*;

    #[test]
    fn an_api_has_the_paths_below_its_own() {
        let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
        let apis = [
            ServedApi::of_tokens(connect.clone()),
            ServedApi::of_screens(connect),
        ];
        for (path, expected) in [
            ("/v1", [true, false]),
            ("/v1/", [true, false]),
            ("/v1/nothing", [true, false]),
            ("/device/v1", [false, true]),
            ("/device/v1/orders", [false, true]),
            ("/device//v1", [false, false]),
            ("//v1", [false, false]),
            ("/v1x", [false, false]),
            ("/v1%2Fproducts", [false, false]),
            ("/V1", [false, false]),
            ("v1", [false, false]),
            ("*", [false, false]),
            ("", [false, false]),
        ] {
            let found = apis.each_ref().map(|api| api.has_path(path));
            assert_eq!(found, expected, "{path}");
        }
    }
}
