//! The part of a request's log line from the app.

use bytes::Bytes;
use uuid::Uuid;

/// The target of the log lines of requests, to leave them out with `RUST_LOG`.
pub const REQUESTS: &str = "connect_server::requests";

/// The facts about a request known only to the app.
/// A filter or a service of another server finds it in the extensions of the response.
#[derive(Clone, Debug, Default)]
pub struct RequestNote {
    /// The template of the path, such as `/v1/locations/{location}/products`.
    pub route: Option<&'static str>,
    /// The caller, by a name without secrets.
    pub caller: Option<String>,
    /// The ids of the caller's account and token. They are not logged.
    pub token: Option<(Uuid, Uuid)>,
    /// The body of an answer with errors, if the caller has a token. It is not logged.
    pub refusal: Option<Bytes>,
    /// Set for requests repeated every few seconds.
    /// They are logged at debug level, unless they fail.
    pub is_probe: bool,
}

impl RequestNote {
    /// Makes the note of a request to a path of this template.
    pub fn of(route: Option<&'static str>) -> Self {
        Self {
            route,
            ..Self::default()
        }
    }

    /// Names the caller, unless these lines are switched off.
    pub fn set_caller(&mut self, name: impl FnOnce() -> String) {
        if tracing::enabled!(target: REQUESTS, tracing::Level::INFO) {
            self.caller = Some(name());
        }
    }
}
