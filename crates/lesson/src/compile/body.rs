//! The Markdown of a lesson: what stands before the steps, and each step's text as HTML.

use std::ops::Range;

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};

use super::front::Source;
use super::{Wrong, code, formula, numbers, placeholders};
use crate::{Block, Live};

/// The text of a lesson.
#[derive(Default)]
pub struct Body {
    pub intro: Vec<Block>,
    pub sections: Vec<Section>,
}

/// The text of a step.
pub struct Section {
    pub id: String,
    pub title: String,
    /// The line of its heading.
    pub line: usize,
    pub body: Vec<Block>,
    pub hint: Vec<Block>,
    /// The options of a choice, by name.
    pub options: Option<Vec<(String, Block)>>,
}

type Events<'a> = Vec<(Event<'a>, Range<usize>)>;

/// What makes a quotation a hint.
const HINT: &str = "hint:";

/// Reads the body of the lesson `id`.
pub fn read(source: &Source<'_>, id: &str) -> Result<Body, Wrong> {
    let (text, live) = placeholders::fill(source.body, source.body_line)?;
    let reader = Reader { text: &text, live: &live, first_line: source.body_line, id };
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_MATH
        | Options::ENABLE_STRIKETHROUGH;
    let mut body = Body::default();
    let mut events = Parser::new_ext(&text, options).into_offset_iter();
    while let Some(first) = events.next() {
        let mut block = vec![first];
        let mut depth = usize::from(matches!(block[0].0, Event::Start(_)));
        while depth > 0 {
            let Some(event) = events.next() else { break };
            match event.0 {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            block.push(event);
        }
        reader.take(block, &mut body)?;
    }
    Ok(body)
}

struct Reader<'a> {
    text: &'a str,
    live: &'a [Live],
    first_line: usize,
    id: &'a str,
}

impl<'a> Reader<'a> {
    /// Takes one block of the outermost level.
    fn take(&self, mut block: Events<'a>, body: &mut Body) -> Result<(), Wrong> {
        let at = block[0].1.start;
        if let Event::Start(Tag::Heading { level, id, .. }) = &block[0].0 {
            match level {
                HeadingLevel::H2 => {
                    let Some(id) = id else {
                        let message = "a step's heading ends with its id: {#id}".to_owned();
                        return Err((self.line(at), message));
                    };
                    let id = id.to_string();
                    if body.sections.iter().any(|section| section.id == id) {
                        return Err((self.line(at), format!("there are two headings {{#{id}}}")));
                    }
                    body.sections.push(self.section(id, &block)?);
                    return Ok(());
                }
                HeadingLevel::H3 => {}
                _ => {
                    let message = "steps have headings of ##, parts of a step ###".to_owned();
                    return Err((self.line(at), message));
                }
            }
        }
        let Some(section) = body.sections.last_mut() else {
            body.intro.push(self.html(block)?);
            return Ok(());
        };
        if is_hint(&block) {
            if !section.hint.is_empty() {
                return Err((self.line(at), "this step has a hint already".to_owned()));
            }
            section.hint = self.hint(block)?;
        } else if matches!(block[0].0, Event::Start(Tag::List(_))) && option_name(&block).is_some()
        {
            if section.options.is_some() {
                return Err((self.line(at), "this step has its options already".to_owned()));
            }
            section.options = Some(self.options(&mut block)?);
        } else {
            section.body.push(self.html(block)?);
        }
        Ok(())
    }

    fn section(&self, id: String, heading: &Events<'a>) -> Result<Section, Wrong> {
        let mut title = String::new();
        for (event, range) in heading {
            match event {
                Event::Text(text) | Event::Code(text) => title.push_str(text),
                Event::Start(Tag::Heading { .. }) | Event::End(TagEnd::Heading(_)) => {}
                _ => {
                    let message = "a step's heading is plain text".to_owned();
                    return Err((self.line(range.start), message));
                }
            }
        }
        let line = self.line(heading[0].1.start);
        let title = title.trim().to_owned();
        if title.is_empty() {
            return Err((line, "a step needs a title".to_owned()));
        }
        Ok(Section { id, title, line, body: vec![], hint: vec![], options: None })
    }

    /// The blocks of a hint, without its quotation and its mark.
    fn hint(&self, mut quotation: Events<'a>) -> Result<Vec<Block>, Wrong> {
        quotation.pop();
        quotation.remove(0);
        if let Some((Event::Text(text), _)) = quotation.get_mut(1) {
            *text = text.trim_start().trim_start_matches(HINT).trim_start().to_owned().into();
        }
        Ok(vec![self.html(quotation)?])
    }

    /// The options of a choice: each item's name, and its text.
    fn options(&self, list: &mut Events<'a>) -> Result<Vec<(String, Block)>, Wrong> {
        let mut options = Vec::new();
        let mut rest = list.drain(1..).peekable();
        while let Some((event, range)) = rest.next() {
            if !matches!(event, Event::Start(Tag::Item)) {
                continue;
            }
            let mut item: Events<'a> = Vec::new();
            while let Some(event) = rest.next_if(|(e, _)| !matches!(e, Event::End(TagEnd::Item))) {
                item.push(event);
            }
            let line = self.line(range.start);
            let name = option_name(&item)
                .ok_or_else(|| (line, "each option begins with its {name}".to_owned()))?;
            strip_name(&mut item, &name);
            // A button's label is no place for paragraphs.
            item.retain(|(event, _)| {
                !matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph))
            });
            let option = self.html(item)?;
            if !option.live.is_empty() {
                return Err((line, "an option has no live numbers".to_owned()));
            }
            options.push((name, option));
        }
        Ok(options)
    }

    /// A block as HTML, cut at its live numbers.
    fn html(&self, events: Events<'a>) -> Result<Block, Wrong> {
        let mut made: Vec<Event<'a>> = Vec::new();
        let mut prose = String::new();
        let mut events = events.into_iter();
        let begin = events.as_slice().first().map_or(0, |(_, range)| range.start);
        while let Some((event, range)) = events.next() {
            let at = self.line(range.start);
            let wrong = |message: String| (at, message);
            made.push(match event {
                Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock) => {
                    return Err(wrong("HTML does not belong in a lesson".to_owned()));
                }
                Event::Start(Tag::Image { .. }) => {
                    return Err(wrong("a lesson has no pictures of its own".to_owned()));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match &kind {
                        CodeBlockKind::Fenced(language) => language.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    let mut text = String::new();
                    for (event, _) in events.by_ref() {
                        match event {
                            Event::Text(part) => text.push_str(&part),
                            _ => break,
                        }
                    }
                    Event::Html(code::html(&text, &language).map_err(wrong)?.into())
                }
                Event::InlineMath(latex) => {
                    Event::InlineHtml(formula::mathml(&latex, false).map_err(wrong)?.into())
                }
                Event::DisplayMath(latex) => {
                    Event::InlineHtml(formula::mathml(&latex, true).map_err(wrong)?.into())
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    Event::InlineHtml(self.link(&dest_url).map_err(wrong)?)
                }
                Event::End(TagEnd::Link) => Event::InlineHtml("</a>".into()),
                Event::Text(text) => {
                    prose.push_str(&text);
                    Event::Text(text)
                }
                Event::Start(Tag::Heading { .. }) => Event::InlineHtml("<h4>".into()),
                Event::End(TagEnd::Heading(_)) => Event::InlineHtml("</h4>".into()),
                event @ (Event::SoftBreak | Event::HardBreak) => {
                    prose.push(' ');
                    event
                }
                event => {
                    if matches!(event, Event::End(_)) {
                        prose.push('\n');
                    }
                    event
                }
            });
        }
        if let Some(number) = numbers::unclaimed(&prose) {
            let message = format!("{number} is no claim: write {{{{measure ...}}}}, or `code`");
            return Err((self.line(begin), message));
        }
        for mark in ["$", "**", "]("] {
            if prose.contains(mark) {
                let message = format!("{mark} was not read as Markdown: is it ended, with spaces?");
                return Err((self.line(begin), message));
            }
        }
        let mut text = String::new();
        html::push_html(&mut text, made.into_iter());
        // A formula on its own is a block, which no paragraph may hold.
        let text = match text.trim().strip_prefix("<p><div class=\"formula\"") {
            Some(rest) => {
                let rest = rest.trim_end().trim_end_matches("</p>");
                format!("<div class=\"formula\"{rest}")
            }
            None => text
                .replace("<div class=\"formula\"", "<span class=\"formula\"")
                .replace("</math></div>", "</math></span>"),
        };
        Ok(placeholders::cut(&text, self.live))
    }

    /// The beginning of a link: to a page elsewhere, or to an address of this one, where the lesson
    /// stays open.
    fn link(&self, url: &str) -> Result<CowStr<'static>, String> {
        let mut escaped = String::new();
        pulldown_cmark_escape::escape_href(&mut escaped, url)
            .map_err(|error| format!("the link {url}: {error}"))?;
        match url.strip_prefix('#') {
            Some(_) => Ok(format!("<a href=\"{escaped}&amp;lesson={}\">", self.id).into()),
            None if url.starts_with("https://") => {
                Ok(format!("<a href=\"{escaped}\" target=\"_blank\" rel=\"noopener\">").into())
            }
            None => Err(format!("the link {url} begins neither with https:// nor with #v=1")),
        }
    }

    /// The line of the file at which this byte of the filled text stands.
    fn line(&self, at: usize) -> usize {
        self.first_line + self.text[..at].matches('\n').count()
    }
}

fn is_hint(block: &Events<'_>) -> bool {
    matches!(block[0].0, Event::Start(Tag::BlockQuote(_)))
        && matches!(&block.get(2), Some((Event::Text(text), _)) if text.trim_start().starts_with(HINT))
}

/// The name in braces at which the first text of these events begins; they open a list or an item.
fn option_name(events: &Events<'_>) -> Option<String> {
    if let Some((Event::Start(tag), _)) = events.first()
        && !matches!(tag, Tag::List(_) | Tag::Item | Tag::Paragraph)
    {
        return None;
    }
    let texts = events.iter().skip_while(|(event, _)| matches!(event, Event::Start(_)));
    let mut text = String::new();
    for (event, _) in texts {
        match event {
            Event::Text(part) => text.push_str(part),
            _ => break,
        }
    }
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    Some(name.trim().to_owned())
}

/// Takes `{name}` off the first texts.
fn strip_name(item: &mut Events<'_>, name: &str) {
    let mut left = name.chars().count() + 2;
    for (event, _) in item.iter_mut() {
        let Event::Text(text) = event else { continue };
        let taken = left.min(text.chars().count());
        let rest: String = text.chars().skip(taken).collect();
        left -= taken;
        *event = Event::Text(if left == 0 { rest.trim_start().to_owned() } else { rest }.into());
        if left == 0 {
            break;
        }
    }
}
