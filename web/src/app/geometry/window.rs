//! The stretch of a step that the timeline shows: zooming and panning, within the step.

/// The closest look, in microseconds: browsers' clocks are no finer.
const CLOSEST_US: f64 = 50.0;

/// A stretch of the step that is looked at, in microseconds from its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Its beginning.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

impl Window {
    /// All of a step.
    pub fn whole(length_us: u64) -> Self {
        Self { from: 0.0, to: (length_us as f64).max(1.0) }
    }

    /// Microseconds that are seen.
    pub fn extent(self) -> f64 {
        self.to - self.from
    }

    /// `factor` times as long a stretch, with the moment `at` where it was; within the step.
    pub fn zoom(self, factor: f64, at: f64, length_us: u64) -> Self {
        let whole = Self::whole(length_us);
        let closest = CLOSEST_US.min(whole.extent());
        let extent = (self.extent() * factor).clamp(closest, whole.extent());
        let share = (at - self.from) / self.extent();
        let from = at - share * extent;
        Self { from, to: from + extent }.within(length_us)
    }

    /// The stretch moved by so many microseconds, as far as the step goes.
    pub fn pan(self, by: f64, length_us: u64) -> Self {
        Self { from: self.from + by, to: self.to + by }.within(length_us)
    }

    /// Moved as little as it must be to show what lasts from `start` to `end`; of what is longer
    /// than the window, the beginning.
    pub fn show(self, start: f64, end: f64, length_us: u64) -> Self {
        let margin = self.extent() * 0.05;
        if start < self.from || start > self.to {
            self.pan(start - margin - self.from, length_us)
        } else if end > self.to {
            let by = (end + margin - self.to).min(start - margin - self.from);
            self.pan(by, length_us)
        } else {
            self
        }
    }

    fn within(self, length_us: u64) -> Self {
        let extent = self.extent();
        let from = self.from.min(Self::whole(length_us).to - extent).max(0.0);
        Self { from, to: from + extent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stays_within_the_step() {
        let whole = Window::whole(1000);
        let half = whole.zoom(0.5, 200.0, 1000);
        assert_eq!((half.from, half.to), (100.0, 600.0), "the moment stays where it was");
        assert_eq!(half.pan(-500.0, 1000), Window { from: 0.0, to: 500.0 });
        assert_eq!(half.pan(5000.0, 1000), Window { from: 500.0, to: 1000.0 });
        assert_eq!(half.zoom(100.0, 300.0, 1000), whole);
        assert_eq!(whole.zoom(1e-9, 500.0, 1000).extent(), CLOSEST_US);
        assert_eq!(Window::whole(0).zoom(0.5, 0.0, 0).extent(), 1.0);
    }

    #[test]
    fn a_window_moves_to_what_it_must_show() {
        let window = Window { from: 100.0, to: 200.0 };
        assert_eq!(window.show(120.0, 180.0, 1000), window);
        for (start, end) in [(20.0, 60.0), (50.0, 120.0), (190.0, 250.0), (800.0, 880.0)] {
            let moved = window.show(start, end, 1000);
            assert!(moved.from <= start && moved.to >= end, "{start} {end}: {moved:?}");
            assert_eq!(moved.extent(), 100.0);
        }
        for start in [0.0, 120.0, 400.0] {
            let moved = window.show(start, start + 500.0, 1000);
            assert!(moved.from <= start && moved.to > start, "{start}: {moved:?}");
        }
    }
}
