//! Accounts: made, listed and changed.

use clap::{Subcommand, ValueEnum};
use connect_core::{
    Account, AccountChange, Error, NewAccount, Reason,
    wire::{Id, Timestamp},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    execution::{Execution, Shown, known, not_found},
    privacy::{self, RetentionChanges},
    users,
};
use crate::telemetry::audit::Action;

/// A command about accounts: the businesses that the service is for.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AccountCommand {
    /// Make an account, without locations.
    Create {
        /// The name of the business, 1 to 100 characters.
        #[arg(long)]
        name: String,
        /// The e-mail address at which its owner is written to.
        #[arg(long, value_name = "ADDRESS")]
        email: String,
        /// Make it an account for trials: its tokens begin with "ck_test_".
        #[arg(long)]
        sandbox: bool,
    },
    /// List all accounts.
    List,
    /// Change an account. What is not named stays as it is.
    #[command(group = clap::ArgGroup::new("changes").required(true).multiple(true))]
    Change {
        /// The account.
        id: Id<Account>,
        /// The name of the business, 1 to 100 characters.
        #[arg(long, group = "changes")]
        name: Option<String>,
        /// Demand a second factor of all users, or not: "required" or "optional". A user without one has
        /// no rights until one is added.
        #[arg(long, value_name = "DEMAND", value_enum, group = "changes")]
        second_factor: Option<SecondFactorDemand>,
    },
    /// Invite the first owner of an account to the dashboard, as `user invite` does.
    Invite {
        /// The account.
        id: Id<Account>,
    },
    /// Print everything of an account as NDJSON, one record per line, without secrets. Images are in it when a
    /// server runs.
    Export {
        /// The account.
        id: Id<Account>,
        /// The place to continue from.
        #[arg(skip)]
        #[serde(default)]
        from: Option<String>,
    },
    /// Erase an account with everything of it, in 30 days. Until then everything goes on, and `account keep` takes
    /// it back.
    Erase {
        /// The account.
        id: Id<Account>,
    },
    /// Take back the erasure of an account.
    Keep {
        /// The account.
        id: Id<Account>,
    },
    /// Show how long personal data of an account is kept, and change what is named.
    Retention {
        /// The account.
        id: Id<Account>,
        /// The changes.
        #[command(flatten)]
        #[serde(flatten)]
        changes: RetentionChanges,
    },
}

/// The demand of an account on the sign-in of its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SecondFactorDemand {
    /// Users choose.
    Optional,
    /// A user without a second factor has no rights.
    Required,
}

/// An account as shown by commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountView {
    /// Its id.
    pub id: Id<Account>,
    /// The name of the business.
    pub name: String,
    /// The e-mail address of its first owner.
    pub owner_email: String,
    /// Set for an account for trials.
    pub sandbox: bool,
    /// The demand on the sign-in of its users.
    pub second_factor: SecondFactorDemand,
    /// The number of its locations.
    pub locations: usize,
    /// The number of its screens. Without any, the API refuses its tokens.
    pub screens: usize,
    /// The time of its planned erasure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erase_at: Option<Timestamp>,
}

/// Executes a command.
///
/// # Errors
/// There is no such account, a value is not allowed, or only the operator may do this.
pub(super) async fn execute<'a>(
    command: &AccountCommand,
    to: &mut Execution<'a>,
) -> Result<Shown<'a>, Error> {
    let connect = to.connect;
    Ok(match command {
        AccountCommand::Create {
            name,
            email,
            sandbox,
        } => {
            to.action = Some(Action::CreateAccount);
            to.check_operator()?;
            let new = NewAccount {
                name: name.clone(),
                owner_email: email.clone(),
                sandbox: *sandbox,
            };
            let created = connect.create_account(new).await.map_err(names_flag)?;
            to.subject.is_of(created.id);
            known(view(created))
        }
        AccountCommand::List => {
            let mut all = Vec::new();
            for id in to.accounts().await? {
                all.push(view(connect.account(id).await?));
            }
            known(all)
        }
        AccountCommand::Change {
            id,
            name,
            second_factor,
        } => {
            to.on_account(Action::ChangeAccount, *id)?;
            let demand = second_factor.map(|demand| demand == SecondFactorDemand::Required);
            let change = AccountChange {
                name: name.clone(),
                requires_second_factor: demand,
            };
            known(view(connect.change_account(*id, change).await?))
        }
        AccountCommand::Invite { id } => {
            to.on_account(Action::InviteUser, *id)?;
            to.check_operator()?;
            let account = connect.account(*id).await?;
            let none = || not_found(format!("account {id} has no owner"));
            let owner = account.first_owner().cloned().ok_or_else(none)?;
            users::invite(to, *id, owner).await?
        }
        AccountCommand::Export { id, from } => {
            to.on_account(Action::ExportAccount, *id)?;
            privacy::export(to, *id, from.as_deref()).await?
        }
        AccountCommand::Erase { id } => {
            to.on_account(Action::EraseAccount, *id)?;
            privacy::erase(to, *id, None).await?
        }
        AccountCommand::Keep { id } => {
            to.on_account(Action::KeepAccount, *id)?;
            privacy::keep(to, *id, None).await?
        }
        AccountCommand::Retention { id, changes } => {
            to.on_account(Action::ChangeRetention, *id)?;
            privacy::retention(to, *id, *changes).await?
        }
    })
}

/// Replaces the name of a field by its flag where they differ.
fn names_flag(error: Error) -> Error {
    let of_flag = |reason: Reason| match reason.field.as_deref() {
        Some("ownerEmail") => Reason::of("--email", reason.problem),
        _ => reason,
    };
    match error {
        Error::Invalid(reason) => Error::Invalid(of_flag(reason)),
        Error::Conflict(reason) => Error::Conflict(of_flag(reason)),
        other => other,
    }
}

/// Returns the command for the rest of a result, if there is more.
pub(super) fn rest(command: &AccountCommand, result: &Value) -> Option<AccountCommand> {
    let AccountCommand::Export { id, .. } = command else {
        return None;
    };
    let from = Some(result["next"].as_str()?.to_owned());
    Some(AccountCommand::Export { id: *id, from })
}

/// Returns the note for a command executed without a running server.
pub(super) fn without_server(command: &AccountCommand) -> Option<&'static str> {
    matches!(command, AccountCommand::Invite { .. }).then_some(users::LINK_WITHOUT_SERVER)
}

fn view(account: Account) -> AccountView {
    let planned = account.planned_erasure(None);
    AccountView {
        id: account.id,
        erase_at: planned.map(|planned| planned.erase_at),
        owner_email: account.owner_email().to_owned(),
        name: account.name,
        sandbox: account.sandbox,
        second_factor: match account.requires_second_factor {
            true => SecondFactorDemand::Required,
            false => SecondFactorDemand::Optional,
        },
        locations: account.locations.len(),
        screens: account.screens.len(),
    }
}

/// Returns the result of a command as text.
///
/// # Errors
/// It is not a result of this command.
pub(super) fn text(command: &AccountCommand, result: Value) -> serde_json::Result<String> {
    Ok(match command {
        AccountCommand::Create { .. } => {
            let account: AccountView = serde_json::from_value(result)?;
            let id = account.id;
            format!(
                "{}\nNext: `connect-server location create --account {id} --name NAME` gives it a \
                 location, and `connect-server account invite {id}` its owner a way to the dashboard.",
                line(&account)
            )
        }
        AccountCommand::Change { .. } => line(&serde_json::from_value(result)?),
        AccountCommand::Invite { .. } => users::invitation_text(result)?,
        AccountCommand::Export { .. } => {
            let lines = result["lines"].as_str().unwrap_or_default();
            lines.trim_end().to_owned()
        }
        AccountCommand::Erase { id } => privacy::erased_text("account", &id.to_string(), result)?,
        AccountCommand::Keep { id } => privacy::kept_text("account", &id.to_string()),
        AccountCommand::Retention { .. } => privacy::retention_text(result)?,
        AccountCommand::List => {
            let accounts: Vec<AccountView> = serde_json::from_value(result)?;
            if accounts.is_empty() {
                return Ok(
                    "There are no accounts. `connect-server account create` makes one.".to_owned(),
                );
            }
            let lines: Vec<_> = accounts.iter().map(line).collect();
            lines.join("\n")
        }
    })
}

fn line(account: &AccountView) -> String {
    let (id, name, email) = (account.id, &account.name, &account.owner_email);
    let sandbox = if account.sandbox { "  sandbox" } else { "" };
    let locations = counted(account.locations, "location");
    let screens = counted(account.screens, "screen");
    let demand = match account.second_factor {
        SecondFactorDemand::Required => "  second factor required",
        SecondFactorDemand::Optional => "",
    };
    let erased = privacy::planned(account.erase_at);
    format!("{id}  {name}  {email}  {locations}  {screens}{sandbox}{demand}{erased}")
}

fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
