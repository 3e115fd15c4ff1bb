//! The page.

fn main() {
    web::app::start();
}
