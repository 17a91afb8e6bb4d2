//! Declarations of records: each field once, for reads and writes.

use uuid::Uuid;

use super::{Id, Timestamp, WriteInput};

/// A kind of record stored under its id.
pub trait WireRecord: Sized {
    /// The writable fields.
    type Input: WriteInput;

    /// Returns the record's id.
    fn id(&self) -> Id<Self>;

    /// Returns when it last changed, on the location's change clock.
    fn updated_at(&self) -> Timestamp;

    /// Sets the time of the last change.
    #[doc(hidden)]
    fn set_updated_at(&mut self, time: Timestamp);

    /// Returns a new record with the default of every field.
    #[doc(hidden)]
    fn new(id: Uuid, time: Timestamp) -> Self;

    /// Writes the given fields of checked `input` into the record.
    #[doc(hidden)]
    fn apply(&mut self, input: &Self::Input);
}

/// Declares a kind of record.
/// It makes the struct for reading, the [`input!`](super::input) for writing, and the effect of a
/// write on a record ([`WireRecord`]). Every record has `id`, `createdAt` and `updatedAt`; a line
/// declares another field, in the order of the JSON:
///
/// ```ignore
/// record! {
///     /// A shelf in the shop.
///     pub struct Shelf;
///
///     /// The body that creates or changes a shelf.
///     pub struct ShelfInput;
///
///     /// The name of the shelf.
///     name: String => Name<MAX_SHELF_NAME>, required;
///     /// The place among the others; smaller comes first.
///     position: i64 = 0 => Whole<MAX_POSITION>;
///     /// A remark for people.
///     note: Option<String> => OrNull<Prose<MAX_NOTE>>;
///     /// The number of products on it.
///     product_count: i64, read_only;
///     /// The name of its room; the room is made when there is none of that name.
///     room_name => Name<MAX_ROOM_NAME>;
/// }
/// ```
///
/// - Before the arrow is the type of the field in the record. The default on create is the default
///   of the type, or a given one; a given one is added to the doc comment.
/// - After the arrow is the [form](super::form) of the field in a write. Creating a record needs
///   the `required` fields.
/// - A `read_only` field is accepted and ignored in a write.
/// - A field without a type is in writes only. The code of the kind implements its effect.
macro_rules! record {
    (
        $(#[$record_meta:meta])*
        pub struct $record:ident;

        $(#[$input_meta:meta])*
        pub struct $input:ident;

        $(
            $(#[$meta:meta])*
            $field:ident
                $(: $type:ty $(= $default:expr)? $(, $read_only:ident)?)?
                $(=> $form:ty $(, $required:ident)?)?;
        )+
    ) => {
        $crate::wire::record::record! {
            @structs
            { $(#[$record_meta])* pub struct $record }
            { $(#[$input_meta])* pub struct $input }
            [$($($($read_only $field)?)?)+]
            $(
                // One token, which also a line without a type or a form can carry.
                [cfg_attr(true, $($meta,)* $($(doc = concat!(
                    "Default on create: `", stringify!($default), "`."
                ),)?)?)]
                $field [$($type)?] [$($form $(, $required)?)?]
            )+
        }

        impl $crate::wire::WireRecord for $record {
            type Input = $input;

            fn id(&self) -> $crate::wire::Id<Self> {
                self.id
            }

            fn updated_at(&self) -> $crate::wire::Timestamp {
                self.updated_at
            }

            fn set_updated_at(&mut self, time: $crate::wire::Timestamp) {
                self.updated_at = time;
            }

            fn new(id: uuid::Uuid, time: $crate::wire::Timestamp) -> Self {
                Self {
                    id: id.into(),
                    $($($field: $crate::wire::record::record!(@default $type $(, $default)?),)?)+
                    created_at: time,
                    updated_at: time,
                }
            }

            fn apply(&mut self, input: &$input) {
                $($crate::wire::record::record!(
                    @apply (self.$field) (input.$field) [$($type)?] [$($form)?]
                );)+
            }
        }
    };

    (
        @structs
        { $($record:tt)+ }
        { $($input:tt)+ }
        [$(read_only $read_only:ident)*]
        $($attributes:tt $field:ident [$($type:ty)?] [$($form:ty $(, $required:ident)?)?])+
    ) => {
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        $($record)+ {
            /// Its id.
            pub id: $crate::wire::Id<Self>,
            $($(#$attributes pub $field: $type,)?)+
            /// The time of creation.
            pub created_at: $crate::wire::Timestamp,
            /// The time of the last change, on the location's change clock.
            pub updated_at: $crate::wire::Timestamp,
        }

        $crate::wire::input::input! {
            $($input)+ {
                $($(#$attributes $field: $form $(, $required)?;)?)+
            }
            read_only: [id, $($read_only,)* created_at, updated_at]
        }
    };

    (@default $type:ty) => { <$type>::default() };
    (@default $type:ty, $default:expr) => { $default };

    (@apply ($target:expr) ($given:expr) [$type:ty] [$form:ty]) => { $given.write_to(&mut $target) };
    (@apply ($target:expr) ($given:expr) [$($type:ty)?] [$($form:ty)?]) => {};
}

pub(crate) use record;

#[cfg(test)]
#[allow(unreachable_pub)]
mod tests {
    use super::{super::Field, *};
    use crate::wire::form::{Name, OrNull, Prose, Whole};

    record! {
        /// A shelf in the shop.
        pub struct Shelf;

        /// The body for creating or changing a shelf.
        pub struct ShelfInput;

        /// The name of the shelf.
        name: String => Name<9>, required;
        /// The position among the shelves.
        position: i64 = 7 => Whole<9>;
        /// A remark for people.
        note: Option<String> => OrNull<Prose<9>>;
        /// The number of products on it.
        product_count: i64, read_only;
        /// The name of its room.
        room_name => Name<9>;
    }

    #[test]
    fn a_line_says_all_of_a_field() {
        assert_eq!(ShelfInput::REQUIRED, ["name"]);
        let read_only = ["id", "productCount", "createdAt", "updatedAt"];
        assert_eq!(ShelfInput::READ_ONLY, read_only);

        let given = r#"{"name":" A ","note":"B","productCount":5,"roomName":"C"}"#;
        let mut input = ShelfInput::from_json(given.as_bytes()).unwrap();
        input.check().unwrap();
        let mut shelf = Shelf::new(Uuid::nil(), Timestamp::EPOCH);
        shelf.apply(&input);
        let fields = r#""name":"A","position":7,"note":"B","productCount":0,"createdAt":"#;
        let json = serde_json::to_string(&shelf).unwrap();
        assert!(json.contains(fields), "{json}");

        let set = ShelfInput::default()
            .name(" A ")
            .note("B")
            .room_name("C".to_owned());
        assert_eq!(ShelfInput::from_json(given.as_bytes()), Ok(set));
        let moved = ShelfInput::default().position(3);
        assert_eq!(moved.position, Field::Value(3));

        let cleared = ShelfInput::default().note(Field::Null);
        assert_eq!(cleared.check_required().unwrap_err().field, "name");
        shelf.apply(&cleared);
        assert_eq!((&*shelf.name, shelf.note), ("A", None));
    }
}
