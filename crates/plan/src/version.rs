//! Versions of Python packages, as pip prints them.

use std::fmt;

use crate::Message;

/// A release; what follows a patch number is kept only as "not a release".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Major, minor and patch.
    pub release: (u32, u32, u32),
    /// Before the release it is named after, or the release itself.
    pub maturity: Maturity,
}

/// Whether a version is a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Maturity {
    /// A development version or a candidate.
    Development,
    /// A release.
    Release,
}

/// A version that is released.
pub const fn release(major: u32, minor: u32, patch: u32) -> Version {
    Version { release: (major, minor, patch), maturity: Maturity::Release }
}

impl Version {
    /// Reads `1.13.0`, `v1.13`, `2.7.1+cu126`, `1.15.0.dev0`, `1.13.0rc1`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['v', 'V', '=']);
        let text = text.split('+').next().unwrap_or(text);
        let mut numbers = [0; 3];
        let mut maturity = Maturity::Release;
        for (index, part) in text.split('.').enumerate() {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = part.split_at(digits);
            match (index, number) {
                (0..3, "") if index > 0 && !rest.is_empty() => {}
                (0..3, number) => *numbers.get_mut(index)? = number.parse().ok()?,
                (3.., _) => {}
            }
            match rest {
                "" => {}
                rest if known_suffix(rest) => {
                    if !rest.starts_with("post") {
                        maturity = Maturity::Development;
                    }
                    break;
                }
                _ => return None,
            }
        }
        Some(Self { release: (numbers[0], numbers[1], numbers[2]), maturity })
    }

    /// Whether it has what release `other` brought; a development version is taken to have it.
    pub fn has(self, other: Self) -> bool {
        self.release >= other.release
    }
}

fn known_suffix(rest: &str) -> bool {
    let word = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    ["dev", "rc", "a", "b", "post", "alpha", "beta"].contains(&word)
}

impl From<Version> for Message {
    fn from(version: Version) -> Self {
        version.to_string().into()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor, patch) = self.release;
        write!(f, "{major}.{minor}.{patch}")?;
        match self.maturity {
            Maturity::Release => Ok(()),
            Maturity::Development => f.write_str(".dev"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_as_pip_prints_them() {
        assert_eq!(Version::parse("1.13.0"), Some(release(1, 13, 0)));
        assert_eq!(Version::parse(" v1.13 "), Some(release(1, 13, 0)));
        assert_eq!(Version::parse("2.7.1+cu126"), Some(release(2, 7, 1)));
        assert_eq!(Version::parse("1.10.0.post1"), Some(release(1, 10, 0)));
        for development in ["1.15.0.dev0", "1.15.0rc1", "1.15.dev0"] {
            let version = Version::parse(development).expect(development);
            assert_eq!(version.release, (1, 15, 0), "{development}");
            assert_eq!(version.maturity, Maturity::Development, "{development}");
        }
        for junk in ["", "latest", "1.x", "one", "-1.2", "1.2.3-4 5", "99999999999.0"] {
            assert_eq!(Version::parse(junk), None, "{junk}");
        }
    }
}
