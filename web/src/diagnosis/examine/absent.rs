//! The page diagnoses nothing: it only names the helper that does.

use crate::app::doctor::entered::Entered;
use crate::app::language::Language;
use crate::diagnosis::report::Outcome;

/// Refuses: this binary knows no faults.
pub fn examine(_entered: &Entered, _language: Language) -> Result<Outcome, String> {
    Err("this binary carries no doctor; the diagnosis runs in the doctor's own".to_owned())
}
