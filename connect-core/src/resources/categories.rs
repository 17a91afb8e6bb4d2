//! Categories (specification: Categories).

use async_trait::async_trait;
use uuid::Uuid;

use super::products;
use crate::{
    auth::Access,
    engine::{Draft, MOST_RECORDS, Resource},
    rules::{text, words},
    storage::{Key, Value},
    transaction::{
        Error, Fault, Index, Indexed, Reads, Record, UnitOfWork, WordIndex,
        keys::{Family, KeyPart, key},
    },
    wire::{Category, EventType, Id, WireRecord as _, query::CategoryQuery},
};

impl Record for Category {
    type Query = CategoryQuery;

    const ROWS: Family = Family::Category;
    const BY_CHANGE: Family = Family::CategoryByChange;
    const TOMBSTONES: Family = Family::CategoryTombstone;
    /// The index of names is kept by [`take_name`] and [`free_name`].
    const INDEXES: &'static [Index<Self>] = &[];
    const WORDS: Option<WordIndex<Self>> = Some(WordIndex {
        family: Family::CategoryByWord,
        of_record: |record| &record.name,
        words: words::words,
        of_query: |query| query.search.as_deref(),
    });
}

#[async_trait]
impl Resource for Category {
    const NAME: &'static str = "category";
    const LIST: &'static str = "categories";
    const CHANGED: EventType = EventType::CategoryChanged;
    /// Its deletion may touch a whole catalog, so it commits alone.
    const DELETE_WEIGHT: usize = MOST_RECORDS;

    fn reads(draft: &Draft<Self>, reads: &mut Reads) {
        if let Some(name) = draft.name.value() {
            reads.entry(Family::CategoryByName, &text::folded(name));
        }
    }

    fn reads_of(
        id: Id<Self>,
        _: Option<&Draft<Self>>,
        _: Option<&UnitOfWork<'_>>,
        reads: &mut Reads,
    ) {
        reads.row(folded_name_key(reads.partition(), id));
    }

    async fn fill(
        &mut self,
        draft: &Draft<Self>,
        old: Option<&Self>,
        unit: &mut UnitOfWork<'_>,
        _: &Access,
    ) -> Result<(), Error> {
        self.apply(draft);
        match old {
            Some(old) if old.name == self.name => return Ok(()),
            Some(_) => free_name(unit, self.id).await?,
            None => {}
        }
        take_name(unit, self).await
    }

    /// Its products stay, without a category.
    async fn on_delete(&self, unit: &mut UnitOfWork<'_>) -> Result<(), Error> {
        free_name(unit, self.id).await?;
        products::leave_category(unit, self.id).await
    }
}

/// Enters the name of a category in the index of names.
/// Its previous name is out of the index already.
async fn take_name(unit: &mut UnitOfWork<'_>, category: &Category) -> Result<(), Error> {
    let folded = text::folded(&category.name);
    let holder = unit.find_unique(Family::CategoryByName, Indexed::Text(&folded));
    if let Some(holder) = holder.await? {
        return Err(Error::conflict(
            "name",
            format!("category {holder} has it already (upper and lower case are the same)"),
        ));
    }
    let partition = unit.partition();
    let id = Value::from(category.id.uuid().as_bytes().as_slice());
    unit.put(name_key(partition, &folded), id);
    let folded_name = folded_name_key(partition, category.id);
    unit.put_new(folded_name, Value::from(folded.as_bytes()));
    Ok(())
}

/// Takes the name of a category out of the index of names.
/// The entry has the name as folded at the time, even if folding has changed since.
async fn free_name(unit: &mut UnitOfWork<'_>, id: Id<Category>) -> Result<(), Fault> {
    let partition = unit.partition();
    let folded_name = folded_name_key(partition, id);
    if let Some(folded) = unit.get(&folded_name).await? {
        let folded = std::str::from_utf8(&folded).map_err(|e| Fault::corrupt(&folded_name, e))?;
        unit.delete(name_key(partition, folded));
        unit.delete(folded_name);
    }
    Ok(())
}

fn name_key(partition: Uuid, folded: &str) -> Key {
    key(partition, Family::CategoryByName, &[KeyPart::Text(folded)])
}

fn folded_name_key(partition: Uuid, category: Id<Category>) -> Key {
    key(
        partition,
        Family::CategoryFoldedName,
        &[KeyPart::Id(category.uuid())],
    )
}
