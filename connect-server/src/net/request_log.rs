//! The log of requests, one line each.
//! A client's own text appears only in the request id and, within 16 characters, the method. Paths,
//! queries and headers stay out, as they may hold secrets.

use std::{net::IpAddr, time::Instant};

use http::{HeaderValue, Method, StatusCode};

use super::{
    Ended,
    request_note::{REQUESTS, RequestNote},
};

/// The longest method written whole; longer ones are none of HTTP's.
const LONGEST_METHOD: usize = 16;

/// A pending log line, with a callback for its request's end.
/// Dropped before its end, it logs a client gone away.
pub(super) struct RequestLine<T: Fn(&Ended<'_>)> {
    began: Instant,
    id: HeaderValue,
    method: Method,
    client: IpAddr,
    tell: T,
    is_written: bool,
}

impl<T: Fn(&Ended<'_>)> RequestLine<T> {
    /// Begins the line of a request.
    /// Its end is reported to `tell` as well.
    pub(super) fn begin(id: HeaderValue, method: Method, client: IpAddr, tell: T) -> Self {
        Self {
            began: Instant::now(),
            id,
            method,
            client,
            tell,
            is_written: false,
        }
    }

    /// Writes the line of an answered request.
    pub(super) fn end(mut self, status: StatusCode, note: &RequestNote) {
        self.is_written = true;
        self.write(Some(status), note);
    }

    fn write(&self, status: Option<StatusCode>, note: &RequestNote) {
        let method = self.method.as_str();
        let method = method.get(..LONGEST_METHOD).unwrap_or(method);
        let request_id = self.id.to_str().unwrap_or_default();
        let took = self.began.elapsed();
        (self.tell)(&Ended {
            method: &self.method,
            route: note.route,
            status,
            took,
        });
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let route = note.route.unwrap_or("none");
        let caller = note.caller.as_deref();
        let client = self.client;
        // A failed probe is logged like any request.
        let is_quiet = note.is_probe && status.is_some_and(|status| status.is_success());
        let status = status.map(|status| status.as_u16());
        macro_rules! write {
            ($level:ident, $message:literal) => {
                tracing::$level!(
                    target: REQUESTS, request_id, method, route, status, microseconds, caller,
                    %client, $message
                )
            };
        }
        match status {
            None => write!(info, "the client went away"),
            Some(_) if is_quiet => write!(debug, "request"),
            Some(_) => write!(info, "request"),
        }
    }
}

impl<T: Fn(&Ended<'_>)> Drop for RequestLine<T> {
    fn drop(&mut self) {
        if !self.is_written {
            self.write(None, &RequestNote::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::telemetry::captured_log::CapturedLog;

    const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// The lines written at level info.
    fn logged(write: impl FnOnce()) -> String {
        let log = CapturedLog::default();
        let listening = log.listen();
        write();
        drop(listening);
        log.text()
    }

    fn begin(method: &str) -> RequestLine<impl Fn(&Ended<'_>)> {
        let id = HeaderValue::from_static("r-1");
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        RequestLine::begin(id, method, CLIENT, |_: &Ended<'_>| {})
    }

    #[test]
    fn a_request_has_one_line_however_it_ends() {
        let answered = logged(|| {
            let mut note = RequestNote::of(Some("/v1/locations"));
            note.set_caller(|| "token ck_test_Ab3d Sync".to_owned());
            begin("GET").end(StatusCode::OK, &note);
        });
        assert_eq!(answered.lines().count(), 1, "{answered}");
        for word in [
            "request_id=\"r-1\"",
            "method=\"GET\"",
            "route=\"/v1/locations\"",
            "status=200",
            "caller=\"token ck_test_Ab3d Sync\"",
            "client=127.0.0.1",
        ] {
            assert!(answered.contains(word), "{answered}");
        }
        let left = logged(|| drop(begin("GET")));
        assert_eq!(left.lines().count(), 1, "{left}");
        assert!(left.contains("the client went away") && !left.contains("status"));
    }

    #[test]
    fn the_end_of_a_request_is_told_once_however_it_ends() {
        let told = std::cell::RefCell::new(Vec::new());
        let begin = || {
            let tell = |ended: &Ended<'_>| {
                let status = ended.status.map(|status| status.as_u16());
                told.borrow_mut().push((ended.route, status));
            };
            let id = HeaderValue::from_static("r-1");
            RequestLine::begin(id, Method::GET, CLIENT, tell)
        };
        let note = RequestNote::of(Some("/v1/locations"));
        begin().end(StatusCode::OK, &note);
        drop(begin());
        let ends = [(note.route, Some(200)), (None, None)];
        assert_eq!(*told.borrow(), ends);
    }

    #[test]
    fn a_probe_is_news_when_it_fails() {
        let probe = RequestNote {
            is_probe: true,
            ..RequestNote::of(Some("/readyz"))
        };
        let passed = logged(|| begin("GET").end(StatusCode::OK, &probe));
        assert_eq!(passed, "");
        let failed = logged(|| begin("GET").end(StatusCode::SERVICE_UNAVAILABLE, &probe));
        assert!(failed.contains("status=503"), "{failed}");
    }

    #[test]
    fn a_method_of_a_clients_own_is_cut() {
        let line = logged(|| begin(&"X".repeat(500)).end(StatusCode::OK, &RequestNote::default()));
        assert!(
            line.contains(&format!("method=\"{}\"", "X".repeat(16))),
            "{line}"
        );
        assert!(line.contains("route=\"none\""), "{line}");
    }
}
