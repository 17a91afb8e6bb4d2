//! The rules for rows of products, categories and image jobs.

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{
    ProblemKind,
    claim::{Claim, Mend},
    findings::Findings,
};
use crate::{
    resources::queue_key,
    rules::text,
    storage::{Key, Value},
    transaction::{
        ReadKey, Record, Row, TimeKey, change_key, entries,
        keys::{Family, KeyPart, key},
    },
    wire::{Category, ImageJob, ImageStatus, Product, Tombstone},
};

/// Checks a record's row, its key and its index entries.
pub(super) fn record<T: Record>(findings: &mut Findings, at: &ReadKey, row: &Value) -> Option<T> {
    let record: T = findings.parse(row)?;
    let (partition, time, id) = (at.partition, record.updated_at(), record.id().uuid());
    if at.id() != Some(id) {
        findings.bad(format!("the row holds {id}, which is another record"));
        return None;
    }
    findings.changed(time);
    let whose = || format!("{} {id}", <T as Record>::ROWS.name().to_lowercase());
    findings.claim(Claim::entry(
        change_key(partition, T::BY_CHANGE, time, id),
        Vec::new(),
        whose(),
    ));
    for (entry, held) in entries(partition, &record) {
        findings.claim(Claim::entry(entry, held.to_vec(), whose()));
    }
    for reference in T::REFERENCES {
        for other in reference.ids(&record) {
            findings.refers(
                key(partition, reference.rows, &[KeyPart::Id(other)]),
                format!(
                    "{} refers to {} {other}, which is not there",
                    whose(),
                    reference.name
                ),
            );
            findings.concerning(reference.rows, other);
        }
    }
    Some(record)
}

/// Checks a product's row.
pub(super) fn product(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(product) = record::<Product>(findings, at, row) else {
        return;
    };
    let id = product.id.uuid();
    if product.stock_quantity.is_some() {
        findings.refers(
            key(at.partition, Family::StockLevel, &[KeyPart::Id(id)]),
            format!("product {id} is tracked, and has no stock level"),
        );
        findings.concerning(Family::Product, id);
    }
    if product.image_status == Some(ImageStatus::Pending) {
        findings.refers(
            key(at.partition, Family::ImageJobByProduct, &[KeyPart::Id(id)]),
            format!("product {id} waits for an image, and no job is queued"),
        );
        findings.concerning(Family::Product, id);
    }
}

/// Checks a category's row.
pub(super) fn category(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if let Some(category) = record::<Category>(findings, at, row) {
        findings.claim(Claim::there(
            key(
                at.partition,
                Family::CategoryFoldedName,
                &[KeyPart::Id(category.id.uuid())],
            ),
            ProblemKind::MissingEntry,
            format!("category {} is not in the index of names", category.id),
        ));
        let folded = text::folded(&category.name);
        findings.mended_by(Some(Mend::Write(folded.as_bytes().into())));
    }
}

/// Checks a record's row by the common rules alone.
pub(super) fn rows<T: Record>(findings: &mut Findings, at: &ReadKey, row: &Value) {
    record::<T>(findings, at, row);
}

/// Checks a category's folded name.
/// The category and its entry in the index of names must exist.
pub(super) fn folded_name(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let (Ok(folded), Some(id)) = (std::str::from_utf8(row), at.id()) else {
        return findings.bad("the folded name of a category is no text".to_owned());
    };
    findings.leads_to::<Category>(at.partition, Family::Category, id, |_| true);
    findings.concerning(Family::Category, id);
    findings.claim(Claim::entry(
        key(
            at.partition,
            Family::CategoryByName,
            &[KeyPart::Text(folded)],
        ),
        id.as_bytes().to_vec(),
        format!("category {id}"),
    ));
}

/// Checks an entry in the index of names.
pub(super) fn by_name(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let (Some(id), Some(name)) = (findings.id(row), at.text().map(str::to_owned)) else {
        return;
    };
    let folded = key(at.partition, Family::CategoryFoldedName, &[KeyPart::Id(id)]);
    let test = move |found: Option<&Value>| match found {
        Some(found) if **found == *name.as_bytes() => None,
        _ => Some(format!(
            "a name leads to category {id}, which does not have it"
        )),
    };
    let claim = Claim::on(folded, ProblemKind::StrayEntry, test);
    findings.claim(claim.reported_as(&findings.key().clone()));
    findings.mended_by(Some(Mend::Remove));
}

/// Checks an index entry of a record.
/// The id is in its key, or else in its value.
pub(super) fn index<T: Record + 'static>(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let id = match at.id() {
        Some(id) => {
            findings.is_empty(row);
            Some(id)
        }
        None => findings.id(row),
    };
    let Some(id) = id else { return };
    let (entry, partition) = (findings.key().clone(), at.partition);
    findings.leads_to::<T>(partition, <T as Record>::ROWS, id, move |record: &T| {
        let time = record.updated_at();
        change_key(partition, T::BY_CHANGE, time, id) == entry
            || entries(partition, record).any(|(key, _)| key == entry)
    });
    findings.concerning(<T as Record>::ROWS, id);
}

/// Checks a tombstone.
/// Its key agrees with its content, and the record is gone.
pub(super) fn tombstone<T: Row>(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(tombstone) = findings.parse::<Tombstone>(row) else {
        return;
    };
    let id = tombstone.id;
    if at.id() != Some(id) || at.time() != Some(tombstone.updated_at) {
        return findings.bad("a tombstone is not where its id and time say".to_owned());
    }
    findings.changed(tombstone.updated_at);
    let kind = ProblemKind::DeletedAndThere;
    let live = key(at.partition, T::ROWS, &[KeyPart::Id(id)]);
    let test = move |found: Option<&Value>| {
        found.map(|_| format!("{id} has a tombstone, but still exists"))
    };
    findings.claim(Claim::on(live, kind, test));
}

/// Checks an image job: its product exists and leads to it.
pub(super) fn image_job(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(job) = findings.parse::<ImageJob>(row) else {
        return;
    };
    let (id, product) = (job.id.uuid(), job.product_id.uuid());
    if at.id() != Some(id) {
        return findings.bad(format!("the row holds {id}, which is another job"));
    }
    findings.changed(job.updated_at);
    findings.claim(Claim::entry(
        key(
            at.partition,
            Family::ImageJobByProduct,
            &[KeyPart::Id(product)],
        ),
        id.as_bytes().to_vec(),
        format!("image job {id}"),
    ));
    findings.claim(Claim::entry(
        change_key(at.partition, Family::ImageJobByCreation, job.created_at, id),
        Vec::new(),
        format!("image job {id}"),
    ));
    if let Some(entry) = queue_key(at.partition, &job) {
        findings.claim(Claim::entry(entry, Vec::new(), format!("image job {id}")));
    }
    findings.refers(
        key(at.partition, Family::Product, &[KeyPart::Id(product)]),
        format!("image job {id} is for product {product}, which is not there"),
    );
    findings.concerning(Family::Product, product);
}

/// Checks the entry from a product to its image job.
pub(super) fn image_job_by_product(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if let (Some(job), Some(product)) = (findings.id(row), at.id()) {
        let of_product = move |job: &ImageJob| job.product_id == product;
        findings.leads_to::<ImageJob>(at.partition, Family::ImageJob, job, of_product);
    }
}

/// Checks a place in the queue of image jobs.
pub(super) fn image_job_by_due(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.is_empty(row);
    let Some((location, job)) = at.two_ids() else {
        return;
    };
    let entry = findings.key().clone();
    let is_due = move |job: &ImageJob| queue_key(location, job).as_ref() == Some(&entry);
    findings.leads_to::<ImageJob>(location, Family::ImageJob, job, is_due);
}

/// Checks an entry of the list order of rows stored by id.
pub(super) fn in_order<T: Row<Key = TimeKey> + DeserializeOwned + 'static>(
    findings: &mut Findings,
    at: &ReadKey,
    row: &Value,
) {
    findings.is_empty(row);
    if let (Some(time), Some(id)) = (at.time(), at.id()) {
        findings.leads_to::<T>(at.partition, T::ROWS, id, move |row| {
            row.key() == (time, id)
        });
    }
}

impl Findings {
    /// Claims: the row of this entry exists, and has this entry.
    /// `has` returns true for a row with the entry.
    pub(super) fn leads_to<T: DeserializeOwned + 'static>(
        &mut self,
        partition: Uuid,
        rows: Family,
        id: Uuid,
        has: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) {
        let row: Key = key(partition, rows, &[KeyPart::Id(id)]);
        let claim = Claim::row::<T>(self.key(), row, has);
        self.claim(claim);
    }
}
