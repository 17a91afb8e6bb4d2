//! What every answer of the dashboard has, whatever it is about: `Browser` holds each one to it.

use connect_tests::http::Answer;

/// The policy of a page. With a script, its hash follows.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// The style sheet under the address of its version.
const STYLE: &str = "/dashboard/style.css?v=";

/// Holds that an answer cannot be framed, sniffed, or kept by a cache, and that it runs no script but its own.
#[track_caller]
pub(super) fn assert_guarded(answer: &Answer) {
    let what = answer.summary();
    let header = |name| answer.header(name).unwrap_or_default();
    assert_eq!(header("x-content-type-options"), "nosniff", "{what}");
    assert_eq!(header("referrer-policy"), "no-referrer", "{what}");
    let policy = header("content-security-policy");
    let (policy, script) = policy.split_once("; script-src ").unwrap_or((policy, ""));
    assert_eq!(policy, POLICY, "{what}");
    let is_hash = script.starts_with("'sha256-") && !script.contains(' ');
    assert!(script.is_empty() || is_hash, "{script}: {what}");

    let is_style = answer.request.target.starts_with(STYLE);
    let kept = match is_style {
        true => ["no-store", "private, max-age=31536000, immutable"],
        false => ["no-store"; 2],
    };
    assert!(kept.contains(&header("cache-control")), "{what}");
    for cookie in answer.headers.get_all("set-cookie") {
        let cookie = cookie.to_str().unwrap();
        let is_hidden =
            cookie.contains("; Path=/; ") && cookie.contains("; HttpOnly; SameSite=Lax");
        assert!(is_hidden, "{cookie}: {what}");
    }

    let kind = header("content-type");
    if ["text/html; charset=utf-8", "text/css; charset=utf-8"].contains(&kind) {
        assert_eq!(answer.header("content-disposition"), None, "{what}");
    } else {
        // A file is saved and never shown.
        let disposition = header("content-disposition");
        let is_saved = disposition.starts_with("attachment; filename=\"");
        assert!(is_saved, "{disposition}: {what}");
    }
    if kind.starts_with("text/html") && !answer.body.is_empty() {
        let page = String::from_utf8(answer.body.to_vec()).unwrap();
        let scripts = page.to_lowercase().matches("<script").count();
        assert_eq!(scripts, usize::from(!script.is_empty()), "{what}");
        for forbidden in [
            "<style",
            " style=\"",
            "<iframe",
            "<object",
            "<embed",
            "<base",
        ] {
            assert!(!page.contains(forbidden), "{forbidden}: {what}");
        }
    }
}
