//! The doctor.

fn main() {
    web::diagnosis::serve();
}
