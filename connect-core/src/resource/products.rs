//! Products (specification: Products).

use std::collections::HashMap;

use async_trait::async_trait;
use smallvec::SmallVec;
use uuid::Uuid;

use super::{
    images::{self, ImageEffect},
    references,
};
use crate::{
    access::Access,
    engine::{self, Draft, Match, Purpose, Resource, Upsert},
    error::Error,
    record::{Index, Reads, Record, Through, Unit, keys::Family},
    rules::{product as rules, text},
    wire::{
        Category, CategoryInput, EventType, Field, ImageStatus, ImagesQueued, ItemResult, MatchBy,
        Product, ProductInput, ProductsChanged, Timestamp, limits::MAX_IDS_PER_EVENT,
        query::ProductQuery, read::Invalid,
    },
};

impl Record for Product {
    const ROWS: Family = Family::Product;
    const BY_CHANGE: Family = Family::ProductByChange;
    const TOMBSTONES: Family = Family::ProductTombstone;

    fn id(&self) -> Uuid {
        self.id
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    fn set_updated_at(&mut self, time: Timestamp) {
        self.updated_at = time;
    }

    fn indexes(&self) -> SmallVec<[Index<'_>; 4]> {
        let external_id = self.external_id.as_deref();
        let unique = |text| Index::Unique(Family::ProductByExternalId, "externalId", text);
        let by_external_id = external_id.map(unique);
        let barcode = self.barcode.as_deref();
        let by_barcode = barcode.map(|text| Index::Holders(Family::ProductByBarcode, text));
        let by_category = self
            .category_id
            .map(|id| Index::ByChange(Family::ProductByCategory, id));
        [by_external_id, by_barcode, by_category]
            .into_iter()
            .flatten()
            .collect()
    }
}

#[async_trait]
impl Resource for Product {
    const NAME: &'static str = "product";
    const LIST: &'static str = "products";
    const CHANGED: EventType = EventType::ProductChanged;

    type Input = ProductInput;
    type Query = ProductQuery;
    type Effect = ImageEffect;

    fn check(input: ProductInput, purpose: Purpose) -> Result<ProductInput, Invalid> {
        let input = rules::check(input)?;
        if purpose == Purpose::Create {
            rules::name_of(&input)?;
        }
        Ok(input)
    }

    fn reads(draft: &Draft<Self>, by: Option<&MatchBy>, reads: &mut Reads) {
        if let Some(external_id) = draft.external_id.value()
            && by != Some(&MatchBy::ExternalId)
        {
            reads.entry(Family::ProductByExternalId, external_id);
        }
        if let Some(id) = draft.category_id.value() {
            reads.record::<Category>(*id);
        }
        if let Some(name) = draft.category_name.value() {
            // Items of a batch mostly share a few categories.
            reads.shared_entry(Family::CategoryByName, &text::folded(name));
        }
    }

    fn reads_of(id: Uuid, draft: Option<&Draft<Self>>, reads: &mut Reads) {
        if draft.is_none_or(|draft| !draft.image_url.is_absent()) {
            images::reads(reads.partition(), id, reads);
        }
    }

    fn more_reads(drafts: &[&Draft<Self>], access: &Access, unit: &Unit<'_>, reads: &mut Reads) {
        let ids = drafts.iter().filter_map(|draft| draft.category_id.value());
        references::reads_elsewhere::<Category>(ids.copied(), access, unit, reads);
    }

    fn blank(draft: &Draft<Self>, unit: &Unit<'_>, access: &Access) -> Result<Self, Invalid> {
        Ok(Self {
            id: unit.next_id(),
            external_id: None,
            name: rules::name_of(draft)?.clone(),
            description: None,
            price_cents: 0,
            currency: access.location().currency.clone(),
            vat_rate: access.location().default_vat_rate,
            barcode: None,
            category_id: None,
            is_active: true,
            available_from: None,
            available_until: None,
            image_url: None,
            image_status: None,
            image_error: None,
            option_group_ids: Vec::new(),
            stock_quantity: None,
            created_at: unit.time(),
            updated_at: unit.time(),
        })
    }

    async fn fill(
        &mut self,
        draft: &Draft<Self>,
        _: Option<&Self>,
        unit: &mut Unit<'_>,
        access: &Access,
    ) -> Result<ImageEffect, Error> {
        rules::apply(draft, self)?;
        // There are no option groups yet, so no id can name one.
        if let Some(ids) = draft.option_group_ids.value()
            && !ids.is_empty()
        {
            let problem = format!("names no option group of this location: {}", ids[0]);
            return Err(Invalid::new("optionGroupIds[0]", problem).into());
        }
        match (&draft.category_id, &draft.category_name) {
            (Field::Null, _) => self.category_id = None,
            (Field::Value(id), _) if self.category_id == Some(*id) => {}
            (Field::Value(id), _) => {
                references::check::<Category>(unit, access, "categoryId", *id).await?;
                self.category_id = Some(*id);
            }
            (Field::Absent, Field::Value(name)) => {
                self.category_id = Some(category_named(unit, access, name).await?);
            }
            (Field::Absent, _) => {}
        }
        Ok(images::apply(unit, self, &draft.image_url).await?)
    }

    async fn on_delete(&self, unit: &mut Unit<'_>) -> Result<(), Error> {
        Ok(images::cancel(unit, self.id).await?)
    }

    fn through(query: &ProductQuery) -> Through<'_> {
        match (&query.external_id, &query.barcode) {
            (Some(text), _) => Through::Unique(Family::ProductByExternalId, text),
            (None, Some(text)) => Through::Holders(Family::ProductByBarcode, text),
            (None, None) => Self::in_order(query),
        }
    }

    fn in_order(query: &ProductQuery) -> Through<'_> {
        let by_category = |id| Through::ByChange(Family::ProductByCategory, id);
        query.category_id.map_or(Through::All, by_category)
    }

    fn filter(query: &ProductQuery) -> Option<fn(&Self, &ProductQuery) -> bool> {
        let filters = [
            query.external_id.is_some(),
            query.barcode.is_some(),
            query.category_id.is_some(),
        ];
        let has_several = filters.iter().filter(|is_set| **is_set).count() > 1;
        (has_several || query.barcode.is_some()).then_some(passes)
    }
}

/// Checks a product against every filter, also that of the index that it was found through.
fn passes(product: &Product, query: &ProductQuery) -> bool {
    let is = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
    is(&query.external_id, &product.external_id)
        && is(&query.barcode, &product.barcode)
        && query
            .category_id
            .is_none_or(|id| product.category_id == Some(id))
}

impl Upsert for Product {
    const BATCH_CHANGED: EventType = EventType::ProductsChanged;

    /// The places of the items whose downloads are queued, by product.
    type Effects = HashMap<Uuid, usize>;

    fn matched<'i>(item: &'i ProductInput, by: &MatchBy) -> Option<Match<'i>> {
        match by {
            MatchBy::Id => item.id.value().copied().map(Match::Id),
            MatchBy::Barcode => {
                let barcode = item.barcode.value()?;
                Some(Match::Holders(Family::ProductByBarcode, barcode))
            }
            _ => {
                let external_id = item.external_id.value()?;
                Some(Match::Unique(Family::ProductByExternalId, external_id))
            }
        }
    }

    fn external_id(item: &ProductInput) -> Option<&str> {
        item.external_id.value().map(String::as_str)
    }

    fn own_external_id(&self) -> Option<&str> {
        self.external_id.as_deref()
    }

    fn note(
        queued: &mut HashMap<Uuid, usize>,
        id: Uuid,
        effect: ImageEffect,
        result: &mut ItemResult,
        earlier: &mut [ItemResult],
    ) {
        // A later item may take back the download that an earlier one queued.
        let before = match effect {
            ImageEffect::None => None,
            ImageEffect::Queued => {
                result.image_status = Some(ImageStatus::Pending);
                queued.insert(id, result.index)
            }
            ImageEffect::Cancelled => queued.remove(&id),
        };
        if let Some(before) = before {
            earlier[before].image_status = None;
        }
    }

    fn extra(queued: &HashMap<Uuid, usize>) -> ImagesQueued {
        ImagesQueued {
            images_queued: queued.len(),
        }
    }
}

/// The id of the category of this name, which is made when there is none.
async fn category_named(unit: &mut Unit<'_>, access: &Access, name: &str) -> Result<Uuid, Error> {
    let folded = text::folded(name);
    if let Some(id) = unit.find_unique(Family::CategoryByName, &folded).await? {
        return Ok(id);
    }
    let draft = Draft::check(CategoryInput::named(name), Purpose::Create)?;
    let category: Category = engine::create(unit, access, &draft).await?;
    Ok(category.id)
}

/// Takes every product out of a category that is deleted, in the same commit.
pub(super) async fn leave_category(unit: &mut Unit<'_>, category: Uuid) -> Result<(), Error> {
    let leave = |product: &mut Product| product.category_id = None;
    let ids = references::clear(unit, Family::ProductByCategory, category, leave).await?;
    for ids in ids.chunks(MAX_IDS_PER_EVENT) {
        let changed = ProductsChanged {
            reason: "bulk".to_owned(),
            ids: ids.to_vec(),
            deleted_ids: Some(Vec::new()),
        };
        unit.emit(EventType::ProductsChanged, changed);
    }
    Ok(())
}
