//! The icons of the navigation and the frame, drawn in lines on a grid of 24.

use maud::{Markup, PreEscaped, html};

/// Draws the icon of a part, hidden from screen readers.
pub(super) fn icon(section: &str) -> Markup {
    let path = match section {
        "dashboard" => "M4 19V9m5 10V5m5 14v-7m5 7V8",
        "journal" => "M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6m-6 4h6",
        "orders" => "M5 8h14l-1 12H6zM9 8a3 3 0 0 1 6 0",
        "products" => "M3 12V4h8l10 10-7 7zM7.5 8.5h.01",
        "stock" => "M4 8l8-4 8 4v9l-8 4-8-4zM4 8l8 4 8-4m-8 4v9",
        "tokens" => "M15 9a4 4 0 1 0-3.5 4L13 15h2v2h2v2h3v-3l-6-6z",
        "requests" => "M4 8h13l-3-3m6 11H7l3 3",
        "webhooks" => {
            "M12 7v4l-4 6M12 11l4 6M12 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 21a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm12 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"
        }
        "screens" => "M3 5h18v11H3zM9 20h6m-3-4v4",
        "users" => {
            "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-6 9a6 6 0 0 1 12 0m1-9a3.5 3.5 0 0 0 0-7m5 16a6 6 0 0 0-4-5.6"
        }
        "activity" => "M12 7v5l3 2M4 12a8 8 0 1 0 2.5-5.8L4 8m0-4v4h4",
        "privacy" => "M12 3l7 3v6c0 4-3 7-7 9-4-2-7-5-7-9V6zM9.5 12l2 2 3.5-4",
        "account" => "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-8 9a8 8 0 0 1 16 0",
        "usage" => "M4 18a8 8 0 1 1 16 0zM12 18l4-6",
        "sandbox" => "M9 3h6m-5 0v6l-5 9a2 2 0 0 0 2 3h10a2 2 0 0 0 2-3l-5-9V3M8 15h8",
        "components" => "M4 4h7v7H4zm9 0h7v7h-7zM4 13h7v7H4zm9 0h7v7h-7z",
        "search" => "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm5-2l5 5",
        "menu" => "M4 7h16M4 12h16M4 17h16",
        _ => "M12 12h.01",
    };
    html! {
        svg.icon viewBox="0 0 24 24" aria-hidden="true" { path d=(PreEscaped(path)) {} }
    }
}
