//! A session: all that is due at one webhook.

mod reading;

use std::{collections::VecDeque, pin::Pin, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::{
    attempt::{Attempted, Due, NotTried, attempt},
    fair_scheduler::Chosen,
    hosts::{Host, HostPlace},
    mail,
    parts::Parts,
    purge, resume,
    session_commits::{self, Leased},
    stock,
    work::DeliveryWork,
};
use crate::{
    owner::LEASE,
    rules::{
        lease::LEASE_MARGIN,
        webhook::{MAX_FAILURES, count_failure, is_probed, most_under_way},
    },
    storage::Key,
    transaction::{
        Delivery, DeliveryStatus, Error, Fault, OwnWebhook, Webhook,
        environment::{Randomness as _, SystemRandomness},
        keys::{Family, key},
    },
    wire::{Id, Timestamp, limits::WEBHOOK_SECONDS},
};

/// The attempts at one webhook at a time: as many at first, and the most once it has shown that it
/// answers. After a failure they are fewer, so that an endpoint that hangs costs little.
const FIRST_ATTEMPTS: usize = 4;
const MOST_ATTEMPTS: usize = 32;

/// The attempts that may have ended without having been written down.
const MOST_UNRECORDED: usize = 256;

/// The time for which an attempt waits for its place among those of all webhooks. Waiting is not held
/// against the endpoint.
const WAIT: Duration = Duration::from_secs(20);

/// The time after which a session begins no more attempts, so that others get its place.
const TURN: Duration = Duration::from_secs(60);

/// The least rest of the lease, in seconds, when an attempt begins.
///
/// The attempt waits for its place, is made, and is written down before the lease is over by any clock.
const SPARE: i64 = WAIT.as_secs() as i64 + WEBHOOK_SECONDS as i64 + LEASE_MARGIN;

// Where attempts take their ten seconds, others follow them without waiting for a commit.
const _: () = assert!(SPARE + WEBHOOK_SECONDS as i64 <= LEASE);

/// The seconds for which a webhook waits whose request the sender had no room for.
const CROWDED_PAUSE: i64 = 5;

/// The seconds after which waiting stock events that cannot be read are looked at again.
const RELEASE_PAUSE: i64 = 300;

/// Does what is due at a webhook. Returns `None` when another session has it, or nobody can until its
/// rows are mended.
pub(super) async fn run(parts: &Parts, chosen: Chosen) -> Result<Option<DeliveryWork>, Error> {
    let store = parts.store();
    let webhook = chosen.webhook.into();
    let id = new_session();
    let Some(mut leased) = session_commits::lease(store, chosen, id).await? else {
        return Ok(None);
    };
    let mut work = DeliveryWork::default();
    let mut next = None;
    let mut pause = 0;
    if leased.enabled().is_some() && !leased.is_resumed {
        let Some(resumed) = resume::run(parts, webhook, id, leased).await? else {
            return Ok(Some(work));
        };
        leased = resumed.leased;
        store.figures().deliveries.given_up.add(resumed.given_up);
        work.given_up += resumed.given_up;
    }
    if leased.enabled().is_some() && !leased.health.may_attempt(store.now()) {
        // Stock events wait with the rest, and are moved into the queue with the next probe.
        next = leased.health.next_probe();
    } else if leased.enabled().is_some() && leased.is_resumed {
        let released = stock::release(store, webhook, id).await;
        next = released.unwrap_or_else(|fault| {
            // The deliveries in the queue do not wait for that.
            tracing::error!(%fault, webhook = %webhook.uuid(), "stock events have to wait");
            Some(store.now().plus_seconds(RELEASE_PAUSE))
        });
        let mut session = Session::new(parts, webhook, id, leased);
        let ended = session.deliver().await;
        work += session.work;
        if session.is_crowded {
            pause = CROWDED_PAUSE;
        }
        match ended? {
            Some(still) => leased = still,
            None => return Ok(Some(work)),
        }
    }
    if let Some(own) = leased.enabled().filter(|_| leased.has_failed()) {
        let switched_off = usize::from(mail::switch_off(parts, &own.webhook).await?);
        store.figures().deliveries.switched_off.add(switched_off);
        work.switched_off += switched_off;
        match session_commits::record(store, webhook, id, &[], &[]).await? {
            Some(still) => leased = still,
            None => return Ok(Some(work)),
        }
    }
    match &leased.own {
        None => {
            purge::remove(store, webhook).await?;
            return Ok(Some(work));
        }
        Some(own) if !own.webhook.is_enabled() => {
            next = mail::tell_owner(parts, &own.webhook).await?;
        }
        Some(_) => {}
    }
    session_commits::end(store, webhook, id, next, pause).await?;
    Ok(Some(work))
}

/// The name of a session, which no other has: always from the system, since two processes whose ids
/// come from elsewhere may have the same.
fn new_session() -> Uuid {
    let mut bytes = [0; 16];
    SystemRandomness.fill(&mut bytes);
    Uuid::from_bytes(bytes)
}

/// A step of a session that has ended.
enum Step {
    /// An attempt.
    Attempted(Box<Attempted>),
    /// An attempt that was not made, since there was no place for it.
    Crowded(Box<Due>),
    /// An attempt that was not made, since the sender had no room for it.
    NotTried(Box<NotTried>),
    /// The end of the wait for a place at the host; `None` when it took too long.
    Admitted(Option<HostPlace>),
    /// A commit: the lease as it is now, and the number of attempts that were written down.
    Recorded(Result<Option<Leased>, Fault>, DeliveryWork),
}

type Steps<'w> = FuturesUnordered<Pin<Box<dyn Future<Output = Step> + Send + 'w>>>;

struct Session<'w> {
    parts: &'w Parts,
    webhook: Id<Webhook>,
    id: Uuid,
    leased: Leased,
    started: Instant,
    /// The end of the session's work: later deliveries are left to another session.
    horizon: Timestamp,
    /// The place in the queue from which to read on; `None` at its end.
    cursor: Option<Key>,
    /// Deliveries whose event was not read yet.
    queued: VecDeque<(Key, Delivery)>,
    ready: VecDeque<Due>,
    /// The bytes of the largest event that was read last.
    largest: usize,
    /// Entries of the queue that cannot be read.
    broken: Vec<Key>,
    /// Attempts that have ended and are not written down yet.
    ended: Vec<Attempted>,
    under_way: usize,
    /// The attempts that are being written down; `None` when no commit is under way.
    recording: Option<usize>,
    most: usize,
    /// The host is full, and the session stands in line for a place.
    is_in_line: bool,
    /// The place for which it stood in line, until the next attempts begin.
    admitted: Option<HostPlace>,
    /// Set once the sender, or the host, had no room: the session makes way for others, and another one
    /// goes on after a pause.
    is_crowded: bool,
    /// The attempts that have failed in a row, those that are not written down yet included.
    failures: u32,
    /// The endpoint is probed, and this minute's attempt is still to be made.
    may_probe: bool,
    work: DeliveryWork,
}

impl<'w> Session<'w> {
    fn new(parts: &'w Parts, webhook: Id<Webhook>, id: Uuid, leased: Leased) -> Self {
        let failures = leased.health.failures_in_a_row;
        Self {
            parts,
            webhook,
            id,
            leased,
            started: Instant::now(),
            horizon: parts.store().now(),
            cursor: Some(key(webhook.uuid(), Family::DeliveryByDue, &[])),
            queued: VecDeque::new(),
            ready: VecDeque::new(),
            largest: 0,
            broken: Vec::new(),
            ended: Vec::new(),
            under_way: 0,
            recording: None,
            is_in_line: false,
            admitted: None,
            is_crowded: false,
            most: most_under_way(failures, FIRST_ATTEMPTS),
            failures,
            may_probe: true,
            work: DeliveryWork::default(),
        }
    }

    /// Delivers what is due. Returns the lease; `None` when another session has the webhook by now.
    async fn deliver(&mut self) -> Result<Option<Leased>, Fault> {
        let mut steps = Steps::new();
        loop {
            if let Some(own) = self.may_go_on() {
                loop {
                    self.refill().await?;
                    self.begin(&own, &mut steps);
                    let is_at_end = self.queued.is_empty() && self.cursor.is_none();
                    if !self.ready.is_empty() || is_at_end {
                        break;
                    }
                }
            }
            let must_renew = self.must_renew();
            if !must_renew {
                // Others can use it.
                self.admitted = None;
            }
            self.record(must_renew, &mut steps);
            match steps.next().await {
                None => return Ok(Some(self.leased.clone())),
                Some(Step::Attempted(attempted)) => self.note(*attempted),
                Some(Step::Crowded(due)) => {
                    self.under_way -= 1;
                    self.ready.push_front(*due);
                }
                Some(Step::Admitted(place)) => {
                    self.is_in_line = false;
                    self.is_crowded |= place.is_none() && self.under_way == 0;
                    self.admitted = place;
                }
                Some(Step::NotTried(not_tried)) => {
                    if !self.is_crowded {
                        let webhook = self.webhook.uuid();
                        tracing::info!(%webhook, "the sender has no room: deliveries have to wait");
                    }
                    self.under_way -= 1;
                    self.is_crowded = true;
                    self.ready.push_front(not_tried.0);
                }
                Some(Step::Recorded(leased, work)) => {
                    self.recording = None;
                    match leased? {
                        Some(leased) => self.leased = leased,
                        None => return Ok(None),
                    }
                    let deliveries = &self.parts.store().figures().deliveries;
                    deliveries.succeeded.add(work.delivered);
                    deliveries.failed.add(work.postponed);
                    deliveries.given_up.add(work.given_up);
                    self.work += work;
                }
            }
        }
    }

    /// The webhook as it is set up, while new attempts may be made at it.
    fn may_go_on(&self) -> Option<Arc<OwnWebhook>> {
        let is_over = self.started.elapsed() > TURN || *self.parts.stop.borrow();
        if self.failures >= MAX_FAILURES || is_over || self.is_crowded {
            return None;
        }
        if is_probed(self.failures) && !self.may_probe {
            return None;
        }
        let own = self.leased.own.as_ref()?;
        own.webhook.is_enabled().then(|| own.clone())
    }

    /// Returns whether the lease has too little left for another attempt.
    fn is_lease_short(&self) -> bool {
        self.parts.store().now().plus_seconds(SPARE) >= self.leased.until
    }

    /// Returns whether attempts could begin, were it not for the lease.
    fn must_renew(&self) -> bool {
        let is_room = self.under_way < self.most && !self.is_in_line;
        is_room && !self.ready.is_empty() && self.is_lease_short() && self.may_go_on().is_some()
    }

    /// Begins as many attempts as may be under way.
    fn begin(&mut self, own: &Arc<OwnWebhook>, steps: &mut Steps<'w>) {
        let parts = self.parts;
        if self.is_lease_short() {
            return;
        }
        let host = parts.hosts.of(&own.webhook.url);
        let recording = self.recording.unwrap_or_default() + self.ended.len();
        while self.under_way < self.most && self.under_way + recording < MOST_UNRECORDED {
            if self.ready.is_empty() {
                return;
            }
            let Some(at_host) = self.admitted.take().or_else(|| host.try_enter()) else {
                return self.line_up(host, steps);
            };
            let Some(due) = self.ready.pop_front() else {
                return;
            };
            self.under_way += 1;
            let is_probe = is_probed(self.failures);
            let own = own.clone();
            steps.push(Box::pin(async move {
                let Ok(Some(_place)) = timeout(WAIT, at_host.begin(&parts.places)).await else {
                    return Step::Crowded(Box::new(due));
                };
                if *parts.stop.borrow() {
                    return Step::Crowded(Box::new(due));
                }
                match attempt(parts.store(), &*parts.sender, &own, due, is_probe).await {
                    Ok(attempted) => Step::Attempted(Box::new(attempted)),
                    Err(not_tried) => Step::NotTried(Box::new(not_tried)),
                }
            }));
        }
    }

    /// Waits for a place at a host that is full. Where many wait already, others get the session's.
    fn line_up(&mut self, host: Arc<Host>, steps: &mut Steps<'w>) {
        if self.is_in_line {
            return;
        }
        match host.line_up() {
            Some(place) => {
                self.is_in_line = true;
                let place = timeout(WAIT, place);
                steps.push(Box::pin(async {
                    Step::Admitted(place.await.ok().flatten())
                }));
            }
            None => self.is_crowded |= self.under_way == 0,
        }
    }

    /// Begins to write down what has ended, and to renew the lease, unless that is under way. While
    /// one commit is on its way, the attempts that end are collected for the next.
    fn record(&mut self, must_renew: bool, steps: &mut Steps<'w>) {
        let is_idle = self.ended.is_empty() && self.broken.is_empty();
        if self.recording.is_some() || (is_idle && !must_renew) {
            return;
        }
        self.recording = Some(self.ended.len());
        let ended = std::mem::take(&mut self.ended);
        let broken = std::mem::take(&mut self.broken);
        let (parts, webhook, id) = (self.parts, self.webhook, self.id);
        steps.push(Box::pin(async move {
            let recorded =
                session_commits::record(parts.store(), webhook, id, &ended, &broken).await;
            Step::Recorded(recorded, count(&ended))
        }));
    }

    fn note(&mut self, attempted: Attempted) {
        self.under_way -= 1;
        match attempted.is_success {
            Some(true) => {
                self.failures = 0;
                self.most = (self.most + 1).min(MOST_ATTEMPTS);
            }
            Some(false) => {
                self.failures = count_failure(self.failures, attempted.is_probe);
                self.most = most_under_way(self.failures, self.most);
                self.may_probe = false;
                log_failure(&attempted.delivery);
            }
            None => log_failure(&attempted.delivery),
        }
        self.ended.push(attempted);
    }
}

fn count(ended: &[Attempted]) -> DeliveryWork {
    let mut work = DeliveryWork::default();
    for attempted in ended {
        match attempted.delivery.status {
            DeliveryStatus::Delivered => work.delivered += 1,
            DeliveryStatus::Pending => work.postponed += 1,
            DeliveryStatus::GivenUp => work.given_up += 1,
        }
    }
    work
}

/// The address is left out: some hold a key in their query.
fn log_failure(delivery: &Delivery) {
    let Some(last) = delivery.attempts.last() else {
        return;
    };
    let (webhook, event) = (delivery.webhook_id, delivery.event_id);
    let (attempt, status) = (delivery.attempts.len(), last.status_code);
    tracing::info!(%webhook, %event, attempt, status, "a delivery failed");
}
