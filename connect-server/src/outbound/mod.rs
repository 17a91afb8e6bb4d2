//! Requests to addresses that others give: links to images today, webhooks later. The address
//! guard keeps them out of every network that is not the public internet.
//!
//! A link is checked before each request ([`AddressGuard::check`]), which catches literal
//! addresses. A name is checked by the resolver, which hands on only what may be connected to, so
//! there is no second lookup that could answer otherwise. Nothing here follows redirects or asks
//! proxies.

mod client;
mod guard;
mod public;

pub(crate) use client::install_provider;
pub use client::{NoResponse, Outbound, OutboundError};
pub use guard::{AddressGuard, LinkRefusal, Reach};
pub use public::is_public;
