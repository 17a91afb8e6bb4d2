//! Log lines in the text of `tracing_subscriber`, always one line.
//!
//! The library writes each value through `dyn Debug`, character by character. At one line per request this
//! took 7 % of a busy server's time.

use std::{
    cell::Cell,
    fmt::{self, Debug, Write as _},
};

use connect_core::{
    environment::{Clock as _, SystemClock},
    wire::is_hidden,
};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer, time::FormatTime},
    registry::LookupSpan,
};

/// The time of this machine, in the API's format.
pub(super) struct Clock;

impl FormatTime for Clock {
    fn format_time(&self, line: &mut Writer<'_>) -> fmt::Result {
        write!(line, "{}", SystemClock.now())
    }
}

/// A line with time, level, target, message and fields.
pub(super) struct Line;

thread_local! {
    /// The buffer of the last line, reused by the next.
    /// Lines are built here: each part written to the library's writer costs a call through a pointer.
    static MEMORY: Cell<String> = const { Cell::new(String::new()) };
}

/// The largest buffer to keep, in bytes.
const LONGEST_KEPT: usize = 4096;

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        // A value that logs while it is written finds no memory, and takes its own.
        let mut line = MEMORY.take();
        line.clear();
        write!(line, "{}", SystemClock.now())?;
        line.push_str(level(*event.metadata().level(), writer.has_ansi_escapes()));
        line.push_str(event.metadata().target());
        line.push(':');
        let mut fields = LineFields {
            line,
            written: Ok(()),
        };
        event.record(&mut fields);
        fields.written?;
        fields.line.push('\n');
        let written = writer.write_str(&fields.line);
        if fields.line.capacity() <= LONGEST_KEPT {
            MEMORY.set(fields.line);
        }
        written
    }
}

/// Returns a level, padded to equal width, in colour if wanted.
fn level(level: Level, has_colours: bool) -> &'static str {
    match (level, has_colours) {
        (Level::ERROR, false) => " ERROR ",
        (Level::WARN, false) => "  WARN ",
        (Level::INFO, false) => "  INFO ",
        (Level::DEBUG, false) => " DEBUG ",
        (Level::TRACE, false) => " TRACE ",
        (Level::ERROR, true) => " \x1b[31mERROR\x1b[0m ",
        (Level::WARN, true) => "  \x1b[33mWARN\x1b[0m ",
        (Level::INFO, true) => "  \x1b[32mINFO\x1b[0m ",
        (Level::DEBUG, true) => " \x1b[34mDEBUG\x1b[0m ",
        (Level::TRACE, true) => " \x1b[35mTRACE\x1b[0m ",
    }
}

/// Adds the message and the fields of an event to a line.
struct LineFields {
    line: String,
    written: fmt::Result,
}

impl LineFields {
    fn name(&mut self, field: &Field) {
        self.line.push(' ');
        if field.name() != "message" {
            self.line.push_str(field.name());
            self.line.push('=');
        }
    }

    /// Adds a value without characters to escape.
    fn plain(&mut self, field: &Field, value: &str) {
        self.name(field);
        self.line.push_str(value);
    }
}

impl Visit for LineFields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.name(field);
        let written = write!(Escaped(&mut self.line), "{value:?}");
        self.written = self.written.and(written);
    }

    fn record_str(&mut self, field: &Field, text: &str) {
        let is_plain = |byte| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
        if text.bytes().all(is_plain) {
            self.name(field);
            self.line.extend(["\"", text, "\""]);
        } else {
            self.record_debug(field, &text);
        }
    }

    fn record_i64(&mut self, field: &Field, number: i64) {
        self.plain(field, itoa::Buffer::new().format(number));
    }

    fn record_u64(&mut self, field: &Field, number: u64) {
        self.plain(field, itoa::Buffer::new().format(number));
    }
}

/// Adds a text to a line, with its hidden characters escaped.
/// So a client's text cannot look like a line of its own, command a terminal, or hide a part of itself.
struct Escaped<'l>(&'l mut String);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Nearly all texts are plain, and need no look at each character.
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            self.0.push_str(text);
            return Ok(());
        }
        for character in text.chars() {
            if is_hidden(character) {
                self.0.extend(character.escape_default());
            } else {
                self.0.push(character);
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

    /// Returns the lines of events without times, ours and the library's.
    fn written(log: impl Fn()) -> [Vec<String>; 2] {
        let lines = |captured: &CapturedLog| {
            let lines = tracing_subscriber::fmt().with_ansi(false);
            lines.with_writer(captured.clone())
        };
        let untimed = |captured: &CapturedLog| {
            let text = captured.text();
            let lines = text.lines().map(|line| line[TIME.len()..].to_owned());
            lines.collect()
        };
        let [ours, theirs] = [CapturedLog::default(), CapturedLog::default()];
        with_default(lines(&ours).event_format(Line).finish(), &log);
        with_default(lines(&theirs).with_timer(Clock).finish(), &log);
        [untimed(&ours), untimed(&theirs)]
    }

    const TIME: &str = "2026-01-01T00:00:00.000000Z";

    #[test]
    fn a_line_is_that_of_the_library() {
        let [ours, theirs] = written(|| {
            let (count, none, name) = (Some(3_u16), None::<u16>, "Brot \"frei\" ä");
            let (quote, slash, feed) = ("\"", "\\", "\n");
            tracing::info!(quote, slash, feed, "alone");
            tracing::info!(target: "shop", name, kind = "rye", count, none, ms = 0.5, "sold");
            let error = std::fmt::Error;
            tracing::info!(%error, ?error, is_new = true, left = -1, "{} of {}", 1, 2);
        });
        let expected = r#"  INFO shop: sold name="Brot \"frei\" ä" kind="rye" count=3 ms=0.5"#;
        assert_eq!(ours[1], expected);
        assert_eq!(ours, theirs);
    }

    #[test]
    fn numbers_are_those_of_the_library() {
        let [ours, theirs] = written(|| {
            for microseconds in [0, 9, 10, 1107, u64::MAX] {
                tracing::info!(microseconds, "answered");
            }
            let (least, more, share) = (i64::MIN, u128::MAX, 0.001);
            tracing::info!(least, more, share, "numbers");
        });
        assert_eq!(ours.len(), 6);
        assert_eq!(ours, theirs);
    }

    #[test]
    fn a_text_of_others_is_no_line_of_its_own() {
        let error = "bad\n2026-01-01T00:00:00Z INFO all is well\x1b[2J\u{9b}é";
        let [ours, _] = written(|| tracing::info!(target: "shop", %error, "refused: {error}"));
        let text = r"bad\n2026-01-01T00:00:00Z INFO all is well\u{1b}[2J\u{9b}é";
        assert_eq!(ours, [format!("  INFO shop: refused: {text} error={text}")]);
    }

    #[test]
    fn a_text_of_others_has_nothing_hidden() {
        let name = "Sync\u{202e}\u{200b}\u{2028}INFO\u{feff}é👩\u{200d}🍳";
        let [ours, _] = written(|| {
            tracing::info!(target: "shop", name, shown = %name, "{name}");
        });
        let text = r"Sync\u{202e}\u{200b}\u{2028}INFO\u{feff}é👩\u{200d}🍳";
        let expected = format!("  INFO shop: {text} name=\"{text}\" shown={text}");
        assert_eq!(ours, [expected]);
    }

    #[test]
    fn a_field_of_others_is_escaped_as_well() {
        let [ours, _] = written(|| tracing::info!(name = "a\n\u{85}\u{9b}\"", "sold"));
        let expected = r#"sold name="a\n\u{85}\u{9b}\"""#;
        assert!(ours[0].ends_with(expected), "{}", ours[0]);
    }

    /// A line contains nothing of the last one, of any length.
    #[test]
    fn a_line_has_nothing_of_another() {
        struct Logs;

        impl Debug for Logs {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                tracing::info!(target: "shop", "inner");
                f.write_str("logs")
            }
        }

        let long = "x".repeat(2 * LONGEST_KEPT);
        let [ours, _] = written(|| {
            tracing::info!(target: "shop", long, "a long one");
            tracing::info!(target: "shop", "a short one");
            tracing::info!(target: "shop", logs = ?Logs, "outer");
        });
        assert_eq!(
            ours[0].len(),
            long.len() + "  INFO shop: a long one long=\"\"".len()
        );
        assert_eq!(ours[1..].last().unwrap(), "  INFO shop: outer logs=logs");
        assert_eq!(ours[1], "  INFO shop: a short one");
        let kept = MEMORY.take().capacity();
        assert!((1..=LONGEST_KEPT).contains(&kept), "{kept}");
    }
}
