//! Requests to addresses that others give: images and webhooks. The address guard keeps them
//! out of every network that is not the public internet.
//!
//! A link is checked before each request ([`AddressGuard::check`]), which catches literal
//! addresses. A name is checked by the resolver, which hands on only what may be connected to, so
//! there is no second lookup that could answer otherwise. Nothing here follows redirects or asks
//! proxies.

mod client;
mod guard;
mod lookups;
mod names;
mod no_response;
mod public;

pub(crate) use client::install_provider;
pub use client::{Outbound, OutboundError, OutboundSettings};
pub use guard::{AddressGuard, LinkRefusal, Reach};
pub use lookups::Lookups;
pub use names::{LookupError, Names, SystemNames};
pub use no_response::{Insecurity, NoResponse};
pub use public::is_public;
