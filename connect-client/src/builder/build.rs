//! A client from its settings.

use std::sync::{Arc, Mutex};

use http::{HeaderMap, HeaderValue, header};
use tokio::sync::Semaphore;

use super::{CONNECT_TIMEOUT, ClientBuilder, Way};
use crate::{
    Client, Error,
    error::SettingsError,
    pipeline::{Pace, Pipeline, base_url::BaseUrl},
    transport::{HttpClient, HttpSettings, Proxy, Transport},
};

impl ClientBuilder {
    /// Makes the client. Nothing is sent.
    ///
    /// # Errors
    /// [`SettingsError`]: a setting is invalid, or the system has no root certificates.
    pub fn build(self) -> Result<Client, Error> {
        let base = self.base.clone()?;
        if base.is_plain() && !base.is_loopback() && !self.allow_plain_http {
            return Err(SettingsError::PlainHttp.into());
        }
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, self.token.header()?);
        let user_agent = HeaderValue::from_str(&self.user_agent);
        headers.insert(
            header::USER_AGENT,
            user_agent.map_err(|_| SettingsError::UserAgent)?,
        );
        Ok(Client::over(Pipeline {
            transport: self.way(&base)?,
            base,
            token: self.token,
            headers,
            request_timeout: self.request_timeout,
            slots: Semaphore::new(self.max_in_flight.clamp(1, Semaphore::MAX_PERMITS)),
            pace: self.pacing.then(Pace::default),
            retry: self.retry,
            on_retry: self.on_retry,
            rate_limit: Mutex::new(None),
        }))
    }

    fn way(&self, base: &BaseUrl) -> Result<Arc<dyn Transport>, SettingsError> {
        if !matches!(self.way, Way::OwnPool) {
            if self.connect_timeout.is_some() {
                return Err(SettingsError::Contradiction("connect_timeout"));
            }
            if !self.root_certificates.is_empty() {
                return Err(SettingsError::Contradiction("root_certificate"));
            }
            if self.client_certificate.is_some() {
                return Err(SettingsError::Contradiction("client_certificate"));
            }
            if !matches!(self.proxy, Proxy::Environment) {
                return Err(SettingsError::Contradiction("proxy"));
            }
        }
        Ok(match &self.way {
            Way::Transport(transport) => transport.clone(),
            Way::Pool(pool) => Arc::new(HttpClient::over(pool.clone(), self.bodies)),
            Way::OwnPool => {
                let settings = HttpSettings {
                    // Shorter than the whole attempt: a failed connection must not look like a
                    // request possibly received.
                    connect_timeout: self
                        .connect_timeout
                        .unwrap_or(CONNECT_TIMEOUT.min(self.request_timeout / 2)),
                    root_certificates: &self.root_certificates,
                    client_certificate: self.client_certificate.as_deref(),
                    proxy: &self.proxy,
                    plain: base.is_plain(),
                    loopback: base.is_loopback(),
                };
                Arc::new(HttpClient::new(&settings, self.bodies)?)
            }
        })
    }
}
