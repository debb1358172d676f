//! XML, read by quick-xml.

use quick_xml::events::Event;
use quick_xml::reader::Reader;

use super::build::Builder;
use super::sgml;

/// Reads a file. From the first fault on it is read as SGML, which has no faults.
pub(super) fn read(source: &str, builder: &mut Builder<'_>) {
    let mut reader = Reader::from_str(source);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut before = 0;
    loop {
        let event = reader.read_event();
        let after = usize::try_from(reader.buffer_position()).unwrap_or(source.len()).min(source.len());
        match event {
            Ok(Event::Start(tag)) => start(&tag, before, builder),
            Ok(Event::Empty(tag)) => {
                start(&tag, before, builder);
                builder.end(tag.local_name().as_ref(), after);
            }
            Ok(Event::End(tag)) => builder.end(tag.local_name().as_ref(), after),
            Ok(Event::Text(_) | Event::GeneralRef(_)) => builder.text(before, after),
            Ok(Event::CData(_)) => builder.plain(before + "<![CDATA[".len(), after - "]]>".len()),
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(_) => return sgml::read(source, before, builder),
        }
        before = after;
    }
    builder.finish(source.len());
}

fn start(tag: &quick_xml::events::BytesStart<'_>, at: usize, builder: &mut Builder<'_>) {
    builder.start(tag.local_name().as_ref(), at, |wanted| sgml::attribute(tag.attributes_raw(), wanted));
}
