//! The body of a form of the dashboard: URL-encoded, or in parts with a file.

use std::{convert::Infallible, future::ready, sync::Arc};

use bytes::Bytes;
use connect_core::{Error, Reason, wire::ErrorCode};
use encoding_rs::WINDOWS_1252;
use futures_util::{FutureExt as _, stream};
use http::{
    HeaderMap, StatusCode,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};
use multer::Multipart;
use tokio::task::spawn_blocking;

use super::{
    endpoint::Reply,
    gate,
    incoming::{IncomingBody, only},
};
use crate::{
    dashboard::FormFields,
    net::{Held, completion::joined},
};

/// The most bytes of a form: 1000 product ids and a margin.
const MOST: usize = 128 * 1024;

/// The most bytes of a form with a file: 2 MB and the same margin.
const MOST_WITH_FILE: usize = 2_000_000 + MOST;

/// The encoding of a form's body.
#[derive(Debug, PartialEq, Eq)]
enum FormEncoding {
    Url,
    /// Parts, between lines of this text.
    Parts(String),
}

/// Reads the fields of a form; `None` for a too large file.
/// A file becomes the text of its field.
pub(super) async fn read<S: IncomingBody>(
    headers: &HeaderMap,
    body: S,
    held: Option<Arc<Held>>,
    may_have_file: bool,
) -> Result<Option<FormFields>, Reply> {
    let encoding = encoding(headers, may_have_file)?;
    let most = match encoding {
        FormEncoding::Url => MOST,
        FormEncoding::Parts(_) => MOST_WITH_FILE,
    };
    let body = gate::read_up_to(headers, body, held, most).await;
    match (body, encoding) {
        (Ok(body), FormEncoding::Url) => Ok(Some(FormFields::parse(&body))),
        (Ok(body), FormEncoding::Parts(boundary)) => {
            let fields = joined(spawn_blocking(|| fields_of_parts(body, boundary))).await;
            let broken = || Reason::new("the form broke off on its way; send it again");
            let fields = fields.ok_or_else(|| Error::Malformed(broken()))?;
            Ok(Some(fields))
        }
        (Err(reply), _) if reply.status() != StatusCode::PAYLOAD_TOO_LARGE => Err(reply),
        (Err(_), FormEncoding::Url) => Err(too_large()),
        (Err(_), FormEncoding::Parts(_)) => Ok(None),
    }
}

fn too_large() -> Reply {
    let reason = Reason::of("form", format!("must have at most {MOST} bytes"));
    let reason = reason.detail(ErrorCode::PayloadTooLarge);
    Reply::error(StatusCode::PAYLOAD_TOO_LARGE, reason)
}

/// Returns the encoding of an uncompressed body, by its headers.
fn encoding(headers: &HeaderMap, may_have_file: bool) -> Result<FormEncoding, Error> {
    if headers.contains_key(CONTENT_ENCODING) {
        let reason = Reason::of("Content-Encoding", "must be left out for a form");
        return Err(Error::Malformed(reason));
    }
    let kind = only(headers, &CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Ok(FormEncoding::Url);
    }
    let boundary = may_have_file.then(|| multer::parse_boundary(kind).ok());
    let problem = match may_have_file {
        true => "must be multipart/form-data",
        false => "must be application/x-www-form-urlencoded",
    };
    let refused = || Error::Malformed(Reason::of("Content-Type", problem));
    let boundary = boundary.flatten().ok_or_else(refused)?;
    Ok(FormEncoding::Parts(boundary))
}

/// Reads the named parts of a body; `None` if it breaks off.
/// The body is there as a whole, so nothing is waited for.
fn fields_of_parts(body: Bytes, boundary: String) -> Option<FormFields> {
    parts(body, boundary).now_or_never()?.ok()
}

async fn parts(body: Bytes, boundary: String) -> Result<FormFields, multer::Error> {
    let body = stream::once(ready(Ok::<_, Infallible>(body)));
    let mut parts = Multipart::new(body, boundary);
    let mut fields = Vec::new();
    while let Some(part) = parts.next_field().await? {
        let name = part.name().unwrap_or_default().to_owned();
        let is_file = part.file_name().is_some();
        let bytes = part.bytes().await?;
        let text = match is_file {
            true => text_of_file(&bytes),
            false => String::from_utf8_lossy(&bytes).into_owned(),
        };
        fields.push((name, text));
    }
    Ok(fields.into_iter().collect())
}

/// Returns the text of a file in UTF-8, or else as older programs of Windows write it.
fn text_of_file(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{FEFF}').unwrap_or(text).to_owned(),
        // It heeds the mark at the beginning of UTF-16, as spreadsheets save "Unicode text".
        Err(_) => WINDOWS_1252.decode(bytes).0.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::*;
    use crate::net::BodyError;

    fn headers(kind: &str) -> HeaderMap {
        HeaderMap::from_iter([(CONTENT_TYPE, kind.parse().unwrap())])
    }

    #[test]
    fn parts_are_read_only_where_a_form_may_have_a_file() {
        let url = || Some(FormEncoding::Url);
        let parts = || Some(FormEncoding::Parts("x-1".to_owned()));
        for (kind, plain, with_file) in [
            ("application/x-www-form-urlencoded", url(), url()),
            (
                "Application/X-WWW-form-urlencoded; charset=utf-8",
                url(),
                url(),
            ),
            ("multipart/form-data; boundary=x-1", None, parts()),
            ("multipart/form-data; boundary=\"x-1\"", None, parts()),
            ("multipart/form-data", None, None),
            ("multipart/mixed; boundary=x-1", None, None),
            ("application/json", None, None),
        ] {
            for (may_have_file, expected) in [(false, plain), (true, with_file)] {
                let found = encoding(&headers(kind), may_have_file).ok();
                assert_eq!(found, expected, "{kind} {may_have_file}");
            }
        }
        assert!(encoding(&HeaderMap::new(), true).is_err());
        let mut compressed = headers("multipart/form-data; boundary=x-1");
        compressed.insert(CONTENT_ENCODING, "gzip".parse().unwrap());
        assert!(encoding(&compressed, true).is_err());
    }

    #[test]
    fn a_file_becomes_the_text_of_its_field() {
        let read = |body: &str| {
            let body = Bytes::from(body.replace('\n', "\r\n"));
            let fields = fields_of_parts(body, "x".to_owned())?;
            let pairs = fields.pairs();
            Some(
                pairs
                    .map(|(name, text)| format!("{name}={text}"))
                    .collect::<Vec<_>>(),
            )
        };
        let named = "Content-Disposition: form-data; name=";
        for (body, expected) in [
            (
                format!("--x\n{named}\"a\"\n\n1\n--x--\n"),
                Some(vec!["a=1"]),
            ),
            (
                format!(
                    "--x\n{named}\"a\"\n\n1\n--x\n{named}\"file\"; filename=\"m.csv\"\nContent-Type: text/csv\n\n\
                     \u{FEFF}Naam;Prijs\n--x--\n"
                ),
                Some(vec!["a=1", "file=Naam;Prijs"]),
            ),
            // A field keeps a mark, and a file may be empty.
            (
                format!(
                    "--x\n{named}\"a\"\n\n\u{FEFF}1\n--x\n{named}\"file\"; filename=\"\"\n\n\n--x--\n"
                ),
                Some(vec!["a=\u{FEFF}1", "file="]),
            ),
            (format!("--x\n{named}\"a\"\n\n1\n"), None),
            ("a=1".to_owned(), None),
        ] {
            let found = read(&body);
            let found = found
                .as_ref()
                .map(|found| found.iter().map(|pair| &**pair).collect::<Vec<_>>());
            assert_eq!(found, expected, "{body}");
        }
    }

    /// A form without a file takes no more memory than a form may have.
    #[tokio::test]
    async fn a_body_is_read_up_to_the_limit_of_its_form() {
        const PIECE: usize = 16 * 1024;
        let (url, parts) = (
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
        );
        // The most pieces read, and the outcome: a refusal, or no fields.
        for (kind, most, status) in [(url, MOST, Some(413)), (parts, MOST_WITH_FILE, None)] {
            let mut count = 0;
            let pieces = (0..200).map(|_| {
                count += 1;
                Ok::<_, BodyError>(Frame::data(Bytes::from(vec![b'a'; PIECE])))
            });
            let body = StreamBody::new(stream::iter(pieces));
            let read = read(&headers(kind), body, None, true).await;
            let refused = read.map(|fields| assert!(fields.is_none(), "{kind}"));
            let refused = refused.err().map(|reply| reply.status().as_u16());
            assert_eq!(refused, status, "{kind}");
            assert_eq!(count, most / PIECE + 1, "{kind}");
        }
    }

    #[test]
    fn the_encoding_of_a_file_is_found() {
        for (bytes, text) in [
            (&b"caf\xC3\xA9"[..], "café"),
            (b"\xEF\xBB\xBFcaf\xC3\xA9", "café"),
            (b"caf\xE9 \x80 1", "café € 1"),
            (b"\xFF\xFEc\0a\0f\0\xE9\0", "café"),
            (b"", ""),
        ] {
            assert_eq!(text_of_file(bytes), text, "{bytes:?}");
        }
    }
}
