//! A rank's worker, or the reference's.

use web::cluster::Role;

fn main() {
    match web::rank::role() {
        // The doctor is another binary, so the loader never asks this one for it.
        Role::Rank | Role::Doctor => web::rank::listen(),
        Role::Reference => web::reference::serve(),
        Role::WarmUp => web::rank::warm_up(),
    }
}
