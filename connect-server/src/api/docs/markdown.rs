//! The descriptions of a document, written in Markdown.

use pulldown_cmark::{Event, Parser, html};

/// Renders a description. HTML in it is shown as text.
pub(super) fn markdown(text: &str) -> String {
    let events = Parser::new(text).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        event => event,
    });
    let mut rendered = String::with_capacity(text.len() * 2);
    html::push_html(&mut rendered, events);
    rendered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_text() {
        let rendered = markdown("A `<b>` and **bold** <script>alert(1)</script>");
        assert_eq!(
            rendered,
            "<p>A <code>&lt;b&gt;</code> and <strong>bold</strong> \
             &lt;script&gt;alert(1)&lt;/script&gt;</p>\n"
        );
        let block = markdown("<iframe src=\"https://elsewhere.example\"></iframe>");
        assert!(block.starts_with("&lt;iframe"), "{block}");
    }
}
