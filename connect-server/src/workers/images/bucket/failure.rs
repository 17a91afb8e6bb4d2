//! The failures of a bucket, each in a sentence with the setting to look at.
//! The answer of S3 itself is not repeated, as it may hold the session token.

use std::error::Error as _;

use object_store::{Error, client::HttpError};

/// The failure of a request to a bucket.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in super::super) enum BucketFailure {
    /// The bucket has no such object.
    #[error("the answer is not one of S3: set AWS_ENDPOINT to its address")]
    Missing,
    /// Something other than S3 answers.
    #[error("the answer is not one of S3: set AWS_ENDPOINT to its address")]
    Foreign,
    /// S3 is down or out of reach.
    #[error("S3 gives no answer ({0}); unless it is down, look at AWS_ENDPOINT and AWS_REGION")]
    Unreachable(String),
    /// S3 refuses the request: a setting is wrong.
    #[error("{0}")]
    Refused(String),
}

/// The codes of S3, and the remedies.
const REFUSALS: [(&[&str], &str); 7] = [
    (
        &["InvalidAccessKeyId"],
        "S3 does not know the key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    (
        &["SignatureDoesNotMatch"],
        "the key does not belong to its id: set AWS_SECRET_ACCESS_KEY",
    ),
    (
        &["ExpiredToken", "InvalidToken", "TokenRefreshRequired"],
        "the session has expired or is not known: set AWS_SESSION_TOKEN with its AWS_ACCESS_KEY_ID and \
         AWS_SECRET_ACCESS_KEY",
    ),
    (
        &["RequestTimeTooSkewed"],
        "the clock of this machine is not that of S3: set the clock",
    ),
    (
        &["NoSuchBucket"],
        "there is no such bucket: make it, name another one with --images, or set AWS_ENDPOINT to the S3 \
         that has it",
    ),
    (
        &["InvalidBucketName"],
        "no bucket has such a name: name another one with --images",
    ),
    (
        &[
            "PermanentRedirect",
            "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException",
        ],
        IN_OTHER_REGION,
    ),
];

const IN_OTHER_REGION: &str = "the bucket is in another region: set AWS_REGION";

impl BucketFailure {
    /// Judges an error of the client.
    /// The client has no type for an answer, so its code and status are read from the text.
    pub(super) fn of(error: &Error) -> Self {
        let text = error.to_string();
        let code = between(&text, "<Code>", "</Code>").unwrap_or_default();
        let code = code.get(..code.len().min(64)).unwrap_or_default();
        let status = between(&text, "status code: ", " ").and_then(|status| status.parse().ok());
        let mut refusals = REFUSALS.iter();
        if let Some((_, remedy)) = refusals.find(|(codes, _)| codes.contains(&code)) {
            return Self::Refused((*remedy).to_owned());
        }
        match status {
            // A service for keys may answer so too, with another kind of error.
            Some(404) if matches!(error, Error::NotFound { .. }) => Self::Missing,
            Some(401 | 403) => Self::Refused(
                "the key must not use the bucket: allow it s3:GetObject, s3:PutObject and s3:ListBucket \
                 there, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to another"
                    .to_owned(),
            ),
            Some(300..=399) => Self::Refused(IN_OTHER_REGION.to_owned()),
            Some(status @ (408 | 429 | 500..)) => Self::Unreachable(answer(status, code)),
            Some(status) => Self::Refused(format!(
                "S3 refuses a request with {}: look at AWS_ENDPOINT and AWS_REGION",
                answer(status, code)
            )),
            None if text.contains("redirect without LOCATION") => {
                Self::Refused(IN_OTHER_REGION.to_owned())
            }
            None => no_answer(error),
        }
    }
}

fn answer(status: u16, code: &str) -> String {
    format!("{status} {code}").trim_end().to_owned()
}

/// Judges an error without a status by the last of its causes.
fn no_answer(error: &Error) -> BucketFailure {
    let (mut is_of_http, mut last) = (false, error.source());
    while let Some(cause) = last {
        is_of_http |= cause.is::<HttpError>();
        match cause.source() {
            Some(next) => last = Some(next),
            None => break,
        }
    }
    match last {
        Some(last) if is_of_http => BucketFailure::Unreachable(last.to_string()),
        // Something answers with a success.
        _ => BucketFailure::Foreign,
    }
}

/// Returns the text between two markers.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0)
}
