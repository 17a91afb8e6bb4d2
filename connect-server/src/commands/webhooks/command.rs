//! The command-line syntax of webhook commands.

use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use connect_core::{
    Account, Delivery, Webhook,
    wire::{EventType, Id, Location, limits::MAX_PAGE_SIZE},
};
use serde::{Deserialize, Serialize};

/// A command about webhooks: addresses to which events are sent.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WebhookCommand {
    /// Make a webhook. The secret that signs its deliveries is shown this once.
    Create {
        /// The address: over HTTPS, and on the public internet.
        #[arg(long)]
        url: String,
        /// The types of events that it gets, with commas between.
        #[arg(long, value_name = "TYPES", value_delimiter = ',', required = true,
              value_parser = event_type())]
        events: Vec<EventType>,
        /// The locations whose events it gets, with commas between [default: all of the account]
        #[arg(long, value_name = "IDS", value_delimiter = ',')]
        locations: Vec<Id<Location>>,
        /// The account it belongs to [default: that of the locations, or the only one]
        #[arg(long, value_name = "ID")]
        account: Option<Id<Account>>,
    },
    /// List all webhooks, without their secrets.
    List,
    /// Change a webhook. What is not named stays as it is.
    Change {
        /// The webhook.
        id: Id<Webhook>,
        /// The changes.
        #[command(flatten)]
        changes: WebhookChanges,
    },
    /// Send a test to a webhook: a `ping`, or an event of a type with made-up records.
    Test {
        /// The webhook.
        id: Id<Webhook>,
        /// The type of the event [default: a `ping`]
        #[arg(long, value_name = "TYPE", value_parser = event_type())]
        #[serde(default)]
        event: Option<EventType>,
    },
    /// Give a webhook a new secret, which is shown this once. For 24 hours the old one signs as well.
    Roll {
        /// The webhook.
        id: Id<Webhook>,
    },
    /// Switch a webhook on again. What waited since it was switched off is sent, in order.
    Enable {
        /// The webhook.
        id: Id<Webhook>,
        /// Give up what waited, and send only the events from now on.
        #[arg(long)]
        #[serde(default)]
        drop_waiting: bool,
    },
    /// Switch a webhook off. What is due waits for up to 30 days, and events since then wait with it.
    Disable {
        /// The webhook.
        id: Id<Webhook>,
    },
    /// Delete a webhook with its deliveries.
    Delete {
        /// The webhook.
        id: Id<Webhook>,
    },
    /// List the latest deliveries of a webhook that were attempted, newest first. They are kept for
    /// 30 days.
    Deliveries {
        /// The webhook.
        id: Id<Webhook>,
        /// The number of deliveries, at most 200.
        #[arg(long, value_name = "N", default_value_t = 20,
              value_parser = clap::value_parser!(u16).range(1..=MAX_PAGE_SIZE as i64))]
        limit: u16,
        /// List those that are older than this delivery.
        #[arg(long, value_name = "DELIVERY")]
        before: Option<Id<Delivery>>,
    },
    /// Send an event again that was attempted before, as a new delivery.
    Resend {
        /// The webhook.
        id: Id<Webhook>,
        /// The delivery.
        delivery: Id<Delivery>,
    },
}

/// The changes of a webhook; at least one.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
#[group(required = true, multiple = true)]
#[serde(rename_all = "camelCase")]
pub struct WebhookChanges {
    /// The address: over HTTPS, and on the public internet.
    #[arg(long)]
    pub url: Option<String>,
    /// The types of events that it gets, with commas between.
    #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = event_type())]
    pub events: Option<Vec<EventType>>,
    /// The locations whose events it gets, with commas between.
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub locations: Option<Vec<Id<Location>>>,
    /// Give it the events of all locations of the account, those that are made later included.
    #[arg(long, conflicts_with = "locations")]
    pub all_locations: bool,
}

/// Reads the type of an event.
/// The refusal of an unknown one lists all types and names the nearest.
fn event_type() -> impl TypedValueParser<Value = EventType> {
    let known = EventType::KNOWN.iter().map(EventType::as_str);
    PossibleValuesParser::new(known).map(|text| EventType::from(&*text))
}
