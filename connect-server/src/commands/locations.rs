//! Locations: made, listed and changed.

use clap::{Args, Subcommand};
use connect_core::{
    Account, AccountLocation, Connect, Error, LocationChange, NewLocation,
    wire::{Id, Location, Timestamp, VatRate},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    execution::{Execution, OfAccount, Shown, known},
    privacy::{self, PersonArguments},
};
use crate::telemetry::audit::Action;

/// A command about locations: the shops of an account.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LocationCommand {
    /// Make a location.
    Create {
        /// The name, 1 to 100 characters.
        #[arg(long)]
        name: String,
        /// The ISO code of its currency. It cannot be changed later.
        #[arg(long, value_name = "CODE", default_value = "EUR")]
        currency: String,
        /// The VAT rate, in percent, of products that are made without one.
        #[arg(long, value_name = "PERCENT", default_value = "21")]
        vat_rate: VatRate,
        /// The account it belongs to [default: the only one]
        #[arg(long, value_name = "ID")]
        account: Option<Id<Account>>,
    },
    /// List all locations.
    List,
    /// Change a location. What is not named stays as it is.
    Change {
        /// The location.
        id: Id<Location>,
        /// The changes.
        #[command(flatten)]
        changes: LocationChanges,
    },
    /// Erase a location with everything of it, in 30 days. Until then everything goes on, and `location keep` takes
    /// it back.
    Erase {
        /// The location.
        id: Id<Location>,
    },
    /// Take back the erasure of a location.
    Keep {
        /// The location.
        id: Id<Location>,
    },
    /// Blank the name of a person in receipts, orders and events of a location.
    Blank {
        /// The location.
        id: Id<Location>,
        /// The person.
        #[command(flatten)]
        #[serde(flatten)]
        person: PersonArguments,
    },
}

/// The changes of a location; at least one.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
#[group(required = true, multiple = true)]
#[serde(rename_all = "camelCase")]
pub struct LocationChanges {
    /// The name, 1 to 100 characters.
    #[arg(long)]
    pub name: Option<String>,
    /// The VAT rate, in percent, of products that are made without one from now on.
    #[arg(long, value_name = "PERCENT")]
    pub vat_rate: Option<VatRate>,
}

/// A location as shown by commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LocationView {
    /// The location.
    #[serde(flatten)]
    pub location: AccountLocation,
    /// The account of the location.
    pub account_id: Id<Account>,
    /// The time of its planned erasure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erase_at: Option<Timestamp>,
}

impl OfAccount for Location {
    const NAME: &'static str = "location";
    const ADVICE: &'static str = "; `connect-server location list` lists them";

    async fn is_of(id: Id<Self>, account: Id<Account>, connect: &Connect) -> Result<bool, Error> {
        let account = connect.account(account).await?;
        Ok(account.locations.iter().any(|at| at.id == id))
    }
}

/// Executes a command.
///
/// # Errors
/// There is no such account or location, a value is not allowed, or only the operator may do this.
pub(super) async fn execute<'a>(
    command: &LocationCommand,
    to: &mut Execution<'a>,
) -> Result<Shown<'a>, Error> {
    let connect = to.connect;
    Ok(match command {
        LocationCommand::Create {
            name,
            currency,
            vat_rate,
            account,
        } => {
            let account_id = to.new_in(Action::CreateLocation, *account, &[]).await?;
            to.check_operator()?;
            let new = NewLocation {
                name: name.clone(),
                currency: currency.clone(),
                default_vat_rate: *vat_rate,
            };
            let location = connect.create_location(account_id, new).await?;
            to.subject.is(location.id);
            known(LocationView {
                location,
                account_id,
                erase_at: None,
            })
        }
        LocationCommand::List => {
            let mut all = Vec::new();
            for account_id in to.accounts().await? {
                let account = connect.account(account_id).await?;
                let erase_at = |location| {
                    let planned = account.planned_erasure(Some(location));
                    planned.map(|planned| planned.erase_at)
                };
                all.extend(account.locations.iter().map(|location| LocationView {
                    location: location.clone(),
                    account_id,
                    erase_at: erase_at(location.id),
                }));
            }
            known(all)
        }
        LocationCommand::Change { id, changes } => {
            let account_id = to.on(Action::ChangeLocation, *id).await?;
            let change = LocationChange {
                name: changes.name.clone(),
                default_vat_rate: changes.vat_rate,
            };
            let location = connect.change_location(account_id, *id, change).await?;
            let account = connect.account(account_id).await?;
            let planned = account.planned_erasure(Some(*id));
            known(LocationView {
                location,
                account_id,
                erase_at: planned.map(|planned| planned.erase_at),
            })
        }
        LocationCommand::Erase { id } => {
            let account = to.on(Action::EraseLocation, *id).await?;
            privacy::erase(to, account, Some(*id)).await?
        }
        LocationCommand::Keep { id } => {
            let account = to.on(Action::KeepLocation, *id).await?;
            privacy::keep(to, account, Some(*id)).await?
        }
        LocationCommand::Blank { id, person } => {
            let account = to.on(Action::BlankPerson, *id).await?;
            privacy::blank(to, account, *id, person).await?
        }
    })
}

/// Returns the result of a command as text.
///
/// # Errors
/// It is not a result of this command.
pub(super) fn text(command: &LocationCommand, result: Value) -> serde_json::Result<String> {
    Ok(match command {
        LocationCommand::Create { .. } => {
            let made: LocationView = serde_json::from_value(result)?;
            let id = made.location.id;
            format!(
                "{}\nNext: `connect-server screen create --location {id} --type pos --name NAME`. \
                 An account needs a screen before the API answers its tokens.",
                line(&made)
            )
        }
        LocationCommand::Change { .. } => line(&serde_json::from_value(result)?),
        LocationCommand::Erase { id } => privacy::erased_text("location", &id.to_string(), result)?,
        LocationCommand::Keep { id } => privacy::kept_text("location", &id.to_string()),
        LocationCommand::Blank { .. } => privacy::blanked_text(&result),
        LocationCommand::List => {
            let locations: Vec<LocationView> = serde_json::from_value(result)?;
            if locations.is_empty() {
                return Ok(
                    "There are no locations. `connect-server location create` makes one."
                        .to_owned(),
                );
            }
            let lines: Vec<_> = locations.iter().map(line).collect();
            lines.join("\n")
        }
    })
}

fn line(view: &LocationView) -> String {
    let (at, account) = (&view.location, view.account_id);
    let rate = json!(at.default_vat_rate);
    format!(
        "{}  {}  {}  VAT {rate} %  of account {account}{}",
        at.id,
        at.name,
        at.currency,
        privacy::planned(view.erase_at)
    )
}
