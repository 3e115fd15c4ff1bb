//! Parts of the page that are drawn again only when what they show has changed.

use std::any::Any;
use std::rc::Rc;

use yew::prelude::*;

/// A part of the page: what it shows, and how. One component of yew's stands for all of them; a
/// component each takes the page some 4 KB more.
pub trait View: PartialEq + 'static {
    /// Draws it.
    fn draw(&self) -> Html;

    /// It as a part of the page.
    fn part(self) -> Html
    where
        Self: Sized,
    {
        html! { <Memo part={Part(Rc::new(self))} /> }
    }
}

/// A [`View`] of whatever kind.
trait AnyView {
    fn draw(&self) -> Html;
    fn any(&self) -> &dyn Any;
    fn is_same(&self, other: &dyn AnyView) -> bool;
}

impl<V: View> AnyView for V {
    fn draw(&self) -> Html {
        View::draw(self)
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn is_same(&self, other: &dyn AnyView) -> bool {
        other.any().downcast_ref() == Some(self)
    }
}

#[derive(Clone)]
struct Part(Rc<dyn AnyView>);

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(other.0.as_ref())
    }
}

#[derive(Clone, PartialEq, Properties)]
struct Props {
    part: Part,
}

#[component]
fn Memo(Props { part }: &Props) -> Html {
    part.0.draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(PartialEq)]
    struct One(u8);

    #[derive(PartialEq)]
    struct Other(u8);

    impl View for One {
        fn draw(&self) -> Html {
            html! { self.0 }
        }
    }

    impl View for Other {
        fn draw(&self) -> Html {
            html! { self.0 }
        }
    }

    #[test]
    fn a_view_is_the_same_only_if_kind_and_contents_are() {
        let part = |view: Rc<dyn AnyView>| Part(view);
        assert!(part(Rc::new(One(1))) == part(Rc::new(One(1))));
        assert!(part(Rc::new(One(1))) != part(Rc::new(One(2))));
        assert!(part(Rc::new(One(1))) != part(Rc::new(Other(1))));
    }
}
