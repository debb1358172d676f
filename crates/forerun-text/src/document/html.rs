//! HTML, read by html5gum.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::build::Builder;

/// Reads a page. `meta` elements that name an author or a date are not text and not read.
pub(super) fn read(source: &str, builder: &mut Builder<'_>) {
    let mut name = String::new();
    let mut open = 0;
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, span: Span<usize>| -> Option<()> {
        match event {
            CallbackEvent::OpenStartTag { name: bytes } => {
                name.clear();
                name.push_str(&String::from_utf8_lossy(bytes));
                open = span.start;
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                builder.start(&name, open, |_| None);
                if self_closing {
                    builder.end(&name, span.end);
                }
            }
            CallbackEvent::EndTag { name: bytes } => builder.end(&String::from_utf8_lossy(bytes), span.end),
            CallbackEvent::String { value } => {
                let end = span.end.min(source.len());
                match source.get(span.start..end) {
                    // Where no reference is, nothing is decoded; else the builder decodes again, with offsets.
                    Some(part) if part.as_bytes() == value => builder.plain(span.start, end),
                    Some(_) => builder.text(span.start, end),
                    None => {}
                }
            }
            _ => {}
        }
        None
    });
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(source, emitter).for_each(drop);
    builder.finish(source.len());
}
