//! A rank's worker, or the reference's.

use web::cluster::Role;

fn main() {
    match web::rank::role() {
        Role::Rank => web::rank::listen(),
        Role::Reference => web::reference::serve(),
    }
}
