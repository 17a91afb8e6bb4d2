//! The work beside the listeners: images, webhooks and mail, by guarded requests to other servers.

pub(crate) mod images;
pub mod mail;
pub mod outbound;
pub mod webhooks;
