//! The state that a run begins from instead of its seed's: a checkpoint, opened or taken on the way.

use std::borrow::Cow;
use std::rc::Rc;

use crate::t;
use plan::RunConfig;
use plan::fold::Curve;
use plan::saved::{ENTRY, OF_OPTIMIZER, Saved, not_finite};
use safetensors::{Dtype, SafeTensors};

use crate::app::fields::{Field, MAX_STEPS};
use crate::app::form::Form;
use crate::app::format;
use crate::app::shared::Shared;

/// The largest checkpoint that the page opens.
pub const MAX_BYTES: usize = 256 << 20;

/// A state to begin from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Where it came from: a file's name, or empty for a state of this page's own run.
    pub name: String,
    /// What it says of itself.
    pub saved: Saved,
    /// The whole checkpoint.
    pub bytes: Rc<[u8]>,
    /// The numbers of the steps up to it, as far as they are known: those of this page's own run.
    pub before: Shared<Curve>,
}

/// One state is the same as another whatever is known of the steps before it.
impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.bytes) == (&other.name, &other.bytes)
    }
}

/// Why a file is no checkpoint to begin from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCheckpoint {
    /// There is nothing in it.
    Empty(String),
    /// It is no safetensors file.
    NoFile(String),
    /// It does not say which run it belongs to.
    NotOurs(String),
    /// A tensor of it holds so many numbers that are NaN or infinite, the first at this index.
    NotFinite {
        /// The file.
        name: String,
        /// The tensor.
        tensor: String,
        /// How many.
        count: usize,
        /// Where.
        first: usize,
    },
    /// What it says of its network is not what it holds.
    Contradicts {
        /// The file.
        name: String,
        /// What it says.
        network: String,
        /// The parameters in it.
        found: usize,
    },
    /// Its run had done so many steps; the page's end at this one.
    TooFar {
        /// The file.
        name: String,
        /// What it says.
        steps: u32,
        /// The page's most.
        most: u32,
    },
    /// It is longer than the page opens: its bytes.
    TooLong(String, u64),
    /// The browser did not read it, and why.
    Unread(String, String),
}

impl NoCheckpoint {
    /// The reason as a sentence.
    pub fn words(&self) -> Cow<'static, str> {
        match self {
            Self::Empty(name) => t!("origin.empty", name = name),
            Self::NoFile(name) => t!("origin.no_file", name = name),
            Self::NotOurs(name) => t!("origin.not_ours", name = name),
            Self::NotFinite { name, tensor, count, first } => {
                t!("origin.not_finite", name = name, tensor = tensor, count = count, first = first)
            }
            Self::Contradicts { name, network, found } => {
                t!("origin.contradicts", name = name, network = network, found = found)
            }
            Self::TooFar { name, steps, most } => {
                t!("origin.too_far", name = name, steps = steps, most = most)
            }
            Self::TooLong(name, size) => {
                let (size, most) = (format::bytes(*size), format::bytes(MAX_BYTES as u64));
                t!("origin.too_long", name = name, size = size, most = most)
            }
            Self::Unread(name, error) => t!("origin.unread", name = name, error = error),
        }
    }
}

impl Origin {
    /// Reads what `bytes` say of themselves.
    pub fn open(name: &str, bytes: Vec<u8>) -> Result<Self, NoCheckpoint> {
        if bytes.is_empty() {
            return Err(NoCheckpoint::Empty(name.to_owned()));
        }
        let (_, header) = SafeTensors::read_metadata(&bytes)
            .map_err(|_| NoCheckpoint::NoFile(name.to_owned()))?;
        let text = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
        let saved = text
            .and_then(|text| text.parse::<Saved>().ok())
            .ok_or_else(|| NoCheckpoint::NotOurs(name.to_owned()))?;
        let file =
            SafeTensors::deserialize(&bytes).map_err(|_| NoCheckpoint::NoFile(name.to_owned()))?;
        for (tensor, view) in file.iter().filter(|(_, view)| view.dtype() == Dtype::F32) {
            if let Some((first, count)) = not_finite(view.data()) {
                let (name, tensor) = (name.to_owned(), tensor.to_owned());
                return Err(NoCheckpoint::NotFinite { name, tensor, count, first });
            }
        }
        let parameters = file.iter().filter(|(tensor, _)| !tensor.starts_with(OF_OPTIMIZER));
        let found = parameters.map(|(_, view)| view.shape().iter().product::<usize>()).sum();
        if saved.parameters() != Some(found) {
            let (name, network) = (name.to_owned(), saved.network());
            return Err(NoCheckpoint::Contradicts { name, network, found });
        }
        if saved.steps_done >= MAX_STEPS {
            let (name, steps) = (name.to_owned(), saved.steps_done);
            return Err(NoCheckpoint::TooFar { name, steps, most: MAX_STEPS });
        }
        let before = Shared::default();
        Ok(Self { name: name.to_owned(), saved, bytes: bytes.into(), before })
    }

    /// Steps that its run had done.
    pub fn steps(&self) -> u32 {
        self.saved.steps_done
    }

    /// Whether a run of `config` can begin from it.
    pub fn fits(&self, config: &RunConfig) -> bool {
        self.saved.fits(config) && self.steps() < config.steps
    }

    /// `form` with the network that it fits, and with steps left to train.
    pub fn fit(&self, form: &Form) -> Form {
        let Saved { steps_done, layers, d_model, heads, kv_heads, optimizer } = self.saved;
        let steps = form.get(Field::Steps).trim().parse::<u32>().unwrap_or_default();
        let steps =
            if steps > steps_done { steps } else { (steps_done + steps.max(1)).min(MAX_STEPS) };
        let kv_heads = if kv_heads == heads { String::new() } else { kv_heads.to_string() };
        form.with(Field::Layers, &layers.to_string())
            .with(Field::DModel, &d_model.to_string())
            .with(Field::Heads, &heads.to_string())
            .with(Field::KvHeads, &kv_heads)
            .with(Field::Optimizer, optimizer.name())
            .with(Field::Steps, &steps.to_string())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::collections::HashMap;

    use safetensors::tensor::TensorView;

    /// A checkpoint that says `entry` of itself and has as many parameters as that network.
    pub fn checkpoint(entry: Option<&str>) -> Vec<u8> {
        let saved = entry.and_then(|text| text.parse::<Saved>().ok());
        of_parameters(entry, saved.and_then(|saved| saved.parameters()).unwrap_or_default())
    }

    fn of_parameters(entry: Option<&str>, count: usize) -> Vec<u8> {
        let metadata = entry.map(|text| HashMap::from([(ENTRY.to_owned(), text.to_owned())]));
        let zeros = vec![0; 4 * count];
        let all = TensorView::new(Dtype::F32, vec![count], &zeros).expect("four bytes a number");
        safetensors::serialize([("all", all)], metadata).expect("it can be written")
    }

    #[test]
    fn what_is_not_the_network_that_it_says_is_refused() {
        let entry = |layers: usize, heads: usize| {
            format!(
                "steps_done=3; layers={layers} d_model=64 heads={heads} kv_heads={heads} optimizer=sgd"
            )
        };
        let two: Saved = entry(2, 4).parse().expect("it says so");
        let count = two.parameters().expect("there is such a network");
        assert!(Origin::open("a", of_parameters(Some(&entry(2, 4)), count)).is_ok());
        for said in [entry(3, 4), entry(2, 3), entry(2, 0)] {
            let error = Origin::open("a", of_parameters(Some(&said), count)).expect_err("refused");
            assert!(error.words().contains("such a network does not have"), "{}", error.words());
        }
    }

    #[test]
    fn a_checkpoint_sets_the_network_and_leaves_steps_to_train() {
        let text = "steps_done=300; layers=3 d_model=32 heads=4 kv_heads=2 optimizer=sgd";
        let origin = Origin::open("a.safetensors", checkpoint(Some(text))).expect("it is ours");
        let form = origin.fit(&Form::default().with(Field::Cp, "2"));
        let config = form.config().expect("all of it can be read");
        assert_eq!((config.cp, config.layers, config.d_model), (2, 3, 32));
        assert_eq!((config.heads, config.kv_heads, config.steps), (4, Some(2), 500));
        assert!(origin.fits(&config));
        let late = text.replace("300", "9999");
        let late = Origin::open("b", checkpoint(Some(&late))).expect("a step is left");
        assert_eq!(late.fit(&Form::default()).get(Field::Steps), MAX_STEPS.to_string());
        assert!(!origin.fits(&RunConfig { steps: 300, ..config.clone() }));
        assert!(!origin.fits(&RunConfig { heads: 2, ..config }));
    }

    #[test]
    fn a_state_is_the_same_whatever_is_known_before_it() {
        let text = "steps_done=1; layers=2 d_model=64 heads=4 kv_heads=4 optimizer=sgd";
        let origin = Origin::open("a", checkpoint(Some(text))).expect("it is ours");
        let mut before = Curve::default();
        let kind = plan::EventKind::Scalar { name: plan::event::Scalar::Loss, value: 5.0 };
        before.add(&plan::Event { rank: 0, step: 0, at_us: 0, kind });
        assert_eq!(Origin { before: Shared::new(before), ..origin.clone() }, origin);
        assert_ne!(Origin { name: "b".to_owned(), ..origin.clone() }, origin);
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        let values = [1.0, f32::NAN, f32::INFINITY].map(f32::to_le_bytes).concat();
        let view = TensorView::new(Dtype::F32, vec![3], &values).expect("three numbers");
        let entry = "steps_done=3; layers=2 d_model=64 heads=4 kv_heads=4 optimizer=adamw";
        let metadata = HashMap::from([(ENTRY.to_owned(), entry.to_owned())]);
        let bytes = safetensors::serialize([("head.weight", view)], Some(metadata));
        let error = Origin::open("a.bin", bytes.expect("it is written")).expect_err("refused");
        let words = error.words();
        assert!(words.contains("head.weight") && words.contains("index 1"), "{words}");
    }

    #[test]
    fn what_is_no_checkpoint_of_ours_is_told() {
        let far = |steps: u32| {
            format!("steps_done={steps}; layers=1 d_model=2 heads=1 kv_heads=1 optimizer=sgd")
        };
        for (bytes, why) in [
            (Vec::new(), "a.bin is empty"),
            (b"hello".to_vec(), "a.bin is no safetensors file"),
            (checkpoint(None), "not saved by Ringside"),
            (checkpoint(Some("steps_done=x")), "not saved by Ringside"),
            (checkpoint(Some(&far(u32::MAX))), "saved after step 4294967295"),
            (checkpoint(Some(&far(MAX_STEPS))), "ends at step 10000 at most"),
        ] {
            let error = Origin::open("a.bin", bytes).expect_err("it is refused").words();
            assert!(error.contains(why), "{error}");
        }
    }
}
