//! The places of the page: what can be looked at while the run goes on.

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
}

impl Place {
    /// Every place, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Play, Self::Groups, Self::Backend, Self::Doctor];

    /// Its name in the address; the first place has none there.
    pub fn key(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Groups => "groups",
            Self::Backend => "backend",
            Self::Doctor => "doctor",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Play => "Play",
            Self::Groups => "Groups",
            Self::Backend => "Backend",
            Self::Doctor => "Doctor",
        }
    }

    /// What is to be seen there, in one sentence.
    pub fn lead(self) -> &'static str {
        match self {
            Self::Play => {
                "Context parallelism, happening: each rank below is a web worker in your browser \
                 that trains its share of a small GPT, and passes keys and values around the ring."
            }
            Self::Groups => {
                "Every rank has a place in the device mesh, and talks only to the ranks that it \
                 shares an axis with. Choose one and see which."
            }
            Self::Backend => {
                "A machine and a wish go in, a device and a backend come out, or a refusal. \
                 Nothing that was asked for is dropped without a word."
            }
            Self::Doctor => {
                "Paste what you give to accelerate. The doctor says what will happen, where it \
                 stops and why, and writes a corrected configuration. Nothing leaves this page."
            }
        }
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
