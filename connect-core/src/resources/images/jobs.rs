//! The rows of an image job.
//! These are the job itself, the entry of its product, and its place in the queue.
//!
//! One queue serves all locations, so a worker finds all due jobs in one read. A job's place
//! follows from the job ([`due_at`]) and is written in the same commit: no job is without one.
//!
//! Waits are counted from the `updatedAt` of a job, read from the clock. The location's change
//! times may be ahead of the clock after it was wrong, and no job would be due until the clock
//! caught up.

use uuid::Uuid;

use crate::{
    rules::image::due_at,
    storage::{Key, Value},
    transaction::{
        Fault, Reads, UnitOfWork,
        keys::{Family, GLOBAL, KeyPart, key},
    },
    wire::{Id, ImageJob, ImageStatus, Product},
};

/// Adds the read of a product's image job.
pub(crate) fn reads(partition: Uuid, product: Id<Product>, reads: &mut Reads) {
    let by_product = by_product(partition, product);
    reads.followed(by_product, Family::ImageJob);
}

/// Queues the download of a link for a product without a job.
pub(super) fn queue(unit: &mut UnitOfWork<'_>, product: Id<Product>, link: &str) {
    let job = ImageJob {
        id: unit.next_id().into(),
        product_id: product,
        source_url: link.to_owned(),
        status: ImageStatus::Pending,
        error: None,
        attempts: 0,
        created_at: unit.time(),
        updated_at: unit.now(),
    };
    save(unit, None, &job);
    let by_product = by_product(unit.partition(), product);
    unit.put_new(by_product, Value::from(job.id.uuid().as_bytes().as_slice()));
    unit.wake_workers();
}

/// Queues the pending download of a product again, if its job is lost.
pub(in crate::resources) async fn restore(
    unit: &mut UnitOfWork<'_>,
    product: &Product,
) -> Result<(), Fault> {
    let is_pending = product.image_status == Some(ImageStatus::Pending);
    if let (true, Some(link)) = (is_pending, &product.image_url)
        && of_product(unit, product.id).await?.is_none()
    {
        queue(unit, product.id, link);
    }
    Ok(())
}

/// Writes `new` in place of `old`, and moves it in the queue.
pub(crate) fn save(unit: &mut UnitOfWork<'_>, old: Option<&ImageJob>, new: &ImageJob) {
    let partition = unit.partition();
    let before = old.and_then(|old| queue_key(partition, old));
    let now = queue_key(partition, new);
    if before != now {
        before.into_iter().for_each(|entry| unit.delete(entry));
        now.into_iter()
            .for_each(|entry| unit.put_new(entry, Value::default()));
    }
    unit.replace(old, new);
}

/// Removes a product's job, if it has one.
pub(crate) async fn cancel(unit: &mut UnitOfWork<'_>, product: Id<Product>) -> Result<(), Fault> {
    if let Some(job) = of_product(unit, product).await? {
        let partition = unit.partition();
        unit.remove_row(&job);
        unit.delete(by_product(partition, product));
        if let Some(entry) = queue_key(partition, &job) {
            unit.delete(entry);
        }
    }
    Ok(())
}

/// The job of a product, if it has one.
pub(crate) async fn of_product(
    unit: &mut UnitOfWork<'_>,
    product: Id<Product>,
) -> Result<Option<ImageJob>, Fault> {
    let by_product = by_product(unit.partition(), product);
    let Some(id) = unit.get(&by_product).await? else {
        return Ok(None);
    };
    let id = Uuid::from_slice(&id).map_err(|e| Fault::corrupt(&by_product, e))?;
    find(unit, id).await
}

/// The job with this id.
pub(crate) async fn find(unit: &mut UnitOfWork<'_>, id: Uuid) -> Result<Option<ImageJob>, Fault> {
    let row_key = row_key(unit.partition(), id);
    let row = unit.get(&row_key).await?;
    row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&row_key, e)))
        .transpose()
}

/// The key of the row of a job.
pub(crate) fn row_key(partition: Uuid, id: Uuid) -> Key {
    key(partition, Family::ImageJob, &[KeyPart::Id(id)])
}

/// The place of a job in the queue; `None` once it has ended.
pub(crate) fn queue_key(location: Uuid, job: &ImageJob) -> Option<Key> {
    let due = KeyPart::Time(due_at(job)?);
    let parts = [due, KeyPart::Id(location), KeyPart::Id(job.id.uuid())];
    Some(key(GLOBAL, Family::ImageJobByDue, &parts))
}

pub(super) fn by_product(partition: Uuid, product: Id<Product>) -> Key {
    key(
        partition,
        Family::ImageJobByProduct,
        &[KeyPart::Id(product.uuid())],
    )
}
