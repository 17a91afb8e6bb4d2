//! The dashboard as one warp filter.

use std::{net::IpAddr, sync::LazyLock};

use bytes::Bytes;
use connect_core::Connect;
use http::{
    HeaderValue, Method, StatusCode,
    header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION, SET_COOKIE},
    uri::Authority,
};
use warp::{Filter as _, filters::BoxedFilter, reply::Response};

use super::{
    endpoint::Reply,
    form_body,
    incoming::{Incoming, IncomingBody, ResponseContext, incoming, respond},
};
use crate::{
    dashboard::{
        self, Answer, AnswerContent, DashboardContext, FormFields, PageRequest, SCRIPT_HASH, area,
    },
    net::{Peer, RequestNote},
};

/// The Content-Security-Policy of pages: same origin only, no scripts, no frames.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// The same for a page of passkeys, with its one script.
static SCRIPT_POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = HeaderValue::try_from(format!("{POLICY}; script-src {}", *SCRIPT_HASH));
    // A hash in base64 has the characters of a header.
    policy.unwrap_or(HeaderValue::from_static(POLICY))
});

/// The time to keep a file whose address changes with its content.
const A_YEAR: &str = "private, max-age=31536000, immutable";

/// Answers all paths below `/dashboard`, and redirects `/` there.
/// Rejects every other path.
pub(super) fn dashboard(connect: Connect, context: DashboardContext) -> BoxedFilter<(Response,)> {
    let root = warp::path::end().or(warp::path!("dashboard" / ..)).unify();
    let host = warp::host::optional().or(warp::any().map(|| None)).unify();
    root.and(warp::ext::optional::<Peer>())
        .and(host)
        .and(incoming())
        .then(
            move |peer: Option<Peer>, host: Option<Authority>, address, incoming| {
                let origin = Origin {
                    address,
                    tls: peer.is_some_and(|peer| peer.tls),
                    host: host.map(|host| host.to_string()).unwrap_or_default(),
                };
                answer(connect.clone(), context.clone(), origin, incoming)
            },
        )
        .boxed()
}

/// The connection of a request.
struct Origin {
    address: IpAddr,
    tls: bool,
    /// The host in the request.
    host: String,
}

async fn answer(
    connect: Connect,
    context: DashboardContext,
    origin: Origin,
    incoming: Incoming<impl IncomingBody>,
) -> Response {
    let asked = ResponseContext::of(&incoming);
    let language = dashboard::language_of_browser(&incoming.headers);
    let mut note = RequestNote::of(Some(area(incoming.path())));
    let reply = match request(connect, context, origin, incoming).await {
        Ok(request) if request.path == "/" => reply(Answer::to_root()),
        Ok(request) => {
            let answer = dashboard::answer(request).await;
            if let Some(account) = answer.account {
                note.set_caller(|| format!("user of {account}"));
            }
            reply(answer)
        }
        Err(refused) => {
            let page = |problem: &str| {
                let page = dashboard::problem_of_request(language, problem);
                page.into_string()
            };
            refused.for_people(HeaderValue::from_static(POLICY), page)
        }
    };
    respond(reply, asked, None, note).await
}

/// Reads a request.
async fn request<S: IncomingBody>(
    connect: Connect,
    context: DashboardContext,
    origin: Origin,
    incoming: Incoming<S>,
) -> Result<PageRequest, Reply> {
    let form = match incoming.method {
        Method::GET | Method::HEAD => Some(FormFields::default()),
        Method::POST => {
            let has_file = dashboard::may_have_file(incoming.target.path());
            form_body::read(&incoming.headers, incoming.body, incoming.held, has_file).await?
        }
        other => {
            let allowed = [Method::GET, Method::HEAD, Method::POST];
            return Err(Reply::method_not_allowed(&other, &allowed));
        }
    };
    let has_too_large_file = form.is_none();
    let method = match incoming.method {
        // HEAD is answered like GET; the body is removed later.
        Method::HEAD => Method::GET,
        // Nothing was read of this form, so nothing is done: its page says why.
        Method::POST if has_too_large_file => Method::GET,
        method => method,
    };
    Ok(PageRequest {
        connect,
        context,
        method,
        path: incoming.target.path().to_owned(),
        query: FormFields::parse(incoming.target.query().unwrap_or_default().as_bytes()),
        form: form.unwrap_or_default(),
        has_too_large_file,
        headers: incoming.headers,
        host: origin.host,
        address: origin.address,
        tls: origin.tls,
    })
}

fn reply(answer: Answer) -> Reply {
    let policy = match answer.has_script {
        true => SCRIPT_POLICY.clone(),
        false => HeaderValue::from_static(POLICY),
    };
    let mut reply = match answer.content {
        AnswerContent::Page(page) => Reply::page(page.into_string().into(), policy),
        AnswerContent::Style { text, is_kept } => {
            let css = HeaderValue::from_static("text/css; charset=utf-8");
            let style = Bytes::from_static(text.as_bytes());
            let style = Reply::page(style, policy).with_header(CONTENT_TYPE, css);
            match is_kept {
                true => style.with_header(CACHE_CONTROL, HeaderValue::from_static(A_YEAR)),
                false => style,
            }
        }
        AnswerContent::File(name, kind, bytes) => {
            let kind = HeaderValue::from_static(kind);
            let file = Reply::page(bytes, policy).with_header(CONTENT_TYPE, kind);
            // Names are ours, and have no control characters.
            match HeaderValue::try_from(format!("attachment; filename=\"{name}\"")) {
                Ok(name) => file.with_header(CONTENT_DISPOSITION, name),
                Err(_) => file,
            }
        }
        AnswerContent::Redirect(path) => {
            let page = Reply::page(Bytes::new(), policy);
            match HeaderValue::try_from(path) {
                Ok(path) => page.with_header(LOCATION, path),
                // Paths are ours, and have no control characters.
                Err(_) => page.with_status(StatusCode::INTERNAL_SERVER_ERROR),
            }
        }
    };
    for cookie in answer.cookies {
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            reply = reply.with_header(SET_COOKIE, cookie);
        }
    }
    let reply = reply.retry_after(answer.retry_after);
    reply.with_status(answer.status).with_cause(answer.cause)
}
