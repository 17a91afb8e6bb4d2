//! The app of each listener, behind the network layer: its API, and filters for the rest.

use std::sync::Arc;

use bytes::Bytes;
use connect_core::{Connect, Reason, storage::disk::Health, wire::ErrorCode};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use tower_service::Service as _;
use warp::{Filter as _, filters::BoxedFilter};

use super::{
    backup::backup, commands::commands, dashboard::dashboard, endpoint::Reply, images,
    incoming::Incoming, metrics::metrics, request_summary::RequestSummary, routes,
    sandbox::sandbox, serve::ServedApi, templates,
};
use crate::{
    cli::{admin::AdminCredentials, backup::Backups},
    dashboard::{DashboardContext, IdempotentForms},
    net::{App, Body, Ended, NetFailure, Peer, RequestNote},
    sandbox::{Sandbox, SandboxClock},
    telemetry::metrics::{Exporter, Readers, Requests},
    workers::{
        images::{Copies, PublicUrl},
        providers::ProviderClient,
    },
};

/// The listeners of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenerKind {
    /// The API for integrators.
    Api,
    /// The dashboard and the device API, by default on loopback.
    Owner,
    /// The operator's commands, if the owner's listener is reachable from elsewhere.
    Operator,
}

impl ListenerKind {
    /// Returns a hint for a path unknown to the listener.
    fn hint(self) -> &'static str {
        match self {
            Self::Api => "the API is below /v1; see /v1/openapi.json",
            Self::Owner => {
                "this address has the dashboard, at /dashboard, and registers and kiosks, below \
                 /device/v1 (see /device/v1/openapi.json); the API is at another address"
            }
            Self::Operator => "this address takes the commands of connect-server on this machine",
        }
    }
}

/// Connect as an [`App`].
pub struct ConnectApp {
    connect: Connect,
    /// The API of the listener.
    /// It is found by its prefix and answers without warp, which copies the headers of each request.
    api: Option<ServedApi>,
    /// All else.
    filter: BoxedFilter<(warp::reply::Response,)>,
    /// Set if the last requests of tokens are kept.
    keeps_requests: bool,
    /// The counter of requests; `None` counts none.
    requests: Option<Arc<Requests>>,
}

impl ConnectApp {
    /// The app of one listener. Its store always counts as healthy.
    pub fn new(connect: Connect, listener_kind: ListenerKind) -> Self {
        Self::with_health(connect, listener_kind, || Health::Working)
    }

    /// The same with a health check of the store, for the probes.
    pub fn with_health(
        connect: Connect,
        listener_kind: ListenerKind,
        health: impl Fn() -> Health + Send + Sync + 'static,
    ) -> Self {
        let api = match listener_kind {
            ListenerKind::Api => Some(ServedApi::of_tokens(connect.clone())),
            ListenerKind::Owner => Some(ServedApi::of_screens(connect.clone())),
            ListenerKind::Operator => None,
        };
        Self {
            filter: routes::open_filters(connect.clone(), Arc::new(health), listener_kind.hint()),
            connect,
            api,
            keeps_requests: false,
            requests: None,
        }
    }

    /// Also executes the operator's commands, for callers with the credentials.
    /// `owner_url` is the dashboard's address for owners, without a path.
    #[must_use]
    pub fn with_commands(mut self, credentials: &AdminCredentials, owner_url: &str) -> Self {
        let commands = commands(self.connect.clone(), credentials, owner_url);
        self.filter = commands.or(self.filter).unify().boxed();
        self
    }

    /// Also serves the pieces of a backup, to callers with the credentials.
    #[must_use]
    pub(crate) fn with_backups(
        mut self,
        backups: &Backups,
        credentials: &AdminCredentials,
    ) -> Self {
        let backup = backup(self.connect.clone(), backups.clone(), credentials);
        self.filter = backup.or(self.filter).unify().boxed();
        self
    }

    /// Keeps the last requests of each token in the core, to be stored with others.
    #[must_use]
    pub(crate) fn with_kept_requests(mut self) -> Self {
        self.keeps_requests = true;
        self
    }

    /// Counts its requests in `requests`.
    #[must_use]
    pub(crate) fn counted_by(mut self, requests: &Arc<Requests>) -> Self {
        self.requests = Some(requests.clone());
        self
    }

    /// Counts its requests as the program does, for the benchmarks.
    /// The counts are never read.
    #[doc(hidden)]
    #[must_use]
    pub fn counted(self) -> Self {
        self.counted_by(&Arc::new(Requests::to(templates())))
    }

    /// The same, and keeps the last requests of each token.
    #[doc(hidden)]
    #[must_use]
    pub fn observed(self) -> Self {
        self.counted().with_kept_requests()
    }

    /// Also serves the metrics to permitted readers.
    #[must_use]
    pub(crate) fn with_metrics(mut self, exporter: Exporter, readers: Readers) -> Self {
        let metrics = metrics(self.connect.clone(), exporter, readers);
        self.filter = metrics.or(self.filter).unify().boxed();
        self
    }

    /// Also serves the owner's dashboard.
    /// `api_url` is the address of the API, with `/v1`; `owner_url` is the dashboard's, without a path. With a
    /// `clock`, in the demo alone, it simulates shops in sandbox accounts and can put the clock ahead. With
    /// `providers`, users sign in through them.
    #[must_use]
    pub(crate) fn with_dashboard(
        mut self,
        api_url: &str,
        owner_url: &str,
        clock: Option<Arc<SandboxClock>>,
        providers: Option<ProviderClient>,
    ) -> Self {
        let simulated = clock.map(|clock| Sandbox::new(self.connect.clone(), clock));
        if let Some(simulated) = &simulated {
            let endpoints = sandbox(self.connect.clone(), simulated.clone());
            self.filter = endpoints.or(self.filter).unify().boxed();
        }
        let context = DashboardContext {
            api_url: api_url.into(),
            owner_url: owner_url.into(),
            sandbox: simulated,
            providers,
            used: IdempotentForms::default(),
        };
        let dashboard = dashboard(self.connect.clone(), context);
        self.filter = dashboard.or(self.filter).unify().boxed();
        self
    }

    /// Puts the public address of the API into its OpenAPI document.
    /// For the listener of the API.
    #[must_use]
    pub fn with_public_url(mut self, public: &PublicUrl) -> Self {
        self.api = self.api.map(|api| api.at(public));
        self
    }

    /// Also serves the stored copies of images.
    #[must_use]
    pub fn with_images(mut self, copies: Copies) -> Self {
        self.filter = images::filter(copies).or(self.filter).unify().boxed();
        self
    }

    /// Answers a request by the filters.
    async fn filtered(
        &self,
        mut request: Request<Body>,
        peer: Peer,
    ) -> (Response<Bytes>, RequestNote) {
        request.extensions_mut().insert(peer);
        let Ok(response) = warp::service(self.filter.clone()).call(request).await;
        let (mut head, body) = response.into_parts();
        let note = head.extensions.remove().unwrap_or_default();
        // The body is in memory already: this waits for nothing, and copies nothing.
        let body = body.collect().await.map(|body| body.to_bytes());
        (Response::from_parts(head, body.unwrap_or_default()), note)
    }
}

impl App for ConnectApp {
    async fn call(&self, request: Request<Body>, peer: Peer) -> (Response<Bytes>, RequestNote) {
        let kept = self.keeps_requests;
        let kept = kept.then(|| RequestSummary::of(&request, peer.address));
        let api = self.api.as_ref();
        let (response, note) = match api.filter(|api| api.has_path(request.uri().path())) {
            Some(api) => api.answer(peer.address, Incoming::of(request)).await,
            None => self.filtered(request, peer).await,
        };
        if let Some(request) = kept
            && let Some((account, token)) = note.token
        {
            let (now, refusal) = (self.connect.now(), note.refusal.as_ref());
            let answered = request.answered(now, token, response.status(), refusal);
            self.connect.note_request(account.into(), answered);
        }
        (response, note)
    }

    fn failure(&self, failure: NetFailure, peer: &Peer) -> Response<Bytes> {
        let code = match failure {
            NetFailure::Panicked => ErrorCode::ServerError,
            _ => ErrorCode::ValidationFailed,
        };
        let reason = Reason::of("request", failure.message()).detail(code);
        Reply::error(failure.status(), reason)
            .into_response(self.connect.anonymous_rate(peer.address))
    }

    fn ended(&self, request: &Ended<'_>) {
        if let Some(requests) = &self.requests {
            requests.count(request);
        }
    }
}

#[cfg(test)]
mod tests {
    use connect_core::storage::memory::MemoryStorage;

    use super::*;

    #[tokio::test]
    async fn every_listener_has_probes_and_a_hint_for_other_paths() {
        let builder = || Connect::builder(Arc::new(MemoryStorage::new()));
        let connect = builder().build();
        let copy = builder().hold_deliveries().build();
        for (connect, kind, ready, hint) in [
            (
                &connect,
                ListenerKind::Api,
                "{\"status\":\"ready\"}",
                "/v1/openapi.json",
            ),
            (
                &copy,
                ListenerKind::Owner,
                "\"deliveries\":\"off\"",
                "at /dashboard",
            ),
            (
                &copy,
                ListenerKind::Operator,
                "\"deliveries\":\"off\"",
                "takes the commands",
            ),
        ] {
            let app = ConnectApp::new(connect.clone(), kind);
            for (method, path, status, told) in [
                ("GET", "/nothing", 404, hint),
                ("GET", "/readyz", 200, ready),
                ("POST", "/readyz", 405, "allowed: GET, HEAD"),
            ] {
                let request = warp::test::request().method(method).path(path);
                let answer = request.reply(&app.filter).await;
                let text = String::from_utf8_lossy(answer.body());
                assert_eq!(answer.status(), status, "{method} {path}");
                assert!(text.contains(told), "{text}");
                let note = answer.extensions().get::<RequestNote>().unwrap();
                assert_eq!(note.is_probe, path == "/readyz");
            }
        }
    }

    #[test]
    fn what_goes_wrong_in_the_server_is_not_put_down_to_the_request() {
        let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
        let app = ConnectApp::new(connect, ListenerKind::Api);
        let peer = Peer {
            address: [127, 0, 0, 1].into(),
            tls: false,
        };
        for (failure, code) in [
            (NetFailure::Panicked, "\"server_error\""),
            (NetFailure::Malformed, "\"validation_failed\""),
        ] {
            let answer = app.failure(failure, &peer).into_body();
            assert!(
                String::from_utf8_lossy(&answer).contains(code),
                "{answer:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_form_has_128_kib_at_most() {
        let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
        let app = ConnectApp::new(connect, ListenerKind::Owner);
        let app = app.with_dashboard("", "", None, None);
        for (bytes, status) in [(128 * 1024, 403), (128 * 1024 + 1, 413)] {
            let answer = warp::test::request()
                .method("POST")
                .path("/dashboard/sign-in")
                .header("content-type", "application/x-www-form-urlencoded")
                .body("x".repeat(bytes))
                .reply(&app.filter)
                .await;
            assert_eq!(answer.status(), status, "{bytes}");
        }
    }
}
