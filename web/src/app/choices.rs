//! Which options of a select can be combined with the rest of the form, and why not.

use std::borrow::Cow;

use crate::t;
use plan::Refusal;

use crate::app::fields::{Field, Kind, documents};
use crate::app::form::{Form, equal_lengths, join};

/// One entry of a select.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// What it enters into the form.
    pub value: String,
    /// What the user reads.
    pub label: Cow<'static, str>,
    /// Why it cannot be chosen now.
    pub refused: Option<Refusal>,
}

/// The entries of `field`'s select; none for a field that is typed.
///
/// An option is refused when choosing it would bring a refusal that is not there `now`.
pub fn offers(form: &Form, text_bytes: Option<usize>, now: &[Refusal], field: Field) -> Vec<Offer> {
    let current = form.get(field);
    let mut options: Vec<(String, Cow<'static, str>)> = match field.kind() {
        Kind::Choice(choices) | Kind::Few(choices, ..) => {
            choices.iter().map(|&value| (value.to_owned(), field.option(value))).collect()
        }
        Kind::Documents => document_options(form),
        Kind::Whole(..) | Kind::Real(..) | Kind::MaybeReal(..) => return Vec::new(),
    };
    if !options.iter().any(|(value, _)| value == current) {
        options.push((current.to_owned(), current.to_owned().into()));
    }
    options
        .into_iter()
        .map(|(value, label)| {
            let refused = match form.with(field, &value).checked(text_bytes) {
                _ if value == current => None,
                Ok(_) => None,
                Err(refusals) => refusals.into_iter().find(|refusal| !now.contains(refusal)),
            };
            Offer { value, label, refused }
        })
        .collect()
}

fn document_options(form: &Form) -> Vec<(String, Cow<'static, str>)> {
    let equal = ["", "x2", "x4", "x8"];
    let mut options = equal.map(|value| (value.to_owned(), documents(value))).to_vec();
    let current = form.get(Field::Documents);
    if current.is_empty() || current.starts_with('x') {
        options.push((own_lengths(form), t!("choices.documents.own")));
    } else {
        options.push((current.to_owned(), t!("choices.documents.own")));
    }
    options
}

/// A first suggestion of unequal documents.
fn own_lengths(form: &Form) -> String {
    let seq_len = form.get(Field::SeqLen).trim().parse().unwrap_or(256);
    let mut lengths = equal_lengths(seq_len, 3);
    if let [first, middle, _] = lengths.as_mut_slice() {
        let moved = *middle / 3;
        *middle -= moved;
        *first += moved;
    }
    join(&lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(form: &Form, field: Field) -> Vec<(String, String)> {
        let now = form.plan(None).err().unwrap_or_default();
        offers(form, None, &now, field)
            .into_iter()
            .filter_map(|offer| Some((offer.value, offer.refused?.field)))
            .collect()
    }

    #[test]
    fn what_cannot_be_combined_is_refused_with_the_reason() {
        let form = Form::default();
        assert!(refused(&form, Field::Strategy).is_empty());
        let eight = form.with(Field::Cp, "8");
        assert_eq!(refused(&eight, Field::Strategy), [("ulysses".into(), "strategy".into())]);
        let ulysses = form.with(Field::Strategy, "ulysses");
        let because = |field: &str, ranks: &[&str]| -> Vec<(String, String)> {
            ranks.iter().map(|&rank| (rank.to_owned(), field.to_owned())).collect()
        };
        assert_eq!(refused(&ulysses, Field::Cp), because("strategy", &["3", "5", "6", "7", "8"]));
        let replicas = form.with(Field::Dp, "2");
        assert_eq!(refused(&replicas, Field::Cp), because("dp", &["5", "6", "7", "8"]));
        let short = form.with(Field::SeqLen, "3").with(Field::Cp, "2");
        let fields: Vec<_> = refused(&short, Field::Cp).into_iter().map(|(v, _)| v).collect();
        assert_eq!(fields, ["4", "5", "6", "7", "8"]);
    }

    #[test]
    fn a_fault_elsewhere_disables_nothing() {
        let form = Form::default().with(Field::Lr, "x");
        for field in Field::ALL {
            assert!(refused(&form, field).is_empty(), "{field:?}");
        }
    }

    #[test]
    fn an_unusual_degree_is_still_listed() {
        let form = Form::default().with(Field::UlyssesDegree, "3");
        let values: Vec<_> = offers(&form, None, &[], Field::UlyssesDegree)
            .into_iter()
            .map(|offer| offer.value)
            .collect();
        assert_eq!(values, ["", "1", "2", "4", "8", "3"]);
    }
}
