//! Hidden characters.

/// Returns whether a character is hidden.
///
/// It shows nothing, or only changes how other characters show. Hidden are control characters,
/// separators of lines and paragraphs, Unicode's `Default_Ignorable_Code_Point` (soft hyphen, zero
/// width, direction, variation, tags), and the marks of annotations.
///
/// In a name, such a character makes two names look alike, or one look like another. In a log, it
/// makes a line look like another line.
///
/// ```
/// use connect_core::wire::is_hidden;
///
/// assert!(is_hidden('\u{202E}') && is_hidden('\u{2028}') && is_hidden('\n'));
/// assert!(!is_hidden('é') && !is_hidden('\u{301}') && !is_hidden(' '));
/// ```
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}'
                | '\u{34F}'
                | '\u{61C}'
                | '\u{115F}'..='\u{1160}'
                | '\u{17B4}'..='\u{17B5}'
                | '\u{180B}'..='\u{180F}'
                | '\u{200B}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}'
                | '\u{FEFF}'
                | '\u{FFA0}'
                | '\u{FFF0}'..='\u{FFFB}'
                | '\u{1BCA0}'..='\u{1BCA3}'
                | '\u{1D173}'..='\u{1D17A}'
                | '\u{E0000}'..='\u{E0FFF}'
        )
}
