//! Webhooks: made, listed, changed and tested by their owner (contract: chapter 10).

mod deliveries;
mod log;
mod resend;
mod samples;
mod setup;
mod state;
mod statistics;
mod test_events;
mod waiting;
mod worth_resending;

pub use deliveries::{DeliveryFilter, DeliveryPage};
pub use resend::{MOST_RESENT, Resent};
pub use state::WebhookHealth;
pub(crate) use state::{Failing, LEASE, WebhookLease, WebhookState, due_key};
pub use statistics::{AttemptStats, DeliveryStats, FailedAttempt};
pub(crate) use test_events::test_body;
pub use waiting::{MOST_WAITING_COUNTED, WaitingEvents};

use uuid::Uuid;

use super::{
    accounts::{no_account, parse},
    owned::{self, Owned},
};
use crate::{
    engine::Connect,
    rules::{
        role::{Reach, UserRight},
        secret::Secret,
    },
    storage::{Key, Read, State, Value},
    transaction::{
        Account, Error, Fault, FormerSecret, OwnWebhook, SwitchOffReason, SwitchedOff, Webhook,
        Webhooks,
        keys::{Family, key},
    },
    wire::{
        EventType, Id, Location,
        form::{Form as _, WebLink},
        limits::{FORMER_SECRET_HOURS, MAX_WEBHOOK_URL, MAX_WEBHOOKS},
        read::{Invalid, missing},
    },
};

/// The values for a new webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWebhook {
    /// The address, at most 2000 characters.
    /// Over HTTPS and public, as checked by the port
    /// [`WebhookLinks`](crate::transaction::environment::WebhookLinks).
    pub url: String,
    /// The types of its events; at least one.
    pub events: Vec<EventType>,
    /// The locations of its events.
    /// Empty for all locations of the account, including later ones.
    pub location_ids: Vec<Id<Location>>,
}

/// A change of a webhook. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookChange {
    /// The address.
    pub url: Option<String>,
    /// The types of its events; at least one.
    pub events: Option<Vec<EventType>>,
    /// The locations of its events. Empty for all.
    pub location_ids: Option<Vec<Id<Location>>>,
}

/// A new webhook with its secret, shown only once.
#[derive(Clone, Debug)]
pub struct IssuedWebhook {
    /// The webhook.
    pub webhook: Webhook,
    /// The signing secret of its deliveries: `whsec_` and 43 characters.
    pub secret: Secret,
}

/// A new secret of a webhook, shown only once.
#[derive(Clone, Debug)]
pub struct RolledSecret {
    /// The secret.
    pub secret: Secret,
    /// Set if the former secret signs no more, as it could not be opened.
    pub is_former_lost: bool,
}

impl Owned for OwnWebhook {
    const NAME: &'static str = "webhook";
    const MOST: usize = MAX_WEBHOOKS;
    const REMOVE: &'static str = "delete";

    fn id(&self) -> Uuid {
        self.webhook.id.uuid()
    }
}

impl Connect {
    /// Makes a webhook. It gets the events committed from then on.
    ///
    /// # Errors
    /// A field is invalid, the address is refused, the account has 100 webhooks, or there is no
    /// such account.
    pub async fn create_webhook(
        &self,
        account: Id<Account>,
        new: NewWebhook,
    ) -> Result<IssuedWebhook, Error> {
        self.check_url(&new.url).await?;
        check_events(&new.events)?;
        self.set_up_webhooks(account, |setup| {
            check_locations(&setup.account, &setup.reach, &new.location_ids)?;
            let secret = self.new_signing_secret();
            let (id, now) = (setup.unit.next_id().into(), setup.unit.now());
            let sealer = self.store().sealer();
            let webhook = Webhook {
                id,
                account_id: account,
                url: new.url.clone(),
                events: new.events.clone(),
                location_ids: new.location_ids.clone(),
                created_at: now,
                enabled_at: now,
                switched_off: None,
            };
            let own = OwnWebhook {
                webhook: webhook.clone(),
                secret: sealer.seal(secret.expose(), OwnWebhook::place(id))?,
                former: None,
                dropped_at: None,
            };
            owned::add(&mut setup.webhooks.0, own)?;
            let link = Value::from(&*Webhooks::key(account.uuid()));
            setup.unit.put(Webhooks::link_key(webhook.id.uuid()), link);
            Ok(IssuedWebhook { webhook, secret })
        })
        .await
    }

    /// The webhooks of an account with their health, oldest first.
    /// A user of some locations sees the webhooks of no other ones.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account.
    pub async fn webhooks(
        &self,
        account: Id<Account>,
    ) -> Result<Vec<(Webhook, WebhookHealth)>, Error> {
        let (_, reach) = self
            .account_with(account, UserRight::ManageWebhooks)
            .await?;
        let mut webhooks = self.store().webhooks_of(account.uuid()).await?.0;
        webhooks.retain(|own| is_within(&reach, &own.webhook));
        let ids = webhooks.iter().map(|own| own.webhook.id);
        let keys: Vec<_> = ids.map(WebhookState::key).collect();
        let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
        let mut state = self.store().read(&reads).await?;
        let with_health = |(own, key): (OwnWebhook, &Key)| {
            let row = state.value().map_err(Fault::from)?;
            let state = WebhookState::read(key, row.as_ref());
            let health = state.health_since(own.webhook.enabled_at);
            Ok((own.webhook, health))
        };
        webhooks.into_iter().zip(&keys).map(with_health).collect()
    }

    /// The webhooks of an account whose secret does not open, as its key is lost or not here yet.
    /// Their deliveries wait. A [new secret](Self::roll_webhook_secret) lets them go out.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn unsigned_webhooks(&self, account: Id<Account>) -> Result<Vec<Id<Webhook>>, Error> {
        let (_, reach) = self
            .account_with(account, UserRight::ManageWebhooks)
            .await?;
        let (sealer, now) = (self.store().sealer(), self.now());
        let webhooks = self.store().webhooks_of(account.uuid()).await?;
        let within = webhooks
            .0
            .iter()
            .filter(|own| is_within(&reach, &own.webhook));
        let unsigned = within.filter(|own| own.signing_secrets(&sealer, now).is_err());
        Ok(unsigned.map(|own| own.webhook.id).collect())
    }

    /// The webhook with this id.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn webhook(&self, account: Id<Account>, id: Id<Webhook>) -> Result<Webhook, Error> {
        Ok(self.webhook_with_health(account, id).await?.0)
    }

    /// The webhook with this id, and the health of its endpoint.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn webhook_with_health(
        &self,
        account: Id<Account>,
        id: Id<Webhook>,
    ) -> Result<(Webhook, WebhookHealth), Error> {
        let (webhook, state) = self.webhook_with_state(account, id).await?;
        let health = state.health_since(webhook.enabled_at);
        Ok((webhook, health))
    }

    /// The webhook with this id, and the workers' row about it.
    async fn webhook_with_state(
        &self,
        account: Id<Account>,
        id: Id<Webhook>,
    ) -> Result<(Webhook, WebhookState), Error> {
        let ([account_row, webhooks_row], key) = (rows_of(account), WebhookState::key(id));
        let reads = [&account_row, &webhooks_row, &key].map(|key| Read::Get(key));
        let mut state = self.store().read(&reads).await?;
        let (webhook, _) = self.webhook_in(account, &mut state, id)?;
        let row = state.value().map_err(Fault::from)?;
        Ok((webhook, WebhookState::read(&key, row.as_ref())))
    }

    /// Finds a webhook within the caller's reach, and the reach.
    /// The next answers of `state` are the [rows](rows_of) of the account.
    fn webhook_in(
        &self,
        account: Id<Account>,
        state: &mut State,
        id: Id<Webhook>,
    ) -> Result<(Webhook, Reach), Error> {
        let [account_key, webhooks_key] = rows_of(account);
        let row = state.value().map_err(Fault::from)?;
        let account: Account = parse(&account_key, &row.ok_or_else(|| no_account(account))?)?;
        let reach = self.reach_in(&account, UserRight::ManageWebhooks)?;
        let row = state.value().map_err(Fault::from)?;
        let own = Webhooks::read(&webhooks_key, row.as_ref())?.0.into_iter();
        let found = own
            .map(|own| own.webhook)
            .find(|webhook| webhook.id == id && is_within(&reach, webhook));
        Ok((found.ok_or_else(|| no_webhook(id))?, reach))
    }

    /// Changes a webhook. Outstanding deliveries go to the new address.
    ///
    /// # Errors
    /// [`Error::NotFound`], or as [`create_webhook`](Self::create_webhook).
    pub async fn change_webhook(
        &self,
        account: Id<Account>,
        id: Id<Webhook>,
        change: WebhookChange,
    ) -> Result<Webhook, Error> {
        if let Some(url) = &change.url {
            self.check_url(url).await?;
        }
        if let Some(events) = &change.events {
            check_events(events)?;
        }
        self.set_up_webhooks(account, |setup| {
            if let Some(locations) = &change.location_ids {
                check_locations(&setup.account, &setup.reach, locations)?;
            }
            let webhook = &mut setup.find(id)?.webhook;
            if let Some(url) = &change.url {
                webhook.url.clone_from(url);
            }
            if let Some(events) = &change.events {
                webhook.events.clone_from(events);
            }
            if let Some(locations) = &change.location_ids {
                webhook.location_ids.clone_from(locations);
            }
            Ok(webhook.clone())
        })
        .await
    }

    /// Gives a webhook a new secret for all signatures from now on.
    /// For 24 hours the previous secret signs as well; older ones do not. A previous secret whose key is lost is
    /// dropped: receivers need the new one, and waiting deliveries go out with it.
    ///
    /// # Errors
    /// [`Error::NotFound`], or [`Error::Conflict`] while the core has no key for the new one.
    pub async fn roll_webhook_secret(
        &self,
        account: Id<Account>,
        id: Id<Webhook>,
    ) -> Result<RolledSecret, Error> {
        self.set_up_webhooks(account, |setup| {
            let secret = self.new_signing_secret();
            let until = setup.unit.now().plus_seconds(FORMER_SECRET_HOURS * 3600);
            let (sealer, place) = (self.store().sealer(), OwnWebhook::place(id));
            // The trail does not compare the secrets: sealing them by another key is no new one.
            setup.unit.note_action("webhook", id.uuid(), "roll");
            let own = setup.find(id)?;
            let new = sealer.seal(secret.expose(), place)?;
            let former = std::mem::replace(&mut own.secret, new);
            let is_former_lost = sealer.open(&former, place).is_err();
            own.former = (!is_former_lost).then_some(FormerSecret {
                secret: former,
                until,
            });
            if is_former_lost {
                // Its deliveries have waited for the key.
                setup.wake(id);
            }
            Ok(RolledSecret {
                secret,
                is_former_lost,
            })
        })
        .await
    }

    /// Switches a webhook on again.
    /// It gets the events committed from then on. `waiting` decides whether waiting events are sent
    /// or given up. A webhook already on stays unchanged.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn enable_webhook(
        &self,
        account: Id<Account>,
        id: Id<Webhook>,
        waiting: WaitingEvents,
    ) -> Result<Webhook, Error> {
        self.set_up_webhooks(account, |setup| {
            let now = setup.unit.now();
            let own = setup.find(id)?;
            if own.webhook.switched_off.take().is_none() {
                return Ok(own.webhook.clone());
            }
            // Later than before, whatever the clock says: deliveries are told apart by it.
            own.webhook.enabled_at = now.max(own.webhook.enabled_at.plus_micros(1));
            if waiting == WaitingEvents::Drop {
                own.dropped_at = Some(own.webhook.enabled_at);
            }
            let webhook = own.webhook.clone();
            setup.wake(id);
            Ok(webhook)
        })
        .await
    }

    /// Switches a webhook off.
    /// Its outstanding deliveries and later events wait for 30 days at most.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn disable_webhook(
        &self,
        account: Id<Account>,
        id: Id<Webhook>,
    ) -> Result<Webhook, Error> {
        self.set_up_webhooks(account, |setup| {
            let at = setup.unit.now();
            let webhook = &mut setup.find(id)?.webhook;
            webhook.switched_off.get_or_insert(SwitchedOff {
                at,
                reason: SwitchOffReason::Owner,
                owner_mail: None,
            });
            let webhook = webhook.clone();
            setup.wake(id);
            Ok(webhook)
        })
        .await
    }

    /// Deletes a webhook with its deliveries.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delete_webhook(&self, account: Id<Account>, id: Id<Webhook>) -> Result<(), Error> {
        self.set_up_webhooks(account, |setup| {
            setup.find(id)?;
            owned::remove(&mut setup.webhooks.0, id)?;
            // The worker removes what the webhook had.
            setup.wake(id);
            Ok(())
        })
        .await
    }

    async fn check_url(&self, url: &str) -> Result<(), Error> {
        WebLink::<MAX_WEBHOOK_URL>::check(&mut url.to_owned(), "url")?;
        let links = &self.store().environment().webhook_links;
        let checked = links.check(url).await;
        checked.map_err(|problem| Invalid::new("url", problem).into())
    }

    fn new_signing_secret(&self) -> Secret {
        Secret::new("whsec_", &*self.store().environment().randomness)
    }
}

/// The keys of an account and of its webhooks.
fn rows_of(account: Id<Account>) -> [Key; 2] {
    let account = account.uuid();
    [key(account, Family::Account, &[]), Webhooks::key(account)]
}

fn check_events(events: &[EventType]) -> Result<(), Invalid> {
    if events.is_empty() {
        return Err(missing("events"));
    }
    for (index, event) in events.iter().enumerate() {
        let field = format!("events[{index}]");
        if let Some(problem) = unknown_type(event) {
            return Err(Invalid::new(field, problem));
        }
        if events[..index].contains(event) {
            return Err(Invalid::new(field, "repeats an earlier one"));
        }
    }
    Ok(())
}

/// Returns the problem of an unknown type of events.
fn unknown_type(event: &EventType) -> Option<String> {
    if EventType::KNOWN.contains(event) {
        return None;
    }
    let known: Vec<_> = EventType::KNOWN.iter().map(EventType::as_str).collect();
    let known = known.join(", ");
    Some(format!("must be one of {known}, not {:?}", event.as_str()))
}

/// Returns whether all locations of a webhook are within reach.
fn is_within(reach: &Reach, webhook: &Webhook) -> bool {
    let mut locations = webhook.location_ids.iter();
    *reach == Reach::Account
        || !webhook.location_ids.is_empty() && locations.all(|at| reach.includes(*at))
}

fn check_locations(
    account: &Account,
    reach: &Reach,
    locations: &[Id<Location>],
) -> Result<(), Error> {
    if locations.is_empty() {
        super::accounts::whole_account(reach)?;
    }
    for (index, location) in locations.iter().enumerate() {
        let field = format!("locationIds[{index}]");
        super::accounts::check_location(account, reach, &field, *location)?;
        if locations[..index].contains(location) {
            return Err(Invalid::new(field, "repeats an earlier one").into());
        }
    }
    Ok(())
}

pub(super) fn no_webhook(id: Id<Webhook>) -> Error {
    owned::missing("webhook", id)
}
