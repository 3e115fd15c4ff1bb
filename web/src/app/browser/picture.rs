//! Files and pictures handed to the user: downloads, and drawings with their looks written in.

use gloo_file::{Blob, ObjectUrl};
use gloo_timers::callback::Timeout;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    CanvasRenderingContext2d, Element, HtmlCanvasElement, HtmlElement, HtmlImageElement,
    XmlSerializer,
};

use super::window;
use crate::app::share::File;
use crate::app::share::curve_svg::Colours;

/// Milliseconds after which a browser has taken a file for sure.
const TAKEN_MS: u32 = 60_000;
/// What SVG's elements are named within.
const SVG: &str = "http://www.w3.org/2000/svg";
/// Pixels of a picture for each of the page's.
const SHARPNESS: f64 = 2.0;
/// What the style sheet may say of a drawing.
const LOOKS: [&str; 15] = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linejoin",
    "stroke-opacity",
    "opacity",
    "font-family",
    "font-size",
    "font-weight",
    "text-anchor",
    "dominant-baseline",
    "paint-order",
    "visibility",
];

/// Gives the user `file` as a download.
pub fn save(file: &File) -> Result<(), JsValue> {
    let blob = Blob::new_with_options(file.bytes.as_slice(), Some(file.mime));
    let url = ObjectUrl::from(blob);
    follow(&url, &file.name)?;
    // The address must live until the browser has read from it.
    Timeout::new(TAKEN_MS, move || drop(url)).forget();
    Ok(())
}

/// The colours of the theme that is shown.
pub fn colours() -> Colours {
    let body = window().document().and_then(|document| document.body());
    let style = body.and_then(|body| window().get_computed_style(&body).ok().flatten());
    let colour = |name: &str| {
        let value = style.as_ref().and_then(|style| style.get_property_value(name).ok());
        value.unwrap_or_default().trim().to_owned()
    };
    Colours {
        paper: colour("--paper"),
        ink: colour("--ink"),
        line: colour("--line"),
        accent: colour("--accent"),
        other: colour("--other-line"),
    }
}

/// The drawing that `selector` finds as an SVG of that title, which needs no style sheet.
pub fn svg(selector: &str, title: &str) -> Result<String, JsValue> {
    let missing = || JsValue::from_str("the drawing is not on the page");
    let document = window().document().ok_or_else(missing)?;
    let drawn = document.query_selector(selector)?.ok_or_else(missing)?;
    let copy: Element = drawn.clone_node_with_deep(true)?.unchecked_into();
    write_looks(&drawn, &copy)?;
    let (of, to) = (drawn.query_selector_all("*")?, copy.query_selector_all("*")?);
    for index in 0..of.length() {
        if let (Some(of), Some(to)) = (of.item(index), to.item(index)) {
            write_looks(of.unchecked_ref(), to.unchecked_ref())?;
        }
    }
    let bounds = drawn.get_bounding_client_rect();
    copy.set_attribute("xmlns", SVG)?;
    copy.set_attribute("width", &format!("{:.0}", bounds.width()))?;
    copy.set_attribute("height", &format!("{:.0}", bounds.height()))?;
    // What lies outside the view box by a stroke's width would be cut; the paper covers all.
    let [paper, name] = ["rect", "title"].map(|of| document.create_element_ns(Some(SVG), of));
    let (paper, name) = (paper?, name?);
    for (name, value) in [("width", "100%"), ("height", "100%"), ("fill", &colours().paper)] {
        paper.set_attribute(name, value)?;
    }
    copy.insert_before(&paper, copy.first_child().as_ref())?;
    name.set_text_content(Some(title));
    copy.insert_before(&name, Some(&paper))?;
    XmlSerializer::new()?.serialize_to_string(&copy)
}

/// Gives the user `svg` as pixels.
pub async fn save_png(svg: String, name: &str) -> Result<(), JsValue> {
    let blob = Blob::new_with_options(svg.as_str(), Some("image/svg+xml"));
    let url = ObjectUrl::from(blob);
    let image = HtmlImageElement::new()?;
    image.set_src(&url);
    JsFuture::from(image.decode()).await?;
    let document = window().document().ok_or(JsValue::NULL)?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
    let (width, height) = (f64::from(image.width()), f64::from(image.height()));
    canvas.set_width((width * SHARPNESS) as u32);
    canvas.set_height((height * SHARPNESS) as u32);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?;
    let context: CanvasRenderingContext2d = context.unchecked_into();
    context.draw_image_with_html_image_element_and_dw_and_dh(
        &image,
        0.0,
        0.0,
        width * SHARPNESS,
        height * SHARPNESS,
    )?;
    follow(&canvas.to_data_url()?, name)
}

/// Copies what the style sheets make of `of` to `to` as attributes.
fn write_looks(of: &Element, to: &Element) -> Result<(), JsValue> {
    let Some(style) = window().get_computed_style(of)? else { return Ok(()) };
    to.remove_attribute("style")?;
    for name in LOOKS {
        let value = style.get_property_value(name)?;
        if !value.is_empty() {
            to.set_attribute(name, &value)?;
        }
    }
    Ok(())
}

fn follow(url: &str, name: &str) -> Result<(), JsValue> {
    let document = window().document().ok_or(JsValue::NULL)?;
    let link: HtmlElement = document.create_element("a")?.unchecked_into();
    link.set_attribute("href", url)?;
    link.set_attribute("download", name)?;
    link.set_hidden(true);
    if let Some(body) = document.body() {
        body.append_child(&link)?;
    }
    link.click();
    link.remove();
    Ok(())
}
