//! The places of the page: what can be looked at while the run goes on.

use std::borrow::Cow;

use crate::t;

/// One place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The run itself.
    #[default]
    Play,
    /// Which ranks belong together.
    Groups,
    /// How device, backend and world size are decided.
    Backend,
    /// What somebody's accelerate configuration will do.
    Doctor,
    /// The lessons.
    Learn,
    /// How fast this machine is.
    Bench,
}

impl Place {
    /// Every place, in the order in which they are offered.
    pub const ALL: [Self; 6] =
        [Self::Play, Self::Groups, Self::Backend, Self::Doctor, Self::Learn, Self::Bench];

    /// Its name in the address; the first place has none there.
    pub fn key(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Groups => "groups",
            Self::Backend => "backend",
            Self::Doctor => "doctor",
            Self::Learn => "learn",
            Self::Bench => "bench",
        }
    }

    /// Its name for people.
    pub fn title(self) -> Cow<'static, str> {
        t!(format!("places.{}.title", self.key()))
    }

    /// What is to be seen there, in one sentence.
    pub fn lead(self) -> Cow<'static, str> {
        t!(format!("places.{}.lead", self.key()))
    }

    /// The place of that name.
    pub fn named(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|place| place.key() == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for place in Place::ALL {
            assert_eq!(Place::named(place.key()), Some(place));
        }
        assert_eq!(Place::named("lab"), None);
    }
}
