//! Stories: requests, commands and forms in their order, each with its answer.
//!
//! A story is a part of a text beside this file. It begins with `== Its title`, in a shop of its own. The
//! lines in front of the first title begin every story of the text:
//!
//! ```text
//! let bread {"name":"Bread"}
//!
//! == The name of a category is taken until it is deleted
//! POST categories {bread.}           => 201 :first position 0
//! POST categories {bread.}           => 409 conflict ~"name: "
//! DELETE categories/{first}          => 204
//! POST categories {row}              => 201 name "Bread"
//!   {"name":"Bread"}
//! ```
//!
//! # What is sent
//! - `METHOD path body`. Paths begin at the first location, at the second after `there/`, at the device API
//!   after `device/`, or with a slash. Several objects make one body: later fields win, and `lines.0.name` is
//!   a place inside. Text that is no JSON is sent as it is. `ALL path` reads a list to its end.
//! - `as name` in front: with the token or key of this name, with none as `nobody`, or in the browser of
//!   this name. Behind ` | `: `key a`, an idempotency key; `no type`; `pieces 100`; `to owner`, `to api`; `Header: value`.
//! - `$ words`: a command of the program on the story's data folder; an option `NAME=value` behind ` | ` is
//!   for its environment, and `no folder` leaves out the folder.
//! - `open path` and `form path field=value&..`: a page, and a form of the page that was opened last.
//!
//! # What is expected
//! - Behind ` => ` stands the status or the exit code, the code of an error, and then any of these. A path
//!   and a JSON text: the value there is this, an object has these fields. In front of the JSON `=` is for
//!   the same and no other fields, `!` for another value, `>` and `<` for a later or an earlier one, `~` for
//!   a text with these parts and `!~` for one without them. `present` and `absent` need no JSON.
//! - A path begins in `data`, in `error`, or in the text of a page or a command; after `^` it begins in the
//!   whole body, and `h:name` is a header. `.` is all of it, `results.status` has the status of each,
//!   `results.#` counts them, and `results.-1` is the last. Without a path, `~` is about the message or the
//!   whole text, and `#"part" 2` counts a part of it.
//!   `refuses name "part"`: the input of this name alone is marked as wrong, with this beside it.
//! - `:name` keeps the value, and `take name "before" "after"` a part of a text. `{name}` is its text, or the
//!   id of a record; `{name.field}` is a part of it, and `{name.}` its JSON. `replayed`, `fresh` and `same`
//!   are about the answer that is kept for a key, and the body of the line before.
//!
//! # More lines
//! - With four spaces in front a line goes on. With two it is a row for the request above, in place of its
//!   `{row}`; `{1}` is the first of the columns that stand between ` | `. `<3*ab>` is `ababab`, and `<3*#,>` is `0,1,2`.
//! - `let name JSON`, `clock +60`, `clock 2026-11-20T10:00:30Z`, `maintain`, `sound`; `until` in front of a
//!   request, which is sent until it is answered so; `times 3` in front of one.
//! - `token name here scope ..`, `screen name pos there`, `limits token account address`.
//! - `demo flags` and `serve flags` start the program in place of the shop, on the folder or on `memory`;
//!   `stop` and `kill` end it. `owner name {link}` is the browser of an invited owner, `visitor name` another.

mod answer;
mod script;
mod stage;

use futures_util::{StreamExt, stream};
use script::{Story, read};
use stage::Stage;

macro_rules! stories {
    ($($name:ident)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                play(stringify!($name)).await;
            }
        )*

        const TEXTS: usize = [$(stringify!($name)),*].len();
    };
}

stories! {
    access batches commands devices events forms journal keys limits links lists moves options pages products
    refusals sandbox stock webhooks
}

/// Plays all stories of a text, some at a time, and tells all failures.
async fn play(name: &str) {
    let told = stream::iter(read(name)).map(tell).buffered(3);
    let problems: Vec<_> = told.collect().await;
    let problems: Vec<_> = problems.into_iter().flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// Plays a story up to its first problem.
async fn tell(story: Story) -> Option<String> {
    let mut stage = Stage::default();
    let mut problem = None;
    for step in &story.steps {
        if let Err(found) = stage.play(step).await {
            let (place, title, text) = (&step.place, &story.title, &step.text);
            problem = Some(format!("{place}: {title}\n{text}\n{found}"));
            break;
        }
    }
    stage.close().await;
    problem
}

#[test]
fn each_text_is_played() {
    assert_eq!(script::texts().len(), TEXTS);
}
