//! Rows set aside.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{list::Keyed, row::QueuedRow};
use crate::{
    Error,
    wire::{ErrorCode, Timestamp},
};

/// A row set aside.
/// The service refused it for good, its arrival is unknown, or the program [took it
/// out](super::DeviceQueue::set_aside).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedRow {
    /// The row.
    pub row: QueuedRow,
    /// The status of the answer; 0 when there was none.
    pub status: u16,
    /// The service's stable code.
    pub code: Option<ErrorCode>,
    /// The reason, for people.
    pub message: String,
    /// The path of the field at fault.
    pub field: Option<String>,
}

impl RefusedRow {
    /// A row refused by the service.
    pub(super) fn by_service(row: QueuedRow, error: &Error) -> Self {
        Self {
            row,
            status: error.status().unwrap_or_default(),
            code: error.code().cloned(),
            message: error.api().map_or(String::new(), |api| api.message.clone()),
            field: error.field().map(str::to_owned),
        }
    }

    /// A row possibly received, and not to be sent again.
    pub(super) fn in_doubt(row: QueuedRow, sent_at: Timestamp) -> Self {
        let message = format!(
            "was sent at {sent_at} and never answered, too long ago to be sent again: check \
             whether it is there before you write it again"
        );
        Self::unanswered(row, message)
    }

    /// A row taken out of the queue by hand.
    pub(super) fn by_hand(row: QueuedRow, sent_at: Option<Timestamp>) -> Self {
        let message = match sent_at {
            None => "was set aside by hand, and never arrived".to_owned(),
            Some(sent_at) => format!(
                "was set aside by hand; it was sent at {sent_at} and never answered: check \
                 whether it is there before you write it again"
            ),
        };
        Self::unanswered(row, message)
    }

    fn unanswered(row: QueuedRow, message: String) -> Self {
        Self {
            row,
            status: 0,
            code: None,
            message,
            field: None,
        }
    }
}

impl Keyed for RefusedRow {
    fn key(&self) -> Uuid {
        self.row.key()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ZReportInput;

    #[test]
    fn a_row_that_was_set_aside_tells_whether_it_may_have_arrived() {
        let sent_at = Timestamp::EPOCH.plus_seconds(1_800_000_000);
        let row = || QueuedRow::new(ZReportInput::default().into(), sent_at).unwrap();
        let time = sent_at.to_string();
        for (refused, is_told) in [
            (RefusedRow::in_doubt(row(), sent_at), true),
            (RefusedRow::by_hand(row(), Some(sent_at)), true),
            (RefusedRow::by_hand(row(), None), false),
        ] {
            assert_eq!((refused.status, refused.code), (0, None));
            assert_eq!(refused.message.contains(&time), is_told);
        }
    }
}
