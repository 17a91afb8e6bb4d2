//! The judgement of an address before it is saved. The request asks the guard again, about the
//! addresses that it then connects to.

use std::time::Duration;

use async_trait::async_trait;
use connect_core::environment::WebhookLinks;
use tokio::time::timeout;
use url::Url;

use super::WebhookClient;
use crate::outbound::NoResponse;

/// The time that the lookup of a host may take.
const LOOKUP: Duration = Duration::from_secs(5);

#[async_trait]
impl WebhookLinks for WebhookClient {
    /// Takes an address over HTTPS whose host is found, if all addresses of the host are public; or
    /// one in a network that the guard allows.
    async fn check(&self, url: &str) -> Result<(), String> {
        let url = Url::parse(url).map_err(|_| "must be an absolute link".to_owned())?;
        let checked = timeout(LOOKUP, self.outbound.check(&url)).await;
        let demand = match checked.unwrap_or(Err(NoResponse::UnknownHost)) {
            Ok(()) => return Ok(()),
            Err(NoResponse::Refused(refusal)) => self.guard.demand(refusal),
            Err(_) => "must lead to a host that can be found: this one has no address now",
        };
        Err(demand.to_owned())
    }
}
