//! What the service calls the records and times that the model has only counted.

use uuid::Uuid;

use super::{Serial, Tick};

/// Ids and times as they were learned from the service.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    ids: Vec<Option<Uuid>>,
    ticks: Vec<Option<String>>,
}

impl Names {
    pub(crate) fn next_serial(&mut self) -> Serial {
        self.ids.push(None);
        self.ids.len() - 1
    }

    pub(crate) fn next_tick(&mut self) -> Tick {
        self.ticks.push(None);
        self.ticks.len() - 1
    }

    pub(crate) fn serial(&self, id: Uuid) -> Option<Serial> {
        self.ids.iter().position(|known| *known == Some(id))
    }

    pub(crate) fn is_known(&self, serial: Serial) -> bool {
        self.ids[serial].is_some()
    }

    pub(crate) fn id(&self, serial: Serial) -> Uuid {
        self.ids[serial].expect("the service has shown this record")
    }

    pub(crate) fn time(&self, tick: Tick) -> &str {
        self.ticks[tick]
            .as_deref()
            .expect("the service has shown this change")
    }

    /// The record has this id: the one it had before, or one that no other record has.
    pub(crate) fn learn_id(&mut self, serial: Serial, id: Uuid) {
        match self.ids[serial] {
            Some(known) => assert_eq!(known, id, "a record has changed its id"),
            None => {
                assert_eq!(self.serial(id), None, "two records have one id");
                self.ids[serial] = Some(id);
            }
        }
    }

    /// The change was at this time: later than every change before it, earlier than every one
    /// after it. Times are written with the same number of digits, so they sort as texts.
    pub(crate) fn learn_time(&mut self, tick: Tick, time: &str) {
        if let Some(known) = &self.ticks[tick] {
            assert_eq!(known, time, "one change has two times");
            return;
        }
        let known = |tick: &Option<String>| tick.clone();
        let before = self.ticks[..tick].iter().filter_map(known).max();
        let after = self.ticks[tick..].iter().filter_map(known).min();
        assert!(
            before.is_none_or(|before| *before < *time),
            "not later than the change before"
        );
        assert!(
            after.is_none_or(|after| *time < *after),
            "not earlier than the change after"
        );
        self.ticks[tick] = Some(time.to_owned());
    }
}
