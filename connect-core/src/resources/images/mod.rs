//! Image jobs: the downloads of images.
//! A product has at most one; a newer link replaces it.
//!
//! A write with a new link queues the job in the same commit ([`jobs`]). A worker processes the queue.

mod jobs;

use std::collections::HashMap;

pub(super) use self::jobs::restore;
pub(crate) use self::jobs::{cancel, find, of_product, queue_key, reads, row_key, save};
use crate::{
    auth::Access,
    engine::{Listed, RowFilter, Tally},
    storage::Value,
    transaction::{
        Error, ReadKey, Relations, Row, Stored, TimeKey, UnitOfWork, created_in, keys::Family,
    },
    wire::{
        Field, Id, ImageJob, ImageStatus, ImagesQueued, ItemResult, Product,
        form::{OrNull, WebLink},
        limits::MAX_IMAGE_URL,
        query::ImageJobQuery,
        read::Invalid,
    },
};

impl Row for ImageJob {
    type Key = TimeKey;
    const ROWS: Family = Family::ImageJob;
    const IN_ORDER: Option<Family> = Some(Family::ImageJobByCreation);
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> TimeKey {
        (self.created_at, self.id.uuid())
    }

    fn key_in(row: &[u8]) -> serde_json::Result<TimeKey> {
        created_in(row)
    }
}

impl Stored for ImageJob {
    const FAMILY: Family = Family::ImageJob;

    fn relations(&self, at: &ReadKey) -> Relations {
        let names = ("image job", "job");
        let mut job = Relations::of_row(self, names, self.updated_at, at);
        let by_product = jobs::by_product(at.partition, self.product_id);
        let id = self.id.uuid().as_bytes().as_slice().into();
        job.entries.push((by_product, id));
        let by_due = queue_key(at.partition, self);
        job.entries
            .extend(by_due.map(|entry| (entry, Value::default())));
        job
    }
}

impl Listed for ImageJob {
    const NAME: &'static str = "image job";
    const LIST: &'static str = "image jobs";
    type Query = ImageJobQuery;

    fn filter(query: &ImageJobQuery, _: &Access) -> Result<Option<RowFilter>, Error> {
        let passes = |wanted: ImageStatus| -> RowFilter {
            Box::new(move |row| {
                serde_json::from_slice(row).map(|job: ImageJob| job.status == wanted)
            })
        };
        Ok(query.status.clone().map(passes))
    }
}

/// The items of a batch with queued downloads, by product.
#[derive(Debug, Default)]
pub struct QueuedImages(HashMap<Id<Product>, usize>);

impl Tally<Product> for QueuedImages {
    fn add(&mut self, old: Option<&Product>, new: &Product, results: &mut [ItemResult]) {
        if old.is_some_and(|old| has_same_image(old, new)) {
            return;
        }
        // A later item may take back the download that an earlier one queued.
        let before = match new.image_status {
            Some(ImageStatus::Pending) => {
                let last = results.len() - 1;
                results[last].image_status = Some(ImageStatus::Pending);
                self.0.insert(new.id, last)
            }
            _ => self.0.remove(&new.id),
        };
        if let Some(before) = before {
            results[before].image_status = None;
        }
    }

    fn extra(&self) -> ImagesQueued {
        ImagesQueued {
            images_queued: self.0.len(),
        }
    }
}

/// Returns whether two states of a product have the same image.
pub(crate) fn has_same_image(a: &Product, b: &Product) -> bool {
    a.image_url == b.image_url && a.image_status == b.image_status
}

/// Writes the link given to a product.
/// Its current link, as sent or as stored, changes nothing. It is accepted even if it would be
/// refused by now.
pub(crate) async fn apply(
    unit: &mut UnitOfWork<'_>,
    product: &mut Product,
    link: &Field<OrNull<WebLink<MAX_IMAGE_URL>>>,
) -> Result<(), Error> {
    match link {
        Field::Absent => {}
        Field::Null => {
            cancel(unit, product.id).await?;
            product.image_url = None;
            product.image_status = None;
            product.image_error = None;
        }
        Field::Value(link) if product.image_url.as_ref() == Some(link) => {}
        Field::Value(link) => {
            // A product without a link has no job.
            let had_link = product.image_url.is_some();
            if had_link {
                let job = jobs::of_product(unit, product.id).await?;
                if job.is_some_and(|job| job.source_url == *link) {
                    return Ok(());
                }
            }
            let judged = unit.image_links().check(link);
            judged.map_err(|problem| Invalid::new("imageUrl", problem))?;
            if had_link {
                cancel(unit, product.id).await?;
            }
            jobs::queue(unit, product.id, link);
            product.image_url = Some(link.clone());
            product.image_status = Some(ImageStatus::Pending);
            product.image_error = None;
        }
    }
    Ok(())
}
