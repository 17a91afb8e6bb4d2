//! Line numbers as an editor counts them.

/// Tells at which line of a text a record starts, as an editor counts.
///
/// The line that the `csv` crate gives is one too small after `\r\n`, and that of the first blank
/// line after blank lines; its byte offset is right but for the line ends in front.
pub(super) struct Lines<'t> {
    text: &'t [u8],
    at: usize,
    line: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    /// The line of the record that the reader began to look for at `byte`. Offsets ascend.
    pub(super) fn line_at(&mut self, byte: u64) -> usize {
        let byte = usize::try_from(byte).unwrap_or(usize::MAX);
        while let Some(char) = self.text.get(self.at) {
            if self.at >= byte && !matches!(char, b'\r' | b'\n') {
                break;
            }
            self.line += usize::from(*char == b'\n');
            self.at += 1;
        }
        self.line
    }
}
