//! Option groups and their options (specification: Option groups).

use async_trait::async_trait;
use uuid::Uuid;

use super::products;
use crate::{
    auth::Access,
    engine::{
        self, Answer, Change, Draft, JsonRecords, MOST_RECORDS, Outcome, Records, Request,
        Resource, Upsert, Write,
    },
    rules::{option_group as rules, words},
    transaction::{
        Error, Index, Reads, Reason, Record, Refusal, UnitOfWork, WordIndex, index, keys::Family,
    },
    wire::{
        EventType, GroupOption, Id, OptionGroup, OptionInput, WireRecord as _, WriteInput as _,
        query::OptionGroupQuery,
    },
};

impl Record for OptionGroup {
    type Query = OptionGroupQuery;

    const ROWS: Family = Family::OptionGroup;
    const BY_CHANGE: Family = Family::OptionGroupByChange;
    const TOMBSTONES: Family = Family::OptionGroupTombstone;
    const INDEXES: &'static [Index<Self>] =
        &[index!(external_id: text, Unique, OptionGroupByExternalId)];
    const WORDS: Option<WordIndex<Self>> = Some(WordIndex {
        family: Family::OptionGroupByWord,
        of_record: |record| &record.name,
        words: words::words,
        of_query: |query| query.search.as_deref(),
    });
}

#[async_trait]
impl Resource for OptionGroup {
    const NAME: &'static str = "option group";
    const LIST: &'static str = "option groups";
    const CHANGED: EventType = EventType::OptionGroupChanged;
    /// A group may be on every product of the location.
    /// Its deletion removes it from all of them.
    const DELETE_WEIGHT: usize = MOST_RECORDS;

    fn blank(unit: &UnitOfWork<'_>, access: &Access) -> Self {
        Self {
            currency: access.location().currency.clone(),
            ..Self::new(unit.next_id(), unit.time())
        }
    }

    async fn fill(
        &mut self,
        draft: &Draft<Self>,
        _: Option<&Self>,
        unit: &mut UnitOfWork<'_>,
        _: &Access,
    ) -> Result<(), Error> {
        self.apply(draft);
        if let Some(sent) = draft.options.value() {
            self.options = rules::replaced(&self.options, sent, || unit.next_id().into())?;
        }
        Ok(rules::check_choices(self, draft)?)
    }

    /// Removes the group from its products.
    async fn on_delete(&self, unit: &mut UnitOfWork<'_>) -> Result<(), Error> {
        products::leave_option_group(unit, self.id).await
    }
}

impl Upsert for OptionGroup {
    const BATCH_CHANGED: EventType = EventType::OptionGroupChanged;

    type Tally = ();
}

/// A change of one option of a group.
struct UpdateOption {
    group: Id<OptionGroup>,
    option: Id<GroupOption>,
    input: OptionInput,
}

impl UpdateOption {
    fn no_such_option(&self) -> Error {
        let problem = format!("there is no option {} in this option group", self.option);
        Error::NotFound(Reason::new(problem))
    }
}

#[async_trait]
impl Change for UpdateOption {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads.record::<OptionGroup>(self.group.uuid());
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let old = engine::find(unit, self.group).await?;
        let mut group = old.clone();
        rules::change_option(&mut group, self.option, &self.input)
            .ok_or_else(|| self.no_such_option())??;
        let group = engine::replace(unit, access, old, group).await?;
        Answer::with(Outcome::Done, &group)
    }
}

impl JsonRecords<OptionGroup> {
    /// Changes the given fields of one option of a group.
    /// The answer is the group.
    ///
    /// # Errors
    /// A field is invalid, or there is no such group or option.
    pub fn update_option(
        &self,
        group: Uuid,
        option: Uuid,
        request: Request<OptionInput>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<> {
        let change = move |mut input: OptionInput| {
            input.check()?;
            Ok(Box::new(UpdateOption {
                group: group.into(),
                option: option.into(),
                input,
            }) as _)
        };
        self.connect.write(&self.access, request, change)
    }
}

impl Records<OptionGroup> {
    /// Changes the given fields of one option of a group.
    /// Await it for the changed group.
    ///
    /// # Errors
    /// A field is invalid, or there is no such group or option.
    pub fn update_option(
        &self,
        group: impl Into<Id<OptionGroup>>,
        option: impl Into<Id<GroupOption>>,
        input: OptionInput,
    ) -> Write<OptionGroup> {
        let (group, option) = (group.into(), option.into());
        let records = self.json().clone();
        let target = format!("{}/options/{option}", self.target(Some(group)));
        Write::new("update", target, input, move |request| {
            Box::pin(records.update_option(group.uuid(), option.uuid(), request))
        })
    }
}
