//! Rules of option groups, and of replacing their options.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

use crate::wire::{
    Field, GroupOption, Id, OptionGroup, OptionGroupInput, OptionInput,
    read::{Invalid, missing},
};

/// Checks the numbers of choices of a group after writing `input` to it.
pub(crate) fn check_choices(group: &OptionGroup, input: &OptionGroupInput) -> Result<(), Invalid> {
    let (min, max, options) = (group.min_select, group.max_select, group.options.len());
    if min > options as i64 {
        // Name a field present in the request.
        let (field, problem) = if input.min_select.is_absent() {
            (
                "options",
                format!("must be at least {min}, as minSelect is, and not {options}"),
            )
        } else {
            (
                "minSelect",
                format!("must not be above the number of options, which is {options}"),
            )
        };
        return Err(Invalid::new(field, problem));
    }
    if max != 0 && max < min {
        let (field, problem) = if input.max_select.is_absent() {
            (
                "minSelect",
                format!("must not be above maxSelect, which is {max}"),
            )
        } else {
            (
                "maxSelect",
                format!("must be 0 for no limit, or not below minSelect, which is {min}"),
            )
        };
        return Err(Invalid::new(field, problem));
    }
    Ok(())
}

/// Returns a group's options after the list `sent` has replaced `old`.
/// A sent option takes over the old one with its id, else with its external id, else with its name.
pub(crate) fn replaced(
    old: &[GroupOption],
    sent: &[OptionInput],
    next_id: impl Fn() -> Id<GroupOption>,
) -> Result<Vec<GroupOption>, Invalid> {
    let taken = taken_over(old, sent);
    let option = |(place, sent): (usize, &OptionInput)| {
        let of = |field| format!("options[{place}].{field}");
        let mut option = match taken[place] {
            Some(at) => old[at].clone(),
            None => {
                let name = sent.name.value();
                GroupOption {
                    id: next_id(),
                    external_id: None,
                    name: name.ok_or_else(|| missing(&of("name")))?.clone(),
                    price_cents: 0,
                    is_available: true,
                }
            }
        };
        if let Field::Value(id) = sent.id
            && id != option.id
        {
            let problem = "is no option of this group, or one that is named twice; leave it out to \
                           make a new option";
            return Err(Invalid::new(of("id"), problem));
        }
        option.apply(sent);
        Ok(option)
    };
    let options = sent.iter().enumerate().map(option);
    let options = options.collect::<Result<Vec<_>, _>>()?;
    check_unique(&options)?;
    Ok(options)
}

/// Returns the index of the matching old option of each sent one.
/// Ids go before external ids, and these before names, whatever the order of the list. Each old option is
/// matched at most once.
fn taken_over(old: &[GroupOption], sent: &[OptionInput]) -> Vec<Option<usize>> {
    let mut taken = Taken {
        by: vec![None; sent.len()],
        is_free: vec![true; old.len()],
    };
    taken.add(
        old.iter().map(|o| Some(o.id)),
        sent.iter().map(|s| s.id.value().copied()),
    );
    taken.add(
        old.iter().map(|o| o.external_id.as_ref()),
        sent.iter().map(|s| s.external_id.value()),
    );
    taken.add(
        old.iter().map(|o| Some(&o.name)),
        sent.iter().map(|s| s.name.value()),
    );
    taken.by
}

struct Taken {
    /// The index of the old option, by the index of the sent one.
    by: Vec<Option<usize>>,
    is_free: Vec<bool>,
}

impl Taken {
    /// Matches the remaining options by one more kind of key.
    fn add<K: Eq + Hash>(
        &mut self,
        old: impl Iterator<Item = Option<K>>,
        sent: impl Iterator<Item = Option<K>>,
    ) {
        let places = old.enumerate().filter_map(|(at, key)| Some((key?, at)));
        let places: HashMap<K, usize> = places.collect();
        for (place, key) in sent.enumerate() {
            if self.by[place].is_none()
                && let Some(at) = key.and_then(|key| places.get(&key))
                && self.is_free[*at]
            {
                self.is_free[*at] = false;
                self.by[place] = Some(*at);
            }
        }
    }
}

/// Requires unique names and external ids within a group.
fn check_unique(options: &[GroupOption]) -> Result<(), Invalid> {
    let (mut names, mut external_ids) = (HashSet::new(), HashSet::new());
    for (place, option) in options.iter().enumerate() {
        let is_new_id = |id| external_ids.insert(id);
        let repeated = if !names.insert(&option.name) {
            "name"
        } else if !option.external_id.as_ref().is_none_or(is_new_id) {
            "externalId"
        } else {
            continue;
        };
        return Err(Invalid::new(
            format!("options[{place}].{repeated}"),
            "repeats that of an earlier option",
        ));
    }
    Ok(())
}

/// Changes one option of a group; `None` if it is missing.
pub(crate) fn change_option(
    group: &mut OptionGroup,
    id: Id<GroupOption>,
    input: &OptionInput,
) -> Option<Result<(), Invalid>> {
    let place = group.options.iter().position(|option| option.id == id)?;
    group.options[place].apply(input);
    Some(check_unique(&group.options).map_err(|invalid| {
        // The path names only this option, though the check may report a later option as the duplicate.
        let field = invalid.field.rsplit('.').next().unwrap_or_default();
        Invalid::new(field, "is that of another option of this group")
    }))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::wire::{Timestamp, WireRecord};

    fn option(id: u128, external_id: Option<&str>, name: &str) -> GroupOption {
        GroupOption {
            id: Uuid::from_u128(id).into(),
            external_id: external_id.map(str::to_owned),
            name: name.to_owned(),
            price_cents: 50,
            is_available: false,
        }
    }

    fn sent(id: Option<u128>, external_id: Option<&str>, name: Option<&str>) -> OptionInput {
        OptionInput {
            id: id
                .map(|id| Field::Value(Uuid::from_u128(id).into()))
                .unwrap_or_default(),
            external_id: external_id.map(Into::into).unwrap_or_default(),
            name: name.map(Into::into).unwrap_or_default(),
            ..OptionInput::default()
        }
    }

    /// Returns the ids of the new list, or the refused field.
    /// New options get 100, 101, ...
    fn replace(list: &[OptionInput]) -> Result<Vec<u128>, String> {
        let old = [
            option(1, Some("K"), "Ketchup"),
            option(2, None, "Mayonnaise"),
            option(3, Some("C"), "Curry"),
        ];
        let next = std::cell::Cell::new(99);
        let next_id = || {
            next.set(next.get() + 1);
            Id::new(Uuid::from_u128(next.get()))
        };
        let options = replaced(&old, list, next_id).map_err(|invalid| invalid.field)?;
        Ok(options
            .iter()
            .map(|option| option.id.uuid().as_u128())
            .collect())
    }

    #[test]
    fn options_are_taken_over_by_id_then_external_id_then_name() {
        let field = |field: &str| Err(field.to_owned());
        for (list, expected) in [
            (vec![sent(Some(2), None, None)], Ok(vec![2])),
            (
                vec![sent(None, Some("C"), None), sent(None, Some("K"), None)],
                Ok(vec![3, 1]),
            ),
            (vec![sent(None, None, Some("Mayonnaise"))], Ok(vec![2])),
            (vec![sent(None, None, Some("mayonnaise"))], Ok(vec![100])),
            // The id decides over all other fields.
            (
                vec![sent(Some(1), Some("C"), Some("Mayonnaise"))],
                Ok(vec![1]),
            ),
            // The external id goes before the name, whatever the order of the list.
            (
                vec![
                    sent(None, None, Some("Curry")),
                    sent(None, Some("C"), Some("Hot curry")),
                ],
                Ok(vec![100, 3]),
            ),
            // Each old option is taken over once.
            (
                vec![
                    sent(None, Some("K"), Some("A")),
                    sent(None, None, Some("Ketchup")),
                ],
                Ok(vec![1, 100]),
            ),
            (
                vec![
                    sent(None, None, Some("New")),
                    sent(None, None, Some("Newer")),
                ],
                Ok(vec![100, 101]),
            ),
            (
                vec![sent(Some(9), None, Some("Ketchup"))],
                field("options[0].id"),
            ),
            (
                vec![
                    sent(Some(1), None, None),
                    sent(Some(1), None, Some("Other")),
                ],
                field("options[1].id"),
            ),
            (
                vec![sent(None, Some("new"), None)],
                field("options[0].name"),
            ),
            (
                vec![
                    sent(None, None, Some("Same")),
                    sent(None, None, Some("Same")),
                ],
                field("options[1].name"),
            ),
            (
                vec![sent(Some(1), None, None), sent(Some(2), Some("K"), None)],
                field("options[1].externalId"),
            ),
        ] {
            assert_eq!(replace(&list), expected, "{list:?}");
        }
    }

    #[test]
    fn an_option_that_is_taken_over_keeps_what_is_not_sent() {
        let old = [option(1, Some("K"), "Ketchup")];
        let dearer = OptionInput {
            price_cents: Field::Value(75),
            ..sent(Some(1), None, None)
        };
        let expected = GroupOption {
            price_cents: 75,
            ..old[0].clone()
        };
        assert_eq!(
            replaced(&old, &[dearer], || Uuid::nil().into()),
            Ok(vec![expected])
        );
    }

    #[test]
    fn choices_fit_each_other_and_the_options() {
        let group = |min_select, max_select, options: u128| OptionGroup {
            min_select,
            max_select,
            options: (0..options)
                .map(|id| option(id, None, &id.to_string()))
                .collect(),
            ..WireRecord::new(Uuid::nil(), Timestamp::EPOCH)
        };
        let min = OptionGroupInput {
            min_select: Field::Value(0),
            ..OptionGroupInput::default()
        };
        let max = OptionGroupInput {
            max_select: Field::Value(0),
            ..OptionGroupInput::default()
        };
        for (group, input, refused) in [
            (group(0, 0, 1), &min, None),
            (group(2, 0, 2), &min, None),
            (group(2, 2, 2), &max, None),
            // The maximum may exceed the number of options.
            (group(1, 100, 2), &max, None),
            (group(3, 0, 2), &min, Some("minSelect")),
            (group(3, 0, 2), &max, Some("options")),
            (group(2, 1, 2), &min, Some("minSelect")),
            (group(2, 1, 2), &max, Some("maxSelect")),
        ] {
            let result = check_choices(&group, input).map_err(|invalid| invalid.field);
            assert_eq!(result.err().as_deref(), refused, "{group:?}");
        }
    }
}
