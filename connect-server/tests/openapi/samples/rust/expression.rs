//! Expressions in Rust, over several lines where they are long.

/// The most characters of an expression on one line.
const LONGEST: usize = 60;

pub(super) enum Expression {
    /// What is written as it is.
    Word(String),
    /// `vec![..]`.
    List(Vec<Self>),
    /// A call, and those on its result: the name of each, and its arguments.
    Chain(Vec<(String, Vec<Self>)>),
}

impl Expression {
    /// Writes it so that all lines but the first begin with `indent`.
    pub(super) fn write(&self, indent: &str) -> String {
        let short = self.on_one_line();
        if short.len() <= LONGEST {
            return short;
        }
        match self {
            Self::Word(word) => word.clone(),
            Self::List(entries) => format!("vec![{}]", lines(entries, indent)),
            Self::Chain(calls) => {
                let mut calls = calls.iter();
                let first = calls.next().map(|(name, given)| call(name, given, indent));
                let mut text = first.unwrap_or_default();
                // As rustfmt has it: no further in than the end of a first call of several lines.
                let indent = match text.contains('\n') {
                    true => indent.to_owned(),
                    false => format!("{indent}    "),
                };
                for (name, given) in calls {
                    text += &format!("\n{indent}.{}", call(name, given, &indent));
                }
                text
            }
        }
    }

    fn on_one_line(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::List(entries) => format!("vec![{}]", with_commas(entries)),
            Self::Chain(calls) => {
                let calls = calls
                    .iter()
                    .map(|(name, arguments)| format!("{name}({})", with_commas(arguments)));
                calls.collect::<Vec<_>>().join(".")
            }
        }
    }
}

fn call(name: &str, arguments: &[Expression], indent: &str) -> String {
    let short = with_commas(arguments);
    let arguments = match arguments {
        _ if name.len() + short.len() <= LONGEST => short,
        [one] => one.write(indent),
        several => lines(several, indent),
    };
    format!("{name}({arguments})")
}

fn with_commas(entries: &[Expression]) -> String {
    let entries = entries.iter().map(Expression::on_one_line);
    entries.collect::<Vec<_>>().join(", ")
}

/// Each on lines of its own, between brackets.
fn lines(entries: &[Expression], indent: &str) -> String {
    let inner = format!("{indent}    ");
    let entries = entries
        .iter()
        .map(|entry| format!("\n{inner}{},", entry.write(&inner)));
    format!("{}\n{indent}", entries.collect::<String>())
}
