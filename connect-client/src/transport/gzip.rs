//! Gzip: requested for answers, and used for requests if set.

use std::io::{Read as _, Write as _};

use bytes::Bytes;
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use http::{HeaderValue, header};

use super::{Fault, TransportError};

/// The smallest body worth compressing, in bytes.
const WORTH_COMPRESSING: usize = 1000;

const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// Asks for an answer in gzip.
/// A request with its own `Accept-Encoding` keeps it.
pub(super) fn ask(mut request: http::Request<Bytes>) -> http::Request<Bytes> {
    let accepted = request.headers_mut().entry(header::ACCEPT_ENCODING);
    accepted.or_insert(GZIP);
    request
}

/// Compresses the body of a request, if it becomes smaller.
pub(super) fn compress(mut request: http::Request<Bytes>) -> http::Request<Bytes> {
    let body = request.body();
    if body.len() < WORTH_COMPRESSING || request.headers().contains_key(header::CONTENT_ENCODING) {
        return request;
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail. If it did, the body would go as it is.
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    if let Some(gzip) = written.ok().filter(|gzip| gzip.len() < body.len()) {
        *request.body_mut() = gzip.into();
        request.headers_mut().insert(header::CONTENT_ENCODING, GZIP);
    }
    request
}

/// Decompresses an answer, to `most` bytes at most.
pub(super) fn decompress(
    answer: http::Response<Bytes>,
    most: usize,
) -> Result<http::Response<Bytes>, TransportError> {
    let encoding = answer.headers().get(header::CONTENT_ENCODING);
    if encoding != Some(&GZIP) || answer.body().is_empty() {
        return Ok(answer);
    }
    let (mut head, gzip) = answer.into_parts();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut body = Vec::new();
    let read = MultiGzDecoder::new(&*gzip)
        .take(limit)
        .read_to_end(&mut body);
    read.map_err(|error| TransportError::because(Fault::Broken, error))?;
    if body.len() > most {
        return Err(TransportError::new(Fault::TooLarge));
    }
    // They told of the compressed body.
    head.headers.remove(header::CONTENT_ENCODING);
    head.headers.remove(header::CONTENT_LENGTH);
    Ok(http::Response::from_parts(head, body.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_compressed_and_taken_from_and_to_their_limits() {
        for (bytes, encoding, sent_as) in [
            (999, None, None),
            (1000, None, Some("gzip")),
            (1000, Some("br"), Some("br")),
        ] {
            let mut request = http::Request::new(Bytes::from("x".repeat(bytes)));
            let own = encoding.map(|own| (header::CONTENT_ENCODING, HeaderValue::from_static(own)));
            request.headers_mut().extend(own);
            let sent = compress(request);
            let told = sent.headers().get(header::CONTENT_ENCODING);
            assert_eq!(told.map(|told| told.to_str().unwrap()), sent_as);
            assert_eq!(sent.body().len() < bytes, sent_as == Some("gzip"));
            for (most, fits) in [(bytes, true), (bytes - 1, false)] {
                let mut answer = http::Response::new(sent.body().clone());
                answer
                    .headers_mut()
                    .extend(told.map(|told| (header::CONTENT_ENCODING, told.clone())));
                let is_read = decompress(answer, most).is_ok_and(|read| read.body().len() == bytes);
                assert_eq!(
                    is_read,
                    fits || sent_as != Some("gzip"),
                    "{bytes} of {most}"
                );
            }
        }
    }
}
