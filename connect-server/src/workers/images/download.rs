//! Downloading the file behind a link.
//! One deadline covers everything: the lookups of names, the connections, the redirects, the heads and
//! the body.

use std::time::Duration;

use connect_core::{
    environment::ImageFailure,
    wire::{ImageErrorCode, limits::MAX_IMAGE_BYTES},
};
use reqwest::{
    Method, Response, StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, LOCATION},
};
use tokio::time::timeout;
use url::Url;

use crate::workers::outbound::{LinkRefusal, NoResponse, Outbound};

/// The most redirects followed.
const MAX_REDIRECTS: usize = 3;

/// The types offered to a host with several forms of an image.
const ACCEPTED: &str = "image/jpeg, image/png, image/webp, image/gif";

/// Downloads the file behind `link`, of at most [`MAX_IMAGE_BYTES`], within the deadline.
pub(super) async fn download(
    outbound: &Outbound,
    link: &str,
    deadline: Duration,
) -> Result<Vec<u8>, ImageFailure> {
    let in_time = timeout(deadline, follow(outbound, link)).await;
    in_time.unwrap_or_else(|_| {
        Err(ImageFailure::passing(
            ImageErrorCode::Timeout,
            format!(
                "The image did not arrive within {} seconds.",
                deadline.as_secs_f32()
            ),
        ))
    })
}

/// Requests a link and follows its redirects, each checked by the guard.
async fn follow(outbound: &Outbound, link: &str) -> Result<Vec<u8>, ImageFailure> {
    let mut subject = "The link";
    let mut link = Url::parse(link).map_err(|_| {
        ImageFailure::lasting(
            ImageErrorCode::Unreachable,
            "The link is not a web address.",
        )
    })?;
    for _ in 0..=MAX_REDIRECTS {
        let request = outbound
            .request(Method::GET, link.clone())
            .map_err(|refusal| forbidden(subject, refusal))?
            .header(ACCEPT, ACCEPTED)
            // Otherwise a small answer could decompress to a large file.
            .header(ACCEPT_ENCODING, "identity");
        let response = request
            .send()
            .await
            .map_err(|error| no_response(subject, &error))?;
        if !is_redirect(response.status()) {
            return body(response).await;
        }
        let next = response
            .headers()
            .get(LOCATION)
            .and_then(|next| next.to_str().ok());
        link = next.and_then(|next| link.join(next).ok()).ok_or_else(|| {
            let message = "The server of the image redirects without saying where to.";
            ImageFailure::lasting(ImageErrorCode::BadStatus, message)
        })?;
        subject = "The link redirects to another one, which";
    }
    Err(ImageFailure::lasting(
        ImageErrorCode::BadStatus,
        format!(
            "The link redirects more than {MAX_REDIRECTS} times. Use the final link of the image."
        ),
    ))
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Reads the file of a response, up to the size limit.
async fn body(mut response: Response) -> Result<Vec<u8>, ImageFailure> {
    let status = response.status();
    if status != StatusCode::OK {
        return Err(bad_status(status));
    }
    let encodings = response.headers().get_all(CONTENT_ENCODING);
    if encodings.iter().any(|encoding| encoding != "identity") {
        return Err(ImageFailure::lasting(
            ImageErrorCode::UnsupportedType,
            "The server sent the image in a compressed form, for which it was not asked.",
        ));
    }
    let most = MAX_IMAGE_BYTES;
    let announced = response.content_length();
    if announced.is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    let mut file = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|_| broken_off())? {
        if file.len() + piece.len() > most {
            return Err(too_large());
        }
        file.extend_from_slice(&piece);
    }
    Ok(file)
}

fn too_large() -> ImageFailure {
    ImageFailure::lasting(
        ImageErrorCode::TooLarge,
        format!(
            "The file is larger than {} MB ({} 000 000 bytes). Use a smaller image.",
            MAX_IMAGE_BYTES / 1_000_000,
            MAX_IMAGE_BYTES / 1_000_000
        ),
    )
}

fn broken_off() -> ImageFailure {
    ImageFailure::passing(
        ImageErrorCode::Unreachable,
        "The connection broke off before the whole image had arrived.",
    )
}

fn forbidden(subject: &str, refusal: LinkRefusal) -> ImageFailure {
    ImageFailure::lasting(
        ImageErrorCode::ForbiddenAddress,
        format!("{subject} {refusal}."),
    )
}

fn no_response(subject: &str, error: &reqwest::Error) -> ImageFailure {
    let message = match NoResponse::of(error) {
        NoResponse::Refused(refusal) => return forbidden(subject, refusal),
        NoResponse::BrokenOff | NoResponse::NotHttp => return broken_off(),
        NoResponse::Insecure(_) => {
            "leads to a server without a secure connection: its certificate may have expired"
        }
        NoResponse::Crowded => {
            return ImageFailure::passing(
                ImageErrorCode::ServerError,
                "The server was too busy to look up the host of the image.",
            );
        }
        NoResponse::UnknownHost | NoResponse::NotConnected => {
            "leads to a server that was not found or does not answer"
        }
    };
    ImageFailure::passing(ImageErrorCode::Unreachable, format!("{subject} {message}."))
}

fn bad_status(status: StatusCode) -> ImageFailure {
    let advice = match status.as_u16() {
        401 | 403 => " The image has to be public.",
        404 | 410 => " There is no image at this link.",
        _ => "",
    };
    let message = format!("The server of the image answered with {status}.{advice}");
    let may_pass = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
    ImageFailure {
        may_pass,
        ..ImageFailure::lasting(ImageErrorCode::BadStatus, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_status_says_what_to_do_and_whether_to_try_again() {
        for (status, says, may_pass) in [
            (401, "Unauthorized. The image has to be public.", false),
            (403, "Forbidden. The image has to be public.", false),
            (404, "Not Found. There is no image at this link.", false),
            (410, "Gone. There is no image at this link.", false),
            (408, "Request Timeout.", true),
            (425, "Too Early.", true),
            (429, "Too Many Requests.", true),
            (503, "Service Unavailable.", true),
            (301, "Moved Permanently.", false),
        ] {
            let failure = bad_status(StatusCode::from_u16(status).unwrap());
            let expected = format!("The server of the image answered with {status} {says}");
            assert_eq!((failure.message, failure.may_pass), (expected, may_pass));
        }
    }
}
