//! A session: all due deliveries of one webhook.

mod reading;

use std::{collections::VecDeque, pin::Pin, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::{
    attempt::{Attempted, DueDelivery, attempt},
    fair_scheduler::Chosen,
    hosts::{Host, HostPlace},
    mail, purge, queue, resume,
    session_commits::{LeasedWebhook, SessionLease},
    stock,
    work::DeliveryWork,
    worker::WebhookWorker,
};
use crate::{
    owner::LEASE,
    rules::{
        lease::LEASE_MARGIN,
        webhook::{MAX_FAILURES, count_failure, is_probed, most_under_way},
    },
    storage::Key,
    transaction::{
        Delivery, DeliveryStatus, Error, Fault, OwnWebhook,
        environment::{Randomness as _, SystemRandomness},
        keys::{Family, key},
    },
    wire::{Timestamp, limits::WEBHOOK_SECONDS},
};

/// The attempts at one webhook at a time: at first, and at most.
/// They grow with every success. After a failure they shrink, so a hanging endpoint costs little.
const FIRST_ATTEMPTS: usize = 4;
const MOST_ATTEMPTS: usize = 32;

/// The most attempts under way or without a recorded outcome.
const MOST_UNRECORDED: usize = 256;

/// The longest wait of an attempt for its place among all webhooks.
/// The wait does not count as a failure of the endpoint.
const WAIT: Duration = Duration::from_secs(20);

/// The time limit for new attempts of a session.
/// Then another webhook gets its place.
const TURN: Duration = Duration::from_secs(60);

/// The least remaining lease, in seconds, at the start of an attempt.
///
/// It covers the wait for a place, the attempt, and its record, before the lease is over by any
/// clock.
const SPARE: i64 = WAIT.as_secs() as i64 + WEBHOOK_SECONDS as i64 + LEASE_MARGIN;

// After an attempt of the full ten seconds, the lease still suffices for the next one.
const _: () = assert!(SPARE + WEBHOOK_SECONDS as i64 <= LEASE);

/// The pause of a webhook after its sender was full, in seconds.
const CROWDED_PAUSE: i64 = 5;

/// The seconds before a retry of unreadable waiting stock events.
const RELEASE_PAUSE: i64 = 300;

/// Makes the due deliveries of a webhook.
/// Returns `None` when another session has it, when its secret does not open, or when its rows need a repair first.
pub(super) async fn run(
    worker: &WebhookWorker,
    chosen: Chosen,
) -> Result<Option<DeliveryWork>, Error> {
    let store = worker.store();
    let webhook = chosen.webhook.into();
    let id = new_session();
    let session = SessionLease { store, webhook, id };
    let Some(mut leased) = session.lease(chosen.due).await? else {
        return Ok(None);
    };
    let mut work = DeliveryWork::default();
    let mut next = None;
    let mut pause = 0;
    if leased.enabled().is_some() && !leased.is_resumed {
        let resumed = resume::run(session, &worker.stop, leased).await?;
        let Some((still, given_up)) = resumed else {
            return Ok(Some(work));
        };
        leased = still;
        store.metrics().deliveries.given_up.add(given_up);
        work.given_up += given_up;
    }
    if leased.enabled().is_some() && !leased.health.may_attempt(store.now()) {
        // Stock events wait with the rest, and are moved into the queue with the next probe.
        next = leased.health.next_probe();
    } else if let Some(own) = leased.enabled()
        && !worker.unsigned.can_sign(store, own)
    {
        // It stays due, as another process may have the key. This one leaves it until the next interval.
        if queue::has_any(store, webhook.uuid(), Family::WaitingStock).await? {
            next = Some(store.now());
        }
        session.end(next, pause).await?;
        return Ok(None);
    } else if leased.enabled().is_some() && leased.is_resumed {
        let released = stock::release(session).await;
        next = released.unwrap_or_else(|fault| {
            // The deliveries in the queue do not wait for that.
            tracing::error!(%fault, webhook = %webhook.uuid(), "stock events have to wait");
            Some(store.now().plus_seconds(RELEASE_PAUSE))
        });
        let mut deliveries = DeliverySession::new(worker, session, leased);
        let ended = deliveries.deliver().await;
        work += deliveries.work;
        if deliveries.is_crowded {
            pause = CROWDED_PAUSE;
        }
        match ended? {
            Some(still) => leased = still,
            None => return Ok(Some(work)),
        }
    }
    if let Some(own) = leased.enabled().filter(|_| leased.has_failed()) {
        let switched_off = usize::from(mail::switch_off(worker, &own.webhook).await?);
        store.metrics().deliveries.switched_off.add(switched_off);
        work.switched_off += switched_off;
        match session.record(&[], &[]).await? {
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
            next = mail::tell_owner(worker, &own.webhook).await?;
        }
        Some(_) => {}
    }
    session.end(next, pause).await?;
    Ok(Some(work))
}

/// The unique name of a session.
/// It always comes from the system: the ids of two processes from another source may be the same.
fn new_session() -> Uuid {
    let mut bytes = [0; 16];
    SystemRandomness.fill(&mut bytes);
    Uuid::from_bytes(bytes)
}

/// A completed step of a session.
enum SessionStep {
    /// An attempt.
    Attempted(Box<Attempted>),
    /// An attempt not made, for lack of a place.
    Crowded(Box<DueDelivery>),
    /// An attempt not made, as the sender is full.
    NotTried(Box<DueDelivery>),
    /// The end of the wait for a host's place; `None` after a timeout.
    Admitted(Option<HostPlace>),
    /// A commit: the current lease, and the number of recorded attempts.
    Recorded(Result<Option<LeasedWebhook>, Fault>, DeliveryWork),
}

type Steps<'w> = FuturesUnordered<Pin<Box<dyn Future<Output = SessionStep> + Send + 'w>>>;

struct DeliverySession<'w> {
    worker: &'w WebhookWorker,
    session: SessionLease<'w>,
    leased: LeasedWebhook,
    started: Instant,
    /// The end of the session's work.
    /// Later deliveries are left to another session.
    horizon: Timestamp,
    /// The place to read on in the queue; `None` at its end.
    cursor: Option<Key>,
    /// Deliveries without their event read.
    queued: VecDeque<(Key, Delivery)>,
    ready: VecDeque<DueDelivery>,
    /// The bytes of the largest event of the last read.
    largest: usize,
    /// Unreadable entries of the queue.
    broken: Vec<Key>,
    /// Completed attempts, not yet recorded.
    ended: Vec<Attempted>,
    under_way: usize,
    /// The attempts in the current commit; `None` without a commit.
    recording: Option<usize>,
    most: usize,
    /// The host is full, and the session waits in line.
    is_in_line: bool,
    /// The place from the line, until the next attempts begin.
    admitted: Option<HostPlace>,
    /// Set once the sender, or the host, was full.
    /// The session makes room for others, and another session goes on after a pause.
    is_crowded: bool,
    /// The failed attempts in a row, recorded or not.
    failures: u32,
    /// Set while the probe of this minute is still to be made.
    may_probe: bool,
    work: DeliveryWork,
}

impl<'w> DeliverySession<'w> {
    fn new(worker: &'w WebhookWorker, session: SessionLease<'w>, leased: LeasedWebhook) -> Self {
        let failures = leased.health.failures_in_a_row;
        Self {
            worker,
            session,
            leased,
            started: Instant::now(),
            horizon: session.store.now(),
            cursor: Some(key(session.webhook.uuid(), Family::DeliveryByDue, &[])),
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

    /// Makes the due deliveries. Returns the lease.
    /// `None` when another session has the webhook by now.
    async fn deliver(&mut self) -> Result<Option<LeasedWebhook>, Fault> {
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
                Some(SessionStep::Attempted(attempted)) => self.note(*attempted),
                Some(SessionStep::Crowded(due)) => {
                    self.under_way -= 1;
                    self.ready.push_front(*due);
                }
                Some(SessionStep::Admitted(place)) => {
                    self.is_in_line = false;
                    self.is_crowded |= place.is_none() && self.under_way == 0;
                    self.admitted = place;
                }
                Some(SessionStep::NotTried(due)) => {
                    if !self.is_crowded {
                        let webhook = self.session.webhook.uuid();
                        tracing::info!(%webhook, "the sender has no room: deliveries have to wait");
                    }
                    self.under_way -= 1;
                    self.is_crowded = true;
                    self.ready.push_front(*due);
                }
                Some(SessionStep::Recorded(leased, work)) => {
                    self.recording = None;
                    match leased? {
                        Some(leased) => self.leased = leased,
                        None => return Ok(None),
                    }
                    let deliveries = &self.session.store.metrics().deliveries;
                    deliveries.succeeded.add(work.delivered);
                    deliveries.failed.add(work.postponed);
                    deliveries.given_up.add(work.given_up);
                    self.work += work;
                }
            }
        }
    }

    /// The webhook, while new attempts at it are allowed.
    fn may_go_on(&self) -> Option<Arc<OwnWebhook>> {
        let is_over = self.started.elapsed() > TURN || *self.worker.stop.borrow();
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
        self.session.store.now().plus_seconds(SPARE) >= self.leased.until
    }

    /// Returns whether only the lease keeps attempts from beginning.
    fn must_renew(&self) -> bool {
        let is_room = self.under_way < self.most && !self.is_in_line;
        is_room && !self.ready.is_empty() && self.is_lease_short() && self.may_go_on().is_some()
    }

    /// Begins as many attempts as allowed.
    fn begin(&mut self, own: &Arc<OwnWebhook>, steps: &mut Steps<'w>) {
        let worker = self.worker;
        if self.is_lease_short() {
            return;
        }
        let host = worker.hosts.of(&own.webhook.url);
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
                let Ok(Some(_place)) = timeout(WAIT, at_host.begin(&worker.places)).await else {
                    return SessionStep::Crowded(Box::new(due));
                };
                if *worker.stop.borrow() {
                    return SessionStep::Crowded(Box::new(due));
                }
                match attempt(worker.store(), &*worker.sender, &own, due, is_probe).await {
                    Ok(attempted) => SessionStep::Attempted(Box::new(attempted)),
                    Err(due) => SessionStep::NotTried(Box::new(due)),
                }
            }));
        }
    }

    /// Waits for a place at a full host.
    /// When the line is full too, the session ends to make room.
    fn line_up(&mut self, host: Arc<Host>, steps: &mut Steps<'w>) {
        if self.is_in_line {
            return;
        }
        match host.line_up() {
            Some(place) => {
                self.is_in_line = true;
                let place = timeout(WAIT, place);
                steps.push(Box::pin(async {
                    SessionStep::Admitted(place.await.ok().flatten())
                }));
            }
            None => self.is_crowded |= self.under_way == 0,
        }
    }

    /// Begins to record completed attempts, and to renew the lease.
    /// Does nothing during another such commit: attempts completed meanwhile are collected for the
    /// next one.
    fn record(&mut self, must_renew: bool, steps: &mut Steps<'w>) {
        let is_idle = self.ended.is_empty() && self.broken.is_empty();
        if self.recording.is_some() || (is_idle && !must_renew) {
            return;
        }
        self.recording = Some(self.ended.len());
        let ended = std::mem::take(&mut self.ended);
        let broken = std::mem::take(&mut self.broken);
        let session = self.session;
        steps.push(Box::pin(async move {
            let recorded = session.record(&ended, &broken).await;
            SessionStep::Recorded(recorded, count(&ended))
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

/// Logs without the address: some addresses have a key in their query.
fn log_failure(delivery: &Delivery) {
    let Some(last) = delivery.attempts.last() else {
        return;
    };
    let (webhook, event) = (delivery.webhook_id, delivery.event_id);
    let (attempt, status) = (delivery.attempts.len(), last.status_code);
    tracing::info!(%webhook, %event, attempt, status, "a delivery failed");
}
