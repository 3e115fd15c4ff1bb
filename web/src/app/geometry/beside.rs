//! Where an explanation stands: below the word, or above it, and never on it.

/// A word on the screen, in pixels of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Its left edge.
    pub left: f64,
    /// Its upper edge.
    pub top: f64,
    /// Its lower edge.
    pub bottom: f64,
}

/// Where a box stands, in pixels of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// Its left edge.
    pub left: f64,
    /// Its width.
    pub width: f64,
    /// The most that it may be high.
    pub room: f64,
    /// Its upper edge; `None` where it stands above, and hangs from [`Beside::bottom`].
    pub top: Option<f64>,
    /// From the window's lower edge to its own.
    pub bottom: f64,
}

/// From the word to the box, and from the box to the window's edges.
const GAP: f64 = 8.0;
/// As wide as a sentence is read well.
const WIDTH: f64 = 352.0;
/// Room for a few lines; with less below, the wider side is taken.
const ENOUGH: f64 = 180.0;

/// The place beside `anchor` in a window of `width` x `height`.
pub fn beside(anchor: Anchor, width: f64, height: f64) -> Beside {
    let wide = WIDTH.min(width - 2.0 * GAP).max(0.0);
    let left = anchor.left.min(width - GAP - wide).max(GAP);
    let (below, above) = (height - anchor.bottom - 2.0 * GAP, anchor.top - 2.0 * GAP);
    let (top, room) = match below >= ENOUGH || below >= above {
        true => (Some(anchor.bottom + GAP), below),
        false => (None, above),
    };
    Beside { left, width: wide, room: room.max(0.0), top, bottom: height - anchor.top + GAP }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn it_stays_in_the_window_and_off_the_word(
            left in -50.0..1900.0f64, top in 0.0..900.0f64, tall in 10.0..60.0f64,
            width in 320.0..1920.0f64, height in 400.0..1000.0f64,
        ) {
            let top = top.min(height - tall);
            let anchor = Anchor { left: left.min(width), top, bottom: top + tall };
            let place = beside(anchor, width, height);
            proptest::prop_assert!(place.left >= 0.0 && place.left + place.width <= width);
            match place.top {
                Some(below) => {
                    proptest::prop_assert!(below >= anchor.bottom);
                    proptest::prop_assert!(below + place.room <= height);
                }
                None => {
                    let lowest = height - place.bottom;
                    proptest::prop_assert!(lowest <= anchor.top && lowest - place.room >= 0.0);
                }
            }
            // Some lines always fit.
            proptest::prop_assert!(place.room >= 140.0);
        }
    }

    #[test]
    fn on_a_phone_it_is_as_wide_as_the_screen() {
        let place = beside(Anchor { left: 300.0, top: 100.0, bottom: 120.0 }, 360.0, 740.0);
        assert_eq!((place.left, place.width, place.top), (8.0, 344.0, Some(128.0)));
    }
}
