//! The caller of a request, by its token or by the key of its screen.

use std::net::IpAddr;

use connect_core::{Access, Actor, Authenticated, Connect, Denied, Error, RateStatus, Reason};
use http::{HeaderMap, header::AUTHORIZATION};
use uuid::Uuid;

use super::{
    endpoint::{AUTHORIZATION_FIELD, Needs, Reply},
    incoming::only,
};
use crate::net::RequestNote;

/// The secret that callers of an API present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CredentialKind {
    /// A token of an account.
    Token,
    /// The key of a screen.
    ScreenKey,
}

impl CredentialKind {
    /// Authenticates a caller by its headers, and counts the request.
    ///
    /// # Errors
    /// The answer to a refused caller, and the status of its rate limit.
    pub(super) async fn authenticate(
        self,
        connect: &Connect,
        address: IpAddr,
        headers: &HeaderMap,
        note: &mut RequestNote,
    ) -> Result<Principal, (Reply, RateStatus)> {
        match self {
            Self::Token => token_holder(connect, address, headers, note)
                .await
                .map(Principal::Token),
            Self::ScreenKey => {
                let sent = bearer(headers);
                let admitted = connect.authenticate_screen(address, sent.ok()).await;
                admitted
                    .map(Principal::Screen)
                    .map_err(|refused| denied(refused, sent.err(), self))
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::ScreenKey => "screen's key",
        }
    }
}

/// An authenticated caller.
pub(super) enum Principal {
    /// The holder of a token.
    Token(Authenticated),
    /// A screen, at its location.
    Screen(Access),
}

impl Principal {
    /// The status of the caller's rate limit.
    pub(super) fn rate(&self) -> Option<RateStatus> {
        match self {
            Self::Token(caller) => Some(caller.rate()),
            Self::Screen(access) => access.rate(),
        }
    }

    /// Notes the caller for the log, without its secret.
    pub(super) fn note(&self, note: &mut RequestNote) {
        match self {
            Self::Token(caller) => note_token(note, caller),
            Self::Screen(access) => note.set_caller(|| match access.actor() {
                Actor::Screen { name, .. } => format!("screen {name}"),
                other => other.id().to_string(),
            }),
        }
    }

    /// Checks the right needed by a route at the location of its path.
    /// Returns the holder of a token, and the access to the location if there is one.
    ///
    /// # Errors
    /// The API is not available to the account, or the right is missing.
    pub(super) fn authorize(
        self,
        needs: &Needs,
        location: Option<Uuid>,
    ) -> Result<(Option<Authenticated>, Option<Access>), Error> {
        let caller = match self {
            Self::Token(caller) => caller,
            Self::Screen(access) => {
                if let Needs::Screen(right) = needs {
                    access.check_screen(*right)?;
                }
                return Ok((None, Some(access)));
            }
        };
        let access = match (needs, location) {
            (Needs::Scope(scope), Some(at)) => Some(caller.authorize(at, scope)?),
            (Needs::AnyScope(scopes), Some(at)) => Some(caller.authorize_any(at, scopes)?),
            _ => {
                caller.check_available()?;
                None
            }
        };
        Ok((Some(caller), access))
    }
}

/// Authenticates the holder of a token by its headers, and counts the request.
///
/// # Errors
/// As [`CredentialKind::authenticate`].
pub(super) async fn token_holder(
    connect: &Connect,
    address: IpAddr,
    headers: &HeaderMap,
    note: &mut RequestNote,
) -> Result<Authenticated, (Reply, RateStatus)> {
    let sent = bearer(headers);
    let admitted = connect.authenticate(address, sent.ok()).await;
    admitted.map_err(|refused| {
        let token = refused.token();
        note.token = token.map(|token| (token.account_id.uuid(), token.id.uuid()));
        denied(refused, sent.err(), CredentialKind::Token)
    })
}

/// Notes the holder of a token for the log, without the token's secret.
pub(super) fn note_token(note: &mut RequestNote, caller: &Authenticated) {
    let token = caller.token();
    note.token = Some((token.account_id.uuid(), token.id.uuid()));
    note.set_caller(|| ["token ", &token.prefix, " ", &token.name].concat());
}

/// The reason for a missing token or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoBearer {
    /// There is no `Authorization` header.
    Missing,
    /// There are several of them.
    Several,
    /// A single word without a scheme: presumably the token.
    NoScheme,
    /// A scheme other than `Bearer`, or nothing after it.
    OtherScheme,
}

impl NoBearer {
    /// The error for a request without a `what`, such as a token.
    pub(super) fn error(self, what: &str) -> Error {
        let problem = match self {
            Self::Missing => "is missing",
            Self::Several => "is given more than once",
            Self::NoScheme => "has no scheme in front",
            Self::OtherScheme => "has another scheme, or nothing behind it",
        };
        let problem = format!("{problem}; send \"Authorization: Bearer\", a blank and the {what}");
        Error::Unauthorized(Reason::of(AUTHORIZATION_FIELD, problem))
    }
}

/// Returns the bearer token or key of a request.
pub(super) fn bearer(headers: &HeaderMap) -> Result<&str, NoBearer> {
    if !headers.contains_key(AUTHORIZATION) {
        return Err(NoBearer::Missing);
    }
    let value = only(headers, &AUTHORIZATION).ok_or(NoBearer::Several)?;
    let text = value.to_str().unwrap_or_default();
    let Some((scheme, token)) = text.split_once(' ') else {
        let is_scheme = text.is_empty() || text.eq_ignore_ascii_case("bearer");
        return Err(if is_scheme {
            NoBearer::OtherScheme
        } else {
            NoBearer::NoScheme
        });
    };
    let token = token.trim_matches(' ');
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
        return Err(NoBearer::OtherScheme);
    }
    Ok(token)
}

/// The answer to a rejected caller, and the status of its rate limit.
/// For a header without a token, `unsent` gives a more exact reason than the core.
pub(super) fn denied(
    denied: Denied,
    unsent: Option<NoBearer>,
    kind: CredentialKind,
) -> (Reply, RateStatus) {
    let error = match (denied.error, unsent) {
        (Error::Unauthorized(_), Some(unsent)) => unsent.error(kind.name()),
        (error, _) => error,
    };
    let reply = Reply::from(error).retry_after(denied.retry_after);
    (reply, denied.rate)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use connect_core::storage::memory::MemoryStorage;

    use super::*;
    use crate::sandbox::demo;

    #[tokio::test]
    async fn a_request_is_noted_for_its_token() {
        let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
        let token = demo::open(&connect).await.unwrap().token.unwrap();
        let answer = warp::test::request()
            .path("/v1/locations")
            .header("authorization", format!("Bearer {}", token.expose()))
            .reply(&crate::api::api(connect))
            .await;
        let note = answer.extensions().get::<RequestNote>();
        assert!(note.unwrap().token.is_some());
    }

    #[test]
    fn headers_hold_a_bearer_token() {
        for (header, token) in [
            ("Bearer abc", Ok("abc")),
            ("bearer  abc ", Ok("abc")),
            ("Bearer", Err(NoBearer::OtherScheme)),
            ("Bearer ", Err(NoBearer::OtherScheme)),
            ("Basic abc", Err(NoBearer::OtherScheme)),
            ("", Err(NoBearer::OtherScheme)),
            ("abc", Err(NoBearer::NoScheme)),
        ] {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, header.parse().unwrap())]);
            assert_eq!(bearer(&headers), token, "{header:?}");
        }
        assert_eq!(bearer(&HeaderMap::new()), Err(NoBearer::Missing));
        let two = [(AUTHORIZATION, "Bearer abc"), (AUTHORIZATION, "Bearer def")];
        let mut headers = HeaderMap::new();
        for (name, value) in two {
            headers.append(name, value.parse().unwrap());
        }
        assert_eq!(bearer(&headers), Err(NoBearer::Several));
    }
}
