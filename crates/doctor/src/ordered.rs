//! A map that is printed in the order in which it was made; a mesh's axes have one.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// Names and values in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ordered<T>(Vec<(&'static str, T)>);

impl<T> Ordered<T> {
    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'static str, &T)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl<T> FromIterator<(&'static str, T)> for Ordered<T> {
    fn from_iter<I: IntoIterator<Item = (&'static str, T)>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
