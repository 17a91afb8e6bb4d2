//! The check of an address before it is saved.
//! Each request asks the guard again, about the addresses of its connection.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::environment::WebhookLinks;
use tokio::time::timeout;
use url::{Host, Url};

use crate::workers::outbound::{AddressGuard, LinkRefusal, LookupError, Lookups, Names};

/// The time limit for the lookup of a host.
const LOOKUP: Duration = Duration::from_secs(5);

/// Accepts HTTPS addresses if all addresses of their host are public.
/// Also accepts addresses in a network allowed by the guard. The host has to be found.
#[derive(Clone, Debug)]
pub struct PublicWebhooks {
    guard: AddressGuard,
    names: Arc<dyn Names>,
}

impl PublicWebhooks {
    /// Checks by `guard`, and looks hosts up with the system's resolver.
    pub fn new(guard: AddressGuard) -> Self {
        Self::with(guard, Arc::new(Lookups::default()))
    }

    /// Looks hosts up in `names`.
    pub fn with(guard: AddressGuard, names: Arc<dyn Names>) -> Self {
        Self { guard, names }
    }
}

#[async_trait]
impl WebhookLinks for PublicWebhooks {
    async fn check(&self, url: &str) -> Result<(), String> {
        let url = Url::parse(url).map_err(|_| "must be an absolute link".to_owned())?;
        let demand = |refusal: LinkRefusal| self.guard.demand(refusal).to_owned();
        let reach = self.guard.check(&url).map_err(demand)?;
        let Some(Host::Domain(host)) = url.host() else {
            return Ok(());
        };
        match timeout(LOOKUP, self.names.look_up(host)).await {
            Ok(Ok(found)) => self.guard.admit(found, reach).map_err(demand)?,
            Ok(Err(LookupError::Crowded)) => {
                return Err("cannot be checked right now: try again in a minute".to_owned());
            }
            Ok(Err(LookupError::NotFound(_))) | Err(_) => {
                return Err("must lead to a host that can be found".to_owned());
            }
        };
        Ok(())
    }
}
