//! The rules for rows of products, categories and image jobs.

use uuid::Uuid;

use super::{
    ProblemKind,
    claim::{Claim, Mend},
    declared,
    findings::Findings,
};
use crate::{
    rules::text,
    storage::Value,
    transaction::{
        ReadKey,
        keys::{Family, KeyPart, key},
    },
    wire::{Category, ImageJob, ImageStatus, Product},
};

/// Checks a product: its stock level and its image job exist.
pub(super) fn product(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(product) = declared::row::<Product>(findings, at, row) else {
        return;
    };
    let id = product.id.uuid();
    let mut part = |family, message| {
        findings.refers_to(family, id, message);
        findings.concerning(Family::Product, id);
    };
    if product.stock_quantity.is_some() {
        let message = format!("product {id} is tracked, and has no stock level");
        part(Family::StockLevel, message);
    }
    if product.image_status == Some(ImageStatus::Pending) {
        let message = format!("product {id} waits for an image, and no job is queued");
        part(Family::ImageJobByProduct, message);
    }
}

/// Checks a category: its folded name exists.
pub(super) fn category(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if let Some(category) = declared::row::<Category>(findings, at, row) {
        let id = category.id;
        findings.claim(Claim::there(
            key(
                at.partition,
                Family::CategoryFoldedName,
                &[KeyPart::Id(id.uuid())],
            ),
            ProblemKind::MissingEntry,
            format!("category {id} is not in the index of names"),
        ));
        let folded = text::folded(&category.name);
        findings.mended_by(Some(Mend::Write(folded.as_bytes().into())));
    }
}

/// Checks a category's folded name.
/// The category and its entry in the index of names must exist. The name may be folded by an older
/// program.
pub(super) fn folded_name(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let (Ok(folded), Some(id)) = (std::str::from_utf8(row), at.id()) else {
        return findings.bad("the folded name of a category is no text".to_owned());
    };
    declared::leads_to(findings, at, row, |_, _| true);
    let by_name = [KeyPart::Text(folded)];
    findings.claim(Claim::entry(
        key(at.partition, Family::CategoryByName, &by_name),
        id.as_bytes().as_slice().into(),
        format!("category {id}"),
    ));
}

/// Checks an entry in the index of names.
/// It leads to a category with this folded name.
pub(super) fn by_name(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let (Ok(id), Some(name)) = (Uuid::from_slice(row), at.text().map(str::to_owned)) else {
        return findings.bad("the row holds no id".to_owned());
    };
    let folded = key(at.partition, Family::CategoryFoldedName, &[KeyPart::Id(id)]);
    let test = move |found: Option<&Value>| match found {
        Some(found) if **found == *name.as_bytes() => None,
        _ => Some(format!(
            "a name leads to category {id}, which does not have it"
        )),
    };
    findings.claim_here(Claim::on(folded, ProblemKind::StrayEntry, test));
    findings.mended_by(Some(Mend::Remove));
}

/// Checks an image job: its product exists.
pub(super) fn image_job(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(job) = declared::row::<ImageJob>(findings, at, row) else {
        return;
    };
    let (id, product) = (job.id, job.product_id.uuid());
    let message = format!("image job {id} is for product {product}, which is not there");
    findings.refers_to(Family::Product, product, message);
    findings.concerning(Family::Product, product);
}
