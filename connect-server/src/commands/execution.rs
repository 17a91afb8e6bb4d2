//! The execution of a command: its person, the accounts within reach, and its effect.

use std::future::ready;

use connect_core::{
    Account, Connect, Error, Reason, Secret,
    wire::{Id, Location},
};
use futures_util::{FutureExt as _, future::BoxFuture};
use serde::Serialize;
use serde_json::Value;

use super::ShownOnce;
use crate::telemetry::audit::{Action, Subject};

/// The number of accounts named in a refusal.
const ACCOUNTS_SHOWN: usize = 10;

/// The person behind a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authority {
    /// All accounts.
    Operator,
    /// The user's account. The core refuses what the user's roles do not include.
    User(Id<Account>),
}

/// A command in execution, with its effect for the audit log.
pub(crate) struct Execution<'a> {
    pub(super) connect: &'a Connect,
    by: Authority,
    /// The address of the owner's listener, when a server runs.
    pub(super) owner_url: Option<&'a str>,
    /// The action of the command; `None` for a list.
    pub(crate) action: Option<Action>,
    /// Its account and object, as soon as they are known.
    pub(crate) subject: Subject,
    /// The secret that it made.
    pub(crate) secret: Option<ShownOnce>,
    /// Set if the secret that it replaced signs no more.
    pub(crate) is_former_lost: bool,
}

/// The result of a command as JSON, read when it is shown.
///
/// A command was executed even if its result cannot be read.
pub(crate) type Shown<'a> = BoxFuture<'a, Result<Value, Error>>;

/// The result of a command, to be read when it is shown.
pub(super) fn shown<'a, T: Serialize>(
    read: impl Future<Output = Result<T, Error>> + Send + 'a,
) -> Shown<'a> {
    // Our own types have string keys only, so they have a form in JSON.
    let json = |result| serde_json::to_value(result).unwrap_or_default();
    async move { Ok(json(read.await?)) }.boxed()
}

/// The result of a command, known already.
pub(super) fn known<T: Serialize + Send + 'static>(result: T) -> Shown<'static> {
    shown(ready(Ok(result)))
}

/// A thing of an account, found by its id.
pub(super) trait OfAccount: Sized {
    /// Its name in texts.
    const NAME: &'static str;

    /// The end of the text about a missing one.
    const ADVICE: &'static str = "";

    /// Returns whether an account has it.
    async fn is_of(id: Id<Self>, account: Id<Account>, connect: &Connect) -> Result<bool, Error>;
}

impl<'a> Execution<'a> {
    /// Begins a command of a person.
    pub(crate) fn new(connect: &'a Connect, by: Authority, owner_url: Option<&'a str>) -> Self {
        Self {
            connect,
            by,
            owner_url,
            action: None,
            subject: Subject::default(),
            secret: None,
            is_former_lost: false,
        }
    }

    /// Notes the secret that the command made, to be shown once.
    pub(super) fn show_once(&mut self, secret: &Secret) -> ShownOnce {
        let shown = ShownOnce::new(secret.expose());
        self.secret = Some(shown.clone());
        shown
    }

    /// Refuses users.
    pub(super) fn check_operator(&self) -> Result<(), Error> {
        match self.by {
            Authority::Operator => Ok(()),
            Authority::User(_) => Err(Error::ForbiddenScope(Reason::new(
                "only the operator of this server may do this",
            ))),
        }
    }

    /// The accounts within reach.
    pub(super) async fn accounts(&self) -> Result<Vec<Id<Account>>, Error> {
        match self.by {
            Authority::Operator => self.connect.account_ids().await,
            Authority::User(account) => Ok(vec![account]),
        }
    }

    /// Begins an action on an object, and returns its account.
    ///
    /// # Errors
    /// No account has such an object.
    pub(super) async fn on<T: OfAccount>(
        &mut self,
        action: Action,
        id: Id<T>,
    ) -> Result<Id<Account>, Error> {
        self.action = Some(action);
        self.find(id).await
    }

    /// Finds the account of an object. A user's is known, and the core looks for the object there.
    ///
    /// # Errors
    /// No account has such an object.
    pub(super) async fn find<T: OfAccount>(&mut self, id: Id<T>) -> Result<Id<Account>, Error> {
        self.subject.is(id);
        let account = match self.by {
            Authority::User(account) => account,
            Authority::Operator => self.account_of(id).await?,
        };
        self.subject.is_of(account);
        Ok(account)
    }

    /// Begins an action on an account.
    ///
    /// # Errors
    /// It is not the account of the user.
    pub(super) fn on_account(&mut self, action: Action, account: Id<Account>) -> Result<(), Error> {
        self.action = Some(action);
        self.check_reach(account)?;
        self.subject.is_of(account);
        Ok(())
    }

    /// Begins making an object, and returns its account.
    /// It is the named one, the one of the locations, or the only one within reach.
    ///
    /// # Errors
    /// There is no such location, or no account, or there are several.
    pub(super) async fn new_in(
        &mut self,
        action: Action,
        account: Option<Id<Account>>,
        locations: &[Id<Location>],
    ) -> Result<Id<Account>, Error> {
        self.action = Some(action);
        let account = self.account_for(account, locations).await?;
        self.check_reach(account)?;
        self.subject.is_of(account);
        Ok(account)
    }

    async fn account_for(
        &self,
        account: Option<Id<Account>>,
        locations: &[Id<Location>],
    ) -> Result<Id<Account>, Error> {
        match (self.by, account, locations.first()) {
            (_, Some(account), _) | (Authority::User(account), ..) => Ok(account),
            (Authority::Operator, None, Some(first)) => self.account_of(*first).await,
            (Authority::Operator, None, None) => match self.connect.account_ids().await?[..] {
                [] => Err(not_found(
                    "the store has no account; `connect-server account create` makes one"
                        .to_owned(),
                )),
                [only] => Ok(only),
                ref several => Err(self.ambiguous(several).await?),
            },
        }
    }

    fn check_reach(&self, account: Id<Account>) -> Result<(), Error> {
        match self.by {
            Authority::User(own) if own != account => {
                Err(not_found(format!("there is no account {account}")))
            }
            _ => Ok(()),
        }
    }

    async fn account_of<T: OfAccount>(&self, id: Id<T>) -> Result<Id<Account>, Error> {
        for account in self.connect.account_ids().await? {
            if T::is_of(id, account, self.connect).await? {
                return Ok(account);
            }
        }
        Err(missing(id))
    }

    /// Makes the refusal of a command without the account it needs.
    async fn ambiguous(&self, accounts: &[Id<Account>]) -> Result<Error, Error> {
        let mut named = Vec::new();
        for id in accounts.iter().take(ACCOUNTS_SHOWN) {
            named.push(format!("{id} ({})", self.connect.account(*id).await?.name));
        }
        let more = accounts.get(ACCOUNTS_SHOWN).map_or("", |_| ", and more");
        Ok(Error::Conflict(Reason::new(format!(
            "the store has {} accounts: choose one with --account ID; the accounts are {}{more}",
            accounts.len(),
            named.join(", "),
        ))))
    }
}

/// The refusal of a command about a missing object.
pub(super) fn missing<T: OfAccount>(id: Id<T>) -> Error {
    not_found(format!("there is no {} {id}{}", T::NAME, T::ADVICE))
}

pub(super) fn not_found(problem: String) -> Error {
    Error::NotFound(Reason::new(problem))
}
