//! Signing in through OpenID Connect providers: requests to them, and the verification of their answers.
//!
//! The authorization code flow with PKCE. The id token is verified by its signature, issuer, audience, nonce and time, and the
//! redirect back by its state and issuer (RFC 9207). Nothing is kept of a provider: each sign-in reads its settings and
//! keys anew.

use std::time::Duration;

use connect_core::{Provider, ProviderUser, Secret};
use futures_util::future::BoxFuture;
use openidconnect::{
    AdditionalProviderMetadata, AsyncHttpClient, AuthenticationFlow, AuthorizationCode, ClientId,
    ClientSecret, CsrfToken, DiscoveryError, HttpRequest, HttpResponse, IssuerUrl, Nonce,
    OAuth2TokenResponse as _, PkceCodeChallenge, PkceCodeVerifier, ProviderMetadata, RedirectUrl,
    RequestTokenError, Scope, TokenResponse as _,
    core::{
        CoreAuthDisplay, CoreClaimName, CoreClaimType, CoreClient, CoreClientAuthMethod,
        CoreGrantType, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm,
        CoreJweKeyManagementAlgorithm, CoreResponseMode, CoreResponseType,
        CoreSubjectIdentifierType, CoreUserInfoClaims,
    },
};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use url::Url;

use crate::workers::outbound::{
    AddressGuard, Insecurity, NoResponse, Outbound, OutboundError, OutboundSettings,
};

/// The time limit of a request to a provider.
const DEADLINE: Duration = Duration::from_secs(10);

/// The most bytes of an answer.
const MOST_BODY: usize = 512 * 1024;

/// Talks with the providers of accounts.
#[derive(Clone, Debug)]
pub(crate) struct ProviderClient {
    outbound: Outbound,
}

/// A sign-in begun at a provider.
pub(crate) struct BegunSignIn {
    /// The page of the provider to go to.
    pub(crate) url: Url,
    /// The content of the cookie until the redirect back.
    pub(crate) kept: KeptSignIn,
}

/// A begun sign-in at a provider, for a cookie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptSignIn {
    state: String,
    nonce: String,
    verifier: String,
}

/// The answer of a provider, in the address of the redirect back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProviderAnswer<'a> {
    pub(crate) code: &'a str,
    pub(crate) state: &'a str,
    pub(crate) issuer: &'a str,
    pub(crate) error: &'a str,
}

/// A failed sign-in at a provider.
/// The text is for the person at the browser.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProviderError {
    /// It gives no answer, or not the one asked for.
    #[error("your provider gives no usable answer: {0}")]
    NoAnswer(String),
    /// It did not sign the person in.
    #[error("your provider has refused: {0}")]
    Refused(String),
    /// Its answer is not for this sign-in, or was altered.
    #[error("the answer of your provider is not valid: {0}")]
    Invalid(String),
}

/// A request to a provider has no answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct RequestFailure(String);

/// The part of a provider's settings about the redirect back.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct RedirectSettings {
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl AdditionalProviderMetadata for RedirectSettings {}

type Metadata = ProviderMetadata<
    RedirectSettings,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

impl KeptSignIn {
    /// Reads the value of the cookie.
    pub(crate) fn read(value: &str) -> Option<Self> {
        let [state, nonce, verifier] = value.split('~').collect::<Vec<_>>().try_into().ok()?;
        let [state, nonce, verifier] = [state, nonce, verifier].map(str::to_owned);
        Some(Self {
            state,
            nonce,
            verifier,
        })
    }

    /// The value for the cookie.
    pub(crate) fn value(&self) -> String {
        [&*self.state, &self.nonce, &self.verifier].join("~")
    }
}

impl ProviderClient {
    /// Makes the client.
    ///
    /// # Errors
    /// The system has no certificates to trust.
    pub(crate) fn new(guard: AddressGuard) -> Result<Self, OutboundError> {
        let settings = OutboundSettings::new(guard, "Connect-Sign-In/1");
        let outbound = Outbound::new(settings)?;
        Ok(Self { outbound })
    }

    /// Begins a sign-in, to come back to the address `redirect`.
    ///
    /// # Errors
    /// The provider gives no settings.
    pub(crate) async fn begin(
        &self,
        provider: &Provider,
        redirect: &str,
    ) -> Result<BegunSignIn, ProviderError> {
        let metadata = self.metadata(provider).await?;
        let client = CoreClient::from_provider_metadata(
            metadata,
            ClientId::new(provider.client_id.clone()),
            None,
        )
        .set_redirect_uri(redirect_url(redirect)?);
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (url, state, nonce) = client
            .authorize_url(
                AuthenticationFlow::<CoreResponseType>::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .add_scope(Scope::new("email".to_owned()))
            .set_pkce_challenge(challenge)
            .url();
        let kept = KeptSignIn {
            state: state.secret().clone(),
            nonce: nonce.secret().clone(),
            verifier: verifier.secret().clone(),
        };
        Ok(BegunSignIn { url, kept })
    }

    /// Verifies the answer of a provider. Returns the person.
    ///
    /// # Errors
    /// See [`ProviderError`].
    pub(crate) async fn finish(
        &self,
        (provider, secret): (&Provider, &Secret),
        redirect: &str,
        kept: KeptSignIn,
        answer: ProviderAnswer<'_>,
    ) -> Result<ProviderUser, ProviderError> {
        if answer.state != kept.state {
            let problem = "it is for another sign-in; begin again".to_owned();
            return Err(ProviderError::Invalid(problem));
        }
        if !answer.issuer.is_empty() && answer.issuer != provider.issuer {
            let problem = "it is from another provider".to_owned();
            return Err(ProviderError::Invalid(problem));
        }
        if !answer.error.is_empty() {
            return Err(ProviderError::Refused(answer.error.to_owned()));
        }
        let metadata = self.metadata(provider).await?;
        let settings = metadata.additional_metadata();
        if settings.authorization_response_iss_parameter_supported && answer.issuer.is_empty() {
            let problem = "it does not name the provider".to_owned();
            return Err(ProviderError::Invalid(problem));
        }
        let client = CoreClient::from_provider_metadata(
            metadata,
            ClientId::new(provider.client_id.clone()),
            Some(ClientSecret::new(secret.expose().to_owned())),
        )
        .set_redirect_uri(redirect_url(redirect)?);
        let code = AuthorizationCode::new(answer.code.to_owned());
        let tokens = client
            .exchange_code(code)
            .map_err(|_| ProviderError::NoAnswer("it has no token endpoint".to_owned()))?
            .set_pkce_verifier(PkceCodeVerifier::new(kept.verifier))
            .request_async(self)
            .await
            .map_err(|error| match error {
                RequestTokenError::ServerResponse(answer) => {
                    ProviderError::Refused(answer.error().to_string())
                }
                RequestTokenError::Request(failure) => ProviderError::NoAnswer(failure.0),
                other => ProviderError::Invalid(other.to_string()),
            })?;
        let id_token = tokens
            .id_token()
            .ok_or_else(|| ProviderError::Invalid("it has no id token".to_owned()))?;
        let claims = id_token
            .claims(&client.id_token_verifier(), &Nonce::new(kept.nonce))
            .map_err(|error| ProviderError::Invalid(error.to_string()))?;
        let verified = |email: Option<&str>, is_verified: Option<bool>| {
            email
                .filter(|_| is_verified == Some(true))
                .map(str::to_owned)
        };
        let email = claims.email().map(|email| email.as_str());
        let mut verified_email = verified(email, claims.email_verified());
        // Many providers have the address at their user info endpoint alone.
        let subject = claims.subject();
        if verified_email.is_none()
            && let Ok(request) =
                client.user_info(tokens.access_token().clone(), Some(subject.clone()))
        {
            let info: Result<CoreUserInfoClaims, _> = request.request_async(self).await;
            match info {
                Ok(info) => {
                    let email = info.email().map(|email| email.as_str());
                    verified_email = verified(email, info.email_verified());
                }
                // A linked user needs no address.
                Err(error) => {
                    tracing::info!(%error, "a provider gives no information about a user")
                }
            }
        }
        Ok(ProviderUser {
            issuer: provider.issuer.clone(),
            subject: subject.as_str().to_owned(),
            verified_email,
        })
    }

    async fn metadata(&self, provider: &Provider) -> Result<Metadata, ProviderError> {
        let issuer = IssuerUrl::new(provider.issuer.clone());
        let issuer = issuer.map_err(|error| ProviderError::NoAnswer(error.to_string()))?;
        let found = Metadata::discover_async(issuer, self).await;
        found.map_err(|error| {
            ProviderError::NoAnswer(match error {
                DiscoveryError::Request(failure) => failure.0,
                other => other.to_string(),
            })
        })
    }

    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, RequestFailure> {
        let no_response = |error| no_response(&error);
        let (head, body) = request.into_parts();
        let url = Url::parse(&head.uri.to_string());
        let url = url.map_err(|error| RequestFailure(error.to_string()))?;
        let begun = self.outbound.request(head.method, url);
        let begun = begun.map_err(|refusal| RequestFailure(refusal.to_string()))?;
        let sent = begun.headers(head.headers).body(body).send().await;
        let mut response = sent.map_err(no_response)?;
        let mut answer = http::Response::builder().status(response.status());
        if let Some(headers) = answer.headers_mut() {
            headers.clone_from(response.headers());
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(no_response)? {
            body.extend_from_slice(&piece);
            if body.len() > MOST_BODY {
                return Err(RequestFailure("its answer is too large".to_owned()));
            }
        }
        answer
            .body(body)
            .map_err(|error| RequestFailure(error.to_string()))
    }
}

/// Sends a request. Redirects are not followed.
impl<'c> AsyncHttpClient<'c> for ProviderClient {
    type Error = RequestFailure;
    type Future = BoxFuture<'c, Result<HttpResponse, RequestFailure>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let answered = timeout(DEADLINE, self.answer(request)).await;
            answered.unwrap_or_else(|_| Err(RequestFailure("it takes too long".to_owned())))
        })
    }
}

/// The reason of a missing answer, in words for an owner.
fn no_response(error: &reqwest::Error) -> RequestFailure {
    RequestFailure(match NoResponse::of(error) {
        NoResponse::Refused(refusal) => format!("its address {refusal}"),
        NoResponse::UnknownHost => "its host is not found".to_owned(),
        NoResponse::Crowded => "its host could not be looked up; try again".to_owned(),
        NoResponse::NotConnected => "it takes no connection".to_owned(),
        NoResponse::Insecure(Insecurity::Expired) => "its TLS certificate has expired".to_owned(),
        NoResponse::Insecure(Insecurity::OtherHost) => {
            "its TLS certificate is for another host name".to_owned()
        }
        NoResponse::Insecure(Insecurity::Untrusted) => {
            "its TLS certificate is not trusted".to_owned()
        }
        NoResponse::Insecure(Insecurity::Failed) => "TLS with it failed".to_owned(),
        NoResponse::NotHttp => "its answer is not valid HTTP".to_owned(),
        NoResponse::BrokenOff => "the connection to it broke off".to_owned(),
    })
}

fn redirect_url(redirect: &str) -> Result<RedirectUrl, ProviderError> {
    RedirectUrl::new(redirect.to_owned())
        .map_err(|error| ProviderError::NoAnswer(error.to_string()))
}

#[cfg(test)]
mod tests;
