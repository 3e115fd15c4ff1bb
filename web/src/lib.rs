//! The page and the rank worker: two tiny bins over this library.
