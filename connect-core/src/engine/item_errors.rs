//! The errors of the items of one answer, limited in size.

use crate::{
    transaction::Error,
    wire::{ErrorDetail, limits::MAX_DETAILS_PER_BATCH},
};

/// Makes the errors of the items, in their order.
pub(crate) struct ItemErrors {
    /// The number of field errors left for the next items.
    left: usize,
}

impl ItemErrors {
    /// Starts an answer.
    pub(crate) fn new() -> Self {
        Self {
            left: MAX_DETAILS_PER_BATCH,
        }
    }

    /// Returns the error of the next item.
    /// If it has more field errors than are left, only its first is listed.
    pub(crate) fn of(&mut self, error: &Error) -> ErrorDetail {
        let mut detail = error.detail();
        match self.left.checked_sub(detail.details.len()) {
            Some(left) => self.left = left,
            None => detail.details = Vec::new(),
        }
        detail
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::read::Invalid;

    fn with_faults(count: usize) -> Error {
        let fault = |n| Invalid::new(format!("field{n}"), "is wrong");
        Error::from(Invalid {
            others: (1..count).map(fault).collect(),
            ..fault(0)
        })
    }

    #[test]
    fn items_share_the_fields_that_are_listed() {
        let mut errors = ItemErrors::new();
        let mut listed = |faults| errors.of(&with_faults(faults)).details.len();
        for _ in 0..MAX_DETAILS_PER_BATCH / 20 - 1 {
            assert_eq!(listed(20), 20);
        }
        // With 20 left.
        assert_eq!([19, 1, 2, 1].map(&mut listed), [19, 0, 0, 0]);

        let none_left = ItemErrors { left: 1 }.of(&with_faults(3));
        let whole = with_faults(3).detail();
        assert_eq!(
            (none_left.field, none_left.message),
            (whole.field, whole.message)
        );
    }
}
