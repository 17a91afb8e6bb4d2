//! An owner at the dashboard of a server: cookies are kept, and forms are sent as browsers send them.

use std::{collections::BTreeMap, net::SocketAddr};

use connect_tests::{
    http::{Answer, Request, send},
    process::Process,
};
use http::{Method, StatusCode};

use super::guarded::assert_guarded;

/// The password of every owner in these tests.
pub(super) const PASSWORD: &str = "rye and spelt";

/// An owner's browser.
#[derive(Clone)]
pub(crate) struct Browser {
    server: SocketAddr,
    cookies: BTreeMap<String, String>,
    /// What it calls itself, if it does.
    agent: Option<String>,
    /// The token of the forms on the page that was opened last.
    csrf: String,
}

impl Browser {
    /// A browser that knows nothing of the server yet.
    pub(crate) fn at(server: &Process) -> Self {
        Self {
            server: server.owner_address,
            cookies: BTreeMap::new(),
            agent: None,
            csrf: String::new(),
        }
    }

    /// The same, which calls itself by this name.
    pub(super) fn named(self, agent: &str) -> Self {
        let agent = Some(agent.to_owned());
        Self { agent, ..self }
    }

    /// The browser of an owner who has accepted the invitation at `link`.
    pub(crate) async fn of_owner(server: &Process, link: &str) -> Self {
        let mut browser = Self::at(server);
        let path = &link[link.find("/dashboard").unwrap()..];
        browser.open(path).await;
        let passwords = [("password", PASSWORD), ("repeated", PASSWORD)];
        let accepted = browser.submit(path, &passwords).await;
        assert_eq!(
            accepted.header("location"),
            Some("/dashboard?done=password-set")
        );
        browser.open("/dashboard").await;
        browser
    }

    /// Opens a page, without going on to another.
    pub(crate) async fn open(&mut self, path: &str) -> Answer {
        let answer = self.send(Request::get(path)).await;
        let text = text(&answer);
        if let Some((_, rest)) = text.split_once("name=\"csrf\" value=\"") {
            rest.split('"').next().unwrap().clone_into(&mut self.csrf);
        }
        answer
    }

    /// Signs in by the form, as far as the password.
    pub(super) async fn sign_in(&mut self, email: &str) -> Answer {
        self.open("/dashboard/sign-in").await;
        let fields = [("email", email), ("password", PASSWORD)];
        self.submit("/dashboard/sign-in", &fields).await
    }

    /// The text of a page that is there.
    pub(crate) async fn read(&mut self, path: &str) -> String {
        let answer = self.open(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        text(&answer)
    }

    /// The text of a page without what differs from reading to reading: the tokens of its forms, and times.
    pub(crate) async fn read_stable(&mut self, path: &str) -> String {
        let page = self.read(path).await;
        let page = without(&page, "name=\"csrf\" value=\"", "\"");
        // A cursor has the time of the first page.
        let page = without(&page, "cursor=", "\"");
        without(&page, "<time", "</time>").replace("Never", "")
    }

    /// Sends a form with the token of the last page.
    pub(crate) async fn submit(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let csrf = self.csrf.clone();
        let fields = [&[("csrf", &*csrf)], fields].concat();
        self.submit_bare(path, &fields).await
    }

    /// Sends a form with these fields alone.
    pub(crate) async fn submit_bare(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.send(form(path, fields)).await
    }

    /// Sends a form in parts with these fields alone, and a file if there is one.
    pub(crate) async fn submit_parts(
        &mut self,
        path: &str,
        fields: &[(&str, &str)],
        file: Option<&[u8]>,
    ) -> Answer {
        let mut body = Vec::new();
        for (name, value) in fields {
            let head = format!("--part\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(value.as_bytes());
            body.extend_from_slice(b"\r\n");
        }
        if let Some(file) = file {
            let head = "--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"menu.csv\"\r\n\
                        Content-Type: text/csv\r\n\r\n";
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(file);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"--part--\r\n");
        let request = Request::new(Method::POST, path)
            .header("content-type", "multipart/form-data; boundary=part")
            .body(body);
        self.send(request).await
    }

    /// A request to send a form with the token of the last page, with the cookies.
    pub(crate) fn submission(&self, path: &str) -> Request {
        self.with_cookies(form(path, &[("csrf", self.csrf())]))
    }

    fn with_cookies(&self, request: Request) -> Request {
        let request = match &self.agent {
            Some(agent) => request.header("user-agent", agent),
            None => request,
        };
        let cookies = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let cookies: Vec<_> = cookies.collect();
        match cookies.is_empty() {
            true => request,
            false => request.header("cookie", cookies.join("; ")),
        }
    }

    /// Sends a request with the cookies.
    pub(crate) async fn send(&mut self, request: Request) -> Answer {
        let request = self.with_cookies(request);
        let answer = send(self.server, request).await.unwrap();
        let target = &answer.request.target;
        if target == "/" || target.starts_with("/dashboard") {
            assert_guarded(&answer);
        }
        for line in answer.headers.get_all("set-cookie") {
            let pair = line.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        answer
    }

    /// The token of the forms on the page that was opened last.
    pub(crate) fn csrf(&self) -> &str {
        &self.csrf
    }

    /// The value of a cookie.
    pub(crate) fn cookie(&self, name: &str) -> &str {
        self.cookies.get(name).map_or("", |value| value)
    }

    /// Sets a cookie, as somebody might who prepares the browser of another.
    pub(crate) fn set_cookie(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }
}

/// A request to send a form.
pub(super) fn form(path: &str, fields: &[(&str, &str)]) -> Request {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields);
    Request::new(Method::POST, path)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form.finish())
}

/// A text without what lies between two others.
fn without(text: &str, before: &str, after: &str) -> String {
    let mut parts = text.split(before);
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        left.push_str(part.split_once(after).map_or(part, |(_, rest)| rest));
    }
    left
}

/// The body of an answer as text.
pub(crate) fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.to_vec()).unwrap()
}
