//! Log lines in the JSON of `tracing_subscriber`, without hidden characters.
//!
//! JSON allows hidden characters. But U+202E makes a line display as another text, and some programs take
//! U+2028 for the end of a line.

use std::fmt;

use connect_core::wire::is_hidden;
use tracing::{Event, Subscriber};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

/// Lines of JSON of another format, with hidden characters escaped.
pub(super) struct Escaped<F>(pub(super) F);

impl<S, N, F> FormatEvent<S, N> for Escaped<F>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        let is_escaped = |c: char| is_hidden(c) && !c.is_ascii_control() || c == '\u{7F}';
        if !line.contains(is_escaped) {
            return writer.write_str(&line);
        }
        // Beyond ASCII, characters of JSON are those of its strings: each may stand as an escape.
        for c in line.chars() {
            if is_escaped(c) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            } else {
                writer.write_char(c)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tracing::subscriber::with_default;

    use super::*;
    use crate::telemetry::captured_log::CapturedLog;

    #[test]
    fn a_line_of_json_has_nothing_hidden_and_loses_nothing() {
        let name = "Sync\u{202e}\u{200b}\u{2028}\u{7f}\u{85}\u{e0041}\n\"é👩\u{200d}🍳";
        let captured = CapturedLog::default();
        let lines = tracing_subscriber::fmt()
            .with_writer(captured.clone())
            .json();
        let lines = lines.flatten_event(true).map_event_format(Escaped);
        with_default(lines.finish(), || {
            tracing::info!(name, shown = %name, "made {name}");
            tracing::info!("plain");
        });
        let text = captured.text();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.ends_with('\n'));
        assert!(!text.chars().any(|c| is_hidden(c) && c != '\n'), "{text:?}");
        let escapes = r"Sync\u202e\u200b\u2028\u007f\u0085\udb40\udc41\n";
        assert!(text.contains(escapes) && text.contains("é👩"), "{text}");
        let line: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(
            (&line["name"], &line["shown"]),
            (&name.into(), &name.into())
        );
        assert_eq!(line["message"], format!("made {name}"));
    }
}
