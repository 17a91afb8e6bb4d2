//! Lists with an unreadable row end before it.

use uuid::Uuid;

use super::{ListPart, ListRead};
use crate::transaction::{Fault, LenientReader, Row, Store};

impl Store {
    /// Reads a list up to its first unreadable row.
    ///
    /// Called after a failed read. Rows and tombstones are tried separately and in smaller and
    /// smaller parts, to find a place up to which both are readable. They are returned from one
    /// state all the same.
    pub(super) async fn list_up_to_damage<T: Row>(
        &self,
        partition: Uuid,
        slice: ListRead<'_, T::Key>,
        fault: Fault,
    ) -> Result<ListPart<T::Key>, Fault> {
        LenientReader::new(self).probe().await?;
        let mut limit = slice.limit;
        while limit > 0 {
            let rows = ListRead {
                limit,
                tombstones: None,
                ..slice
            };
            let tombstones = slice.tombstones.map(|most| ListRead {
                limit: 0,
                tombstones: Some(most.min(limit)),
                ..slice
            });
            for part in [Some(rows), tombstones].into_iter().flatten() {
                let Ok(read) = self.list_whole::<T>(partition, part).await else {
                    continue;
                };
                let Some((place, _)) = read.rows.last().or(read.tombstones.last()) else {
                    continue;
                };
                let until = ListRead {
                    key_range: slice.key_range.up_to(*place),
                    ..slice
                };
                if let Ok(listed) = self.list_whole::<T>(partition, until).await {
                    return Ok(ListPart {
                        cut_at: Some(*place),
                        ..listed
                    });
                }
            }
            limit /= 2;
        }
        Err(match fault {
            Fault::Storage(error) => Fault::Damaged(error),
            fault => fault,
        })
    }
}
