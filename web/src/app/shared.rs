//! A shared value that is compared by identity, so that a component knows at once whether it changed.

use std::ops::Deref;
use std::rc::Rc;

/// Equal only to its own clones: comparing is one comparison of pointers, however large the value.
///
/// [`Shared::make_mut`] leaves the clones that components hold as they were, and is a new value
/// to them.
#[derive(Debug, Default)]
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// Shares `value`.
    pub fn new(value: T) -> Self {
        Self(Rc::new(value))
    }
}

impl<T: Clone> Shared<T> {
    /// The value to change; copied first if somebody else holds it.
    pub fn make_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Eq for Shared<T> {}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_by_whoever_holds_the_old_value() {
        let mut value = Shared::new(vec![1]);
        let held = value.clone();
        assert_eq!(value, held);
        value.make_mut().push(2);
        assert!(value != held);
        assert_eq!((value.len(), held.len()), (2, 1));
        assert!(value != Shared::new(vec![1, 2]));
    }
}
