//! Image jobs: the queue of downloads. A product has at most one; a newer link replaces it.

use uuid::Uuid;

use crate::{
    record::{
        Fault, Reads, Unit,
        keys::{Family, Part, key},
    },
    storage::{Key, Value},
    wire::{
        Field, ImageJob, ImageStatus, Product,
        form::{HttpsLink, OrNull},
        limits::MAX_IMAGE_URL,
    },
};

/// What a write does to the image job of its product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageEffect {
    /// Nothing.
    None,
    /// A download is queued, in place of an earlier one.
    Queued,
    /// The product has no download any more.
    Cancelled,
}

/// Adds the read of a product's image job.
pub(crate) fn reads(partition: Uuid, product: Uuid, reads: &mut Reads) {
    let by_product = by_product(partition, product);
    reads.followed(by_product, Family::ImageJob);
}

/// Writes the link that a product was given. The link that the product has, as sent or as stored,
/// changes nothing.
pub(crate) async fn apply(
    unit: &mut Unit<'_>,
    product: &mut Product,
    link: &Field<OrNull<HttpsLink<MAX_IMAGE_URL>>>,
) -> Result<ImageEffect, Fault> {
    match link {
        Field::Absent => Ok(ImageEffect::None),
        Field::Null => {
            cancel(unit, product.id).await?;
            product.image_url = None;
            product.image_status = None;
            product.image_error = None;
            Ok(ImageEffect::Cancelled)
        }
        Field::Value(link) if product.image_url.as_ref() == Some(link) => Ok(ImageEffect::None),
        Field::Value(link) => {
            // A product without a link has no job.
            if product.image_url.is_some() {
                let job = job_of(unit, product.id).await?;
                if job.is_some_and(|job| job.source_url == *link) {
                    return Ok(ImageEffect::None);
                }
                cancel(unit, product.id).await?;
            }
            queue(unit, product.id, link);
            product.image_url = Some(link.clone());
            product.image_status = Some(ImageStatus::Pending);
            product.image_error = None;
            Ok(ImageEffect::Queued)
        }
    }
}

/// Removes a product's job, if it has one.
pub(crate) async fn cancel(unit: &mut Unit<'_>, product: Uuid) -> Result<(), Fault> {
    if let Some(job) = job_of(unit, product).await? {
        let partition = unit.partition();
        unit.delete(key(partition, Family::ImageJob, &[Part::Id(job.id)]));
        unit.delete(by_product(partition, product));
    }
    Ok(())
}

fn queue(unit: &mut Unit<'_>, product: Uuid, link: &str) {
    let job = ImageJob {
        id: unit.next_id(),
        product_id: product,
        source_url: link.to_owned(),
        status: ImageStatus::Pending,
        error: None,
        attempts: 0,
        created_at: unit.time(),
        updated_at: unit.time(),
    };
    let (partition, row) = (unit.partition(), unit.json(&job));
    unit.put(key(partition, Family::ImageJob, &[Part::Id(job.id)]), row);
    let by_product = by_product(partition, product);
    unit.put(by_product, Value::from(job.id.as_bytes().as_slice()));
}

async fn job_of(unit: &mut Unit<'_>, product: Uuid) -> Result<Option<ImageJob>, Fault> {
    let partition = unit.partition();
    let by_product = by_product(partition, product);
    let Some(id) = unit.get(&by_product).await? else {
        return Ok(None);
    };
    let id = Uuid::from_slice(&id).map_err(|e| Fault::corrupt(&by_product, e))?;
    let job_key = key(partition, Family::ImageJob, &[Part::Id(id)]);
    let row = unit.get(&job_key).await?;
    row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&job_key, e)))
        .transpose()
}

fn by_product(partition: Uuid, product: Uuid) -> Key {
    key(partition, Family::ImageJobByProduct, &[Part::Id(product)])
}
