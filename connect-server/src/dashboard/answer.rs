//! The answer to a request to the dashboard.

use std::sync::LazyLock;

use bytes::Bytes;
use connect_core::Error;
use http::StatusCode;
use maud::Markup;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::sections::{self, ROOT};
use crate::telemetry::audit::Subject;

/// The style sheet of every page.
const STYLE: &str = include_str!("style.css");

/// The version of the style sheet: the beginning of its hash.
static STYLE_VERSION: LazyLock<String> =
    LazyLock::new(|| hex::encode(&Sha256::digest(STYLE.as_bytes())[..6]));

/// The address of the style sheet, another one for each version.
pub(super) static STYLE_ADDRESS: LazyLock<String> =
    LazyLock::new(|| format!("{}?v={}", sections::STYLE, *STYLE_VERSION));

/// An answer; the server adds the headers common to all answers.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) content: AnswerContent,
    /// Set for a page with the script of passkeys.
    pub(crate) has_script: bool,
    /// The values of `Set-Cookie`.
    pub(crate) cookies: Vec<String>,
    /// The seconds to wait before the next try.
    pub(crate) retry_after: Option<i64>,
    /// The cause of an internal error, for the log.
    pub(crate) cause: Option<String>,
    /// The ID of the created record, for the log.
    pub(crate) made: Option<Uuid>,
    /// The account of the requesting owner, for the log.
    pub(crate) account: Option<Uuid>,
}

/// The content of an answer.
#[derive(Debug)]
pub(crate) enum AnswerContent {
    /// A page.
    Page(Markup),
    /// The style sheet, kept by browsers if the address has its version.
    Style { text: &'static str, is_kept: bool },
    /// The path of the page to go to.
    Redirect(String),
    /// A file to save: its name, its content type and its bytes.
    File(String, &'static str, Bytes),
}

impl Answer {
    /// Shows a page.
    pub(super) fn page(page: Markup) -> Self {
        Self::of(StatusCode::OK, AnswerContent::Page(page))
    }

    /// Redirects to another page, for the browser to load with GET.
    pub(super) fn redirect(path: &str) -> Self {
        Self::of(
            StatusCode::SEE_OTHER,
            AnswerContent::Redirect(path.to_owned()),
        )
    }

    /// Sends a file to save.
    pub(super) fn file(name: String, kind: &'static str, bytes: Bytes) -> Self {
        Self::of(StatusCode::OK, AnswerContent::File(name, kind, bytes))
    }

    /// Redirects to the first page.
    pub(crate) fn to_root() -> Self {
        Self::redirect(ROOT)
    }

    /// Returns the style sheet, asked for by this version.
    pub(super) fn style(version: &str) -> Self {
        let content = AnswerContent::Style {
            text: STYLE,
            is_kept: version == *STYLE_VERSION,
        };
        Self::of(StatusCode::OK, content)
    }

    /// The same answer with another status.
    #[must_use]
    pub(super) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The same with the status and the retry time of an error.
    #[must_use]
    pub(super) fn refused(mut self, error: &Error) -> Self {
        let status = StatusCode::from_u16(error.status());
        self.status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.retry_after = error.problem().retry_after.map(i64::from);
        self
    }

    /// The same page, allowed to run the script of passkeys.
    #[must_use]
    pub(super) fn with_script(mut self) -> Self {
        self.has_script = true;
        self
    }

    /// The same with the ID of the created record.
    #[must_use]
    pub(super) fn made(mut self, subject: Subject) -> Self {
        self.made = subject.object;
        self
    }

    /// Sets a cookie.
    pub(super) fn set_cookie(&mut self, line: String) {
        self.cookies.push(line);
    }

    fn of(status: StatusCode, content: AnswerContent) -> Self {
        Self {
            status,
            content,
            has_script: false,
            cookies: Vec::new(),
            retry_after: None,
            cause: None,
            made: None,
            account: None,
        }
    }
}
