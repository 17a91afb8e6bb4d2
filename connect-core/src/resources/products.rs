//! Products (specification: Products).

use async_trait::async_trait;
use uuid::Uuid;

use super::{
    images::{self, QueuedImages},
    stock,
};
use crate::{
    auth::Access,
    engine::{self, Draft, Purpose, Resource, Upsert},
    rules::{product as rules, text, words},
    transaction::{
        Error, Index, Indexed, Reads, Record, Reference, UnitOfWork, WordIndex, index,
        keys::Family, nth, reference,
    },
    wire::{
        Category, CategoryInput, EventType, Field, Id, OptionGroup, Product, ProductInput,
        ProductsChanged, WireRecord as _, WriteInput as _, limits::MAX_IDS_PER_EVENT,
        query::ProductQuery, read::Invalid,
    },
};

impl Record for Product {
    type Query = ProductQuery;

    const ROWS: Family = Family::Product;
    const BY_CHANGE: Family = Family::ProductByChange;
    const TOMBSTONES: Family = Family::ProductTombstone;
    const INDEXES: &'static [Index<Self>] = &[
        index!(external_id: text, Unique, ProductByExternalId),
        index!(barcode: text, Holders, ProductByBarcode),
        index!(category_id: id, ByChange, ProductByCategory),
    ];
    const REFERENCES: &'static [Reference<Self>] = &[
        Reference {
            field: "optionGroupIds",
            is_list: true,
            name: OptionGroup::NAME,
            rows: OptionGroup::ROWS,
            entries: Some(Family::ProductByOptionGroup),
            of_record: |product, place| nth(&product.option_group_ids, place),
            of_input: |input, place| nth(input.option_group_ids.value()?, place),
        },
        reference!(category_id, Category),
    ];
    const WORDS: Option<WordIndex<Self>> = Some(WordIndex {
        family: Family::ProductByWord,
        of_record: |record| &record.name,
        words: words::words,
        of_query: |query| query.search.as_deref(),
    });
}

#[async_trait]
impl Resource for Product {
    const NAME: &'static str = "product";
    const LIST: &'static str = "products";
    const CHANGED: EventType = EventType::ProductChanged;

    fn check(input: &mut ProductInput) -> Result<(), Invalid> {
        rules::check_category(input)?;
        input.check()
    }

    fn reads(draft: &Draft<Self>, reads: &mut Reads) {
        if let Some(name) = draft.category_name.value() {
            // Items of a batch mostly share a few categories. The row of the category is read too, for the
            // check of the reference.
            let name = text::folded(name);
            reads.shared_unique::<Category>(Family::CategoryByName, Indexed::Text(&name));
        }
    }

    fn reads_of(
        id: Id<Self>,
        draft: Option<&Draft<Self>>,
        unit: Option<&UnitOfWork<'_>>,
        reads: &mut Reads,
    ) {
        if draft.is_none_or(|draft| !draft.image_url.is_absent()) {
            images::reads(reads.partition(), id, reads);
        }
        let by_code = Family::ProductByExternalId;
        let keeps = |code: &String| {
            let known = unit.and_then(|unit| unit.known_unique(by_code, Indexed::Text(code)));
            known == Some(id.uuid())
        };
        // The level follows the external id.
        let is_moved = |draft: &Draft<Self>| match &draft.external_id {
            Field::Absent => false,
            Field::Null => true,
            Field::Value(code) => !keeps(code),
        };
        match draft {
            None => stock::reads_of_deleted(id, reads),
            Some(draft) if is_moved(draft) => stock::reads(id, reads),
            Some(_) => {}
        }
    }

    fn blank(unit: &UnitOfWork<'_>, access: &Access) -> Self {
        let location = access.location();
        Self {
            currency: location.currency.clone(),
            vat_rate: location.default_vat_rate,
            ..Self::new(unit.next_id(), unit.time())
        }
    }

    async fn fill(
        &mut self,
        draft: &Draft<Self>,
        old: Option<&Self>,
        unit: &mut UnitOfWork<'_>,
        access: &Access,
    ) -> Result<(), Error> {
        // The link is taken over below, together with its download.
        let image_url = self.image_url.take();
        self.apply(draft);
        self.image_url = image_url;
        rules::check_dates(self, draft)?;
        images::apply(unit, self, &draft.image_url).await?;
        if let Field::Value(name) = &draft.category_name {
            self.category_id = Some(category_named(unit, access, name).await?);
        }
        if self.stock_quantity.is_some()
            && old.is_some_and(|old| old.external_id != self.external_id)
        {
            stock::follow_external_id(unit, self).await?;
        }
        Ok(())
    }

    async fn on_delete(&self, unit: &mut UnitOfWork<'_>) -> Result<(), Error> {
        stock::forget(unit, self.id).await?;
        Ok(images::cancel(unit, self.id).await?)
    }

    async fn restore_parts(&self, unit: &mut UnitOfWork<'_>) -> Result<(), Error> {
        stock::restore(unit, self).await?;
        Ok(images::restore(unit, self).await?)
    }
}

impl Upsert for Product {
    const BATCH_CHANGED: EventType = EventType::ProductsChanged;

    type Tally = QueuedImages;
}

/// The id of the category of this name.
/// A missing category is made.
async fn category_named(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    name: &str,
) -> Result<Id<Category>, Error> {
    let folded = text::folded(name);
    if let Some(id) = unit
        .find_unique(Family::CategoryByName, Indexed::Text(&folded))
        .await?
    {
        return Ok(id.into());
    }
    let draft = Draft::check(CategoryInput::named(name), Purpose::Create)?;
    let category: Category = engine::create(unit, access, &draft).await?;
    Ok(category.id)
}

/// Takes every product out of a deleted category, in the same commit.
pub(super) async fn leave_category(
    unit: &mut UnitOfWork<'_>,
    category: Id<Category>,
) -> Result<(), Error> {
    let leave = |product: &mut Product| product.category_id = None;
    let ids = engine::unlink(unit, Family::ProductByCategory, category.uuid(), leave).await?;
    emit_bulk(unit, &ids, &[]);
    Ok(())
}

/// Adds the events of a bulk change or deletion.
pub(super) fn emit_bulk(unit: &mut UnitOfWork<'_>, changed: &[Uuid], deleted: &[Uuid]) {
    let none = || [].as_slice();
    let changed = changed.chunks(MAX_IDS_PER_EVENT).map(|ids| (ids, none()));
    let deleted = deleted.chunks(MAX_IDS_PER_EVENT).map(|ids| (none(), ids));
    for (ids, deleted_ids) in changed.chain(deleted) {
        let changed = ProductsChanged {
            reason: "bulk".to_owned(),
            ids: ids.to_vec(),
            deleted_ids: Some(deleted_ids.to_vec()),
        };
        unit.emit(EventType::ProductsChanged, changed);
    }
}

/// Takes a deleted option group from every product, in the same commit.
pub(super) async fn leave_option_group(
    unit: &mut UnitOfWork<'_>,
    group: Id<OptionGroup>,
) -> Result<(), Error> {
    let leave = |product: &mut Product| product.option_group_ids.retain(|id| *id != group);
    let ids = engine::unlink(unit, Family::ProductByOptionGroup, group.uuid(), leave).await?;
    emit_changed(unit, "optionGroups", &ids);
    Ok(())
}

/// Adds the events of a change of many products for one reason.
pub(crate) fn emit_changed(unit: &mut UnitOfWork<'_>, reason: &str, ids: &[Uuid]) {
    for ids in ids.chunks(MAX_IDS_PER_EVENT) {
        let changed = ProductsChanged {
            reason: reason.to_owned(),
            ids: ids.to_vec(),
            deleted_ids: None,
        };
        unit.emit(EventType::ProductsChanged, changed);
    }
}
