//! The page inside another page: a few panels of the run, and the buttons that drive it.

/// A view of the run that an embedding page may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// Ranks and the blocks that move between them.
    Ring,
    /// The loss.
    Curve,
    /// A run that is kept beside this one.
    Compare,
    /// What each rank did in a step.
    Timeline,
    /// What a step would do on other links, or with a slow rank.
    WhatIf,
    /// Who computes which tile.
    Schedule,
    /// Who sent how much.
    Traffic,
    /// What each rank holds.
    Ranks,
    /// The self-test of the links.
    Links,
}

/// The panels that an embedding page chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    panels: Vec<Panel>,
}

impl Panel {
    /// Every panel, in the order in which they are drawn.
    pub const ALL: [Self; 9] = [
        Self::Ring,
        Self::Curve,
        Self::Compare,
        Self::Timeline,
        Self::WhatIf,
        Self::Schedule,
        Self::Traffic,
        Self::Ranks,
        Self::Links,
    ];

    /// Its name in an address, which is the class of its section.
    pub fn key(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Curve => "curve",
            Self::Compare => "compare",
            Self::Timeline => "timeline",
            Self::WhatIf => "what-if",
            Self::Schedule => "schedule",
            Self::Traffic => "traffic",
            Self::Ranks => "ranks",
            Self::Links => "links",
        }
    }
}

impl Default for Embed {
    /// What an address gets that names no panel.
    fn default() -> Self {
        Self { panels: vec![Panel::Ring, Panel::Curve] }
    }
}

impl Embed {
    /// Whether one goes back and forth in time for the sake of a panel: a step is looked at closely.
    pub fn shows_steps(&self) -> bool {
        [Panel::Ring, Panel::Timeline, Panel::WhatIf].into_iter().any(|panel| self.shows(panel))
    }

    /// Reads a list like `ring,curve`; what names no panel comes back beside it. A list without
    /// any panel means the usual ones.
    pub fn read(list: &str) -> (Self, Vec<&str>) {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let (known, unknown): (Vec<_>, Vec<_>) = names.partition(|name| named(name).is_some());
        let chosen = |panel: &Panel| known.iter().any(|name| named(name) == Some(*panel));
        let panels: Vec<_> = Panel::ALL.into_iter().filter(chosen).collect();
        let embed = if panels.is_empty() { Self::default() } else { Self { panels } };
        (embed, unknown)
    }

    /// Whether `panel` is shown.
    pub fn shows(&self, panel: Panel) -> bool {
        self.panels.contains(&panel)
    }

    /// The list that means it.
    pub fn list(&self) -> String {
        keys(&self.panels).join(",")
    }
}

/// The names of `panels` in an address.
pub fn keys(panels: &[Panel]) -> Vec<&'static str> {
    panels.iter().map(|panel| panel.key()).collect()
}

/// What a page puts into its own text to hold the page at `link`.
pub fn frame(link: &str) -> String {
    format!(r#"<iframe width="900" height="700" src="{link}"></iframe>"#)
}

fn named(name: &str) -> Option<Panel> {
    // By what stands on the page, too.
    let key = match name {
        "loss" => "curve",
        "memory" => "ranks",
        "matrix" => "schedule",
        "what_if" => "what-if",
        name => name,
    };
    Panel::ALL.into_iter().find(|panel| panel.key() == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_leads_back_to_its_panels() {
        for (list, expect) in [
            ("ring", "ring"),
            ("links,schedule", "schedule,links"),
            (" traffic , ranks,", "ranks,traffic"),
            ("", "ring,curve"),
            ("loss,memory", "curve,ranks"),
            ("curve,loss", "curve"),
        ] {
            let (embed, unknown) = Embed::read(list);
            assert!(unknown.is_empty(), "{list}: {unknown:?}");
            let panels = |list| Embed::read(list).0;
            assert_eq!(embed, panels(expect), "{list}");
            assert_eq!(panels(&embed.list()), embed, "{list}");
        }
    }

    #[test]
    fn a_step_is_gone_through_where_it_is_seen() {
        for (list, expect) in [("ring", true), ("loss,timeline", true), ("loss,traffic", false)] {
            assert_eq!(Embed::read(list).0.shows_steps(), expect, "{list}");
        }
    }

    #[test]
    fn what_is_no_panel_is_told() {
        let (embed, unknown) = Embed::read("ring,Curve,settings");
        assert_eq!((embed.list().as_str(), unknown), ("ring", vec!["Curve", "settings"]));
        assert_eq!(Embed::read("none").0, Embed::default());
    }
}
