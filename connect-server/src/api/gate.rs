//! The checks of an API request, in order. The first failure answers.
//!
//! 1. the address, the token or key, the rate limits ([`CredentialKind::authenticate`])
//! 2. the route: 404, 405
//! 3. the availability of the API, the location, the scope ([`Principal::authorize`])
//! 4. the size of the body, compressed and decompressed: 413, 415, 400
//! 5. `Idempotency-Key` and `Content-Type`: 400
//!
//! Then the handler has the core check the stored answer, the form, the fields and the state.
//! Without a valid token a caller learns nothing about the existing routes.

use std::{pin::pin, sync::Arc};

use bytes::{Buf as _, Bytes};
use connect_core::{
    Connect, Error, Fingerprint, Idempotency, Reason,
    wire::{ErrorCode, IdempotencyKey, limits::MAX_BODY_BYTES, read::Invalid},
};
use http::{
    HeaderMap, Method, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body_util::BodyExt as _;
use tokio::task::spawn_blocking;

use super::{
    caller::Principal,
    encoding::{NotDecompressed, decompress, is_gzip},
    endpoint::{Call, Content, PathTarget, Reply, Route},
    incoming::{Incoming, IncomingBody, only},
    routes::{PathIds, RouteMatch, Table},
    unread_body::unread,
};
use crate::net::{BodyError, Held};

/// Runs checks 2 to 5 on the request of an authenticated caller.
/// `found` is the result of looking up its path in `table`.
pub(super) async fn pass<S: IncomingBody>(
    connect: &Connect,
    caller: Principal,
    table: &'static Table,
    found: RouteMatch<'static>,
    incoming: Incoming<S>,
) -> Result<(Call<PathTarget>, &'static Route), Reply> {
    let (route, ids) = route_of(found, table, &incoming).map_err(|reply| *reply)?;
    let (caller, access) = caller.authorize(&route.needs, ids.location)?;
    let call = Call {
        connect: connect.clone(),
        target: PathTarget {
            caller,
            access,
            id: ids.id,
            part: ids.part,
        },
        content: content(incoming).await?,
    };
    Ok((call, route))
}

/// Looks up a request in a table.
pub(super) fn find<S>(table: &'static Table, incoming: &Incoming<S>) -> RouteMatch<'static> {
    table.find(&incoming.method, incoming.path())
}

/// Returns the endpoint of a request, or a 404 or 405.
fn route_of<S>(
    found: RouteMatch<'static>,
    table: &'static Table,
    incoming: &Incoming<S>,
) -> Result<(&'static Route, PathIds), Box<Reply>> {
    let (method, path) = (&incoming.method, incoming.path());
    let refused = match found {
        RouteMatch::Route { route, ids } => return Ok((route, ids)),
        RouteMatch::OtherMethods { allowed, .. } => Reply::method_not_allowed(method, &allowed),
        RouteMatch::Nothing => Reply::no_route(path, &table.hint(path)),
    };
    Err(Box::new(refused))
}

/// Reads the content of a request.
/// For a write it also checks the size, the idempotency key and the content type.
async fn content<S: IncomingBody>(incoming: Incoming<S>) -> Result<Content, Reply> {
    let Incoming {
        method,
        target,
        headers,
        body,
        held,
    } = incoming;
    let query = target.query().unwrap_or_default();
    let mut content = Content::default();
    let is_write = !matches!(method, Method::GET | Method::HEAD);
    if is_write {
        content.body = read(&headers, body, held).await?;
        let key = idempotency_key(&headers)?;
        if method != Method::DELETE {
            check_content(&headers)?;
        }
        content.idempotency = key.map(|key| {
            // A "?" without a query makes no other request.
            let target = match query {
                "" => target.path(),
                _ => target.as_str(),
            };
            Idempotency {
                key,
                fingerprint: Fingerprint::of(method.as_str(), target, &content.body),
            }
        });
    }
    content.query = query.to_owned();
    Ok(content)
}

/// Reads the whole body and decompresses it. Both count towards `held`.
pub(super) async fn read<S: IncomingBody>(
    headers: &HeaderMap,
    body: S,
    held: Option<Arc<Held>>,
) -> Result<Bytes, Reply> {
    read_up_to(headers, body, held, MAX_BODY_BYTES).await
}

/// The same with another limit of bytes.
pub(super) async fn read_up_to<S: IncomingBody>(
    headers: &HeaderMap,
    body: S,
    held: Option<Arc<Held>>,
    most: usize,
) -> Result<Bytes, Reply> {
    let body = read_as_sent(headers, body, most).await?;
    let undecoded = |reason| undecoded(reason, most);
    // An empty body needs no decoding.
    if body.is_empty() || !is_gzip(headers).map_err(undecoded)? {
        return Ok(body);
    }
    let take = move |bytes| held.as_ref().is_none_or(|held| held.take(bytes));
    let decompressed = spawn_blocking(move || decompress(&body, most, take)).await;
    let decompressed = decompressed.unwrap_or(Err(NotDecompressed::Malformed));
    decompressed.map_err(undecoded)
}

/// The answer to a body after a failed decompression.
fn undecoded(reason: NotDecompressed, most: usize) -> Reply {
    match reason {
        NotDecompressed::Unsupported => Reply::unsupported_encoding(),
        NotDecompressed::TooLarge => too_large(most),
        NotDecompressed::NoRoom => unread(&BodyError::NoRoom),
        NotDecompressed::Malformed => {
            let problem = "is not the gzip that Content-Encoding announces, or breaks off";
            Error::Malformed(Reason::of("body", problem)).into()
        }
    }
}

fn too_large(most: usize) -> Reply {
    let problem =
        format!("must have at most {most} bytes, compressed or not; send it in several requests");
    let reason = Reason::of("body", problem).detail(ErrorCode::PayloadTooLarge);
    Reply::error(StatusCode::PAYLOAD_TOO_LARGE, reason)
}

/// Reads the whole body, without decompressing it.
/// A body with a too large `Content-Length` is not read at all. A body of one piece is not copied.
async fn read_as_sent<S: IncomingBody>(
    headers: &HeaderMap,
    body: S,
    most: usize,
) -> Result<Bytes, Reply> {
    let announced = only(headers, &CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<usize>().ok());
    if announced.is_some_and(|length| length > most) {
        return Err(too_large(most));
    }
    let room = announced.unwrap_or(most);
    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut all = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| unread(&*error.into()))?;
        let Ok(mut piece) = frame.into_data() else {
            continue;
        };
        let piece = piece.copy_to_bytes(piece.remaining());
        if first.len() + all.len() + piece.len() > most {
            return Err(too_large(most));
        }
        if first.is_empty() && all.is_empty() {
            first = piece;
            continue;
        }
        if all.is_empty() {
            make_room(&mut all, first.len() + piece.len(), room);
            all.extend_from_slice(&std::mem::take(&mut first));
        }
        make_room(&mut all, piece.len(), room);
        all.extend_from_slice(&piece);
    }
    Ok(if all.is_empty() { first } else { all.into() })
}

/// Makes room for `more` bytes of a body.
/// The room grows with the bytes received, not with the announced length: to one and a half times the bytes
/// then present, at least 64 KiB, but not beyond the announced length, or the limit without one.
fn make_room(body: &mut Vec<u8>, more: usize, most: usize) {
    const LEAST: usize = 64 * 1024;
    let wanted = body.len() + more;
    if wanted > body.capacity() {
        let room = (wanted + wanted / 2).max(LEAST).min(most).max(wanted);
        body.reserve_exact(room - body.len());
    }
}

/// The request's idempotency key.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Error> {
    const NAME: &str = "Idempotency-Key";
    if !headers.contains_key(NAME) {
        return Ok(None);
    }
    let value = headers.get_all(NAME).iter().collect::<Vec<_>>();
    let key = match value[..] {
        // A value with bytes other than visible ASCII becomes an empty key, and so an invalid one.
        [value] => IdempotencyKey::new(value.to_str().unwrap_or_default()),
        _ => Err(Invalid::new(NAME, "is given more than once")),
    };
    key.map(Some)
        .map_err(|invalid| Error::Malformed(invalid.into()))
}

/// Checks the content type of a body: it must be JSON.
pub(super) fn check_content(headers: &HeaderMap) -> Result<(), Error> {
    let essence = only(headers, &CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .map(str::trim);
    if essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json")) {
        return Ok(());
    }
    let reason = Reason::of("Content-Type", "must be application/json");
    Err(Error::Malformed(reason))
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::*;

    /// One byte written may commit the whole of a large block.
    #[test]
    fn who_announces_much_and_sends_little_gets_little() {
        for (has, more, announced, room) in [
            (0, 1, None, 65_536),
            (0, 1, Some(MAX_BODY_BYTES), 65_536),
            (0, 1, Some(10), 10),
            (65_535, 1, Some(MAX_BODY_BYTES), 65_536),
            (65_536, 1, Some(MAX_BODY_BYTES), 98_305),
            (65_536, 1, Some(70_000), 70_000),
            (65_536, 100_000, None, 248_304),
            // It sends more than it announced.
            (65_536, 1, Some(10), 65_537),
        ] {
            let mut body = Vec::new();
            body.reserve_exact(if has > 0 { 65_536 } else { 0 });
            body.resize(has, b' ');
            make_room(&mut body, more, announced.unwrap_or(MAX_BODY_BYTES));
            assert_eq!(body.capacity(), room, "{has} and {more} of {announced:?}");
        }
    }

    #[tokio::test]
    async fn a_body_in_pieces_takes_no_more_memory_than_was_announced() {
        const LENGTH: usize = 1_000_001;
        let headers = HeaderMap::from_iter([(CONTENT_LENGTH, LENGTH.into())]);
        let body = vec![b'x'; LENGTH];
        let pieces = body.chunks(50_000);
        let read = read_as_sent(&headers, in_pieces(pieces), MAX_BODY_BYTES).await;
        let read = read.unwrap_or_default().try_into_mut().unwrap();
        assert!(read == body.as_slice());
        assert_eq!(read.capacity(), LENGTH);
    }

    fn in_pieces<'p>(pieces: impl Iterator<Item = &'p [u8]> + Send) -> impl IncomingBody {
        let frames = pieces.map(|piece| Ok::<_, BodyError>(Frame::data(piece)));
        StreamBody::new(stream::iter(frames))
    }

    /// Reads a body from these pieces.
    async fn read_pieces(headers: &HeaderMap, pieces: &[&[u8]]) -> Result<Bytes, StatusCode> {
        let read = read_as_sent(headers, in_pieces(pieces.iter().copied()), MAX_BODY_BYTES).await;
        read.map_err(|reply| warp::Reply::into_response(reply).status())
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit_however_it_comes() {
        let unannounced = HeaderMap::new();
        let half = vec![b'a'; MAX_BODY_BYTES / 2];
        let half = half.as_slice();
        for (pieces, read) in [
            (&[][..], Ok(0)),
            (&[half], Ok(half.len())),
            (&[half, half], Ok(MAX_BODY_BYTES)),
            (&[half, half, b"a"], Err(StatusCode::PAYLOAD_TOO_LARGE)),
            (&[b"a", half, half], Err(StatusCode::PAYLOAD_TOO_LARGE)),
            (&[half, half, half], Err(StatusCode::PAYLOAD_TOO_LARGE)),
        ] {
            let body = read_pieces(&unannounced, pieces).await;
            assert_eq!(body.map(|body| body.len()), read, "{}", pieces.len());
        }
        let pieces: &[&[u8]] = &[b"one", b"", b" two", b" three"];
        let body = read_pieces(&unannounced, pieces).await;
        assert_eq!(body.unwrap(), &b"one two three"[..]);
    }

    #[tokio::test]
    async fn a_body_that_announces_too_much_is_not_read() {
        for (announced, read) in [
            (MAX_BODY_BYTES, Ok(Bytes::from_static(b"a"))),
            (MAX_BODY_BYTES + 1, Err(StatusCode::PAYLOAD_TOO_LARGE)),
            (MAX_BODY_BYTES + 2, Err(StatusCode::PAYLOAD_TOO_LARGE)),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_LENGTH, announced.into())]);
            assert_eq!(read_pieces(&headers, &[b"a"]).await, read, "{announced}");
        }
    }
}
