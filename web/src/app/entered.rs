//! What is entered in the places beside the run, as a part of the address of each.

use form_urlencoded::Serializer;
use plan::rank::MAX_WORLD_SIZE;
use plan::runtime::{BackendChoice, DeviceChoice, Feature, Preset};

use crate::app::address::clamp;
use crate::app::backend::{self, backend_name, device_name};
use crate::app::doctor::{self, samples::Sample};
use crate::app::groups;
use crate::app::notice::{Fault, Notice};
use crate::app::places::Place;
use crate::app::state::State;
use crate::app::whole::brief;

const MESH: &str = "mesh";
const RANK: &str = "rank";
const MACHINE: &str = "machine";
const DEVICE: &str = "device";
const BACKEND: &str = "backend";
const FORCE_CPU: &str = "force_cpu";
const WANT: &str = "want";
const WORLD: &str = "world";
const SAMPLE: &str = "sample";
const DOCTOR_MACHINE: &str = "doctor_machine";
const KEYS: [&str; 10] =
    [MESH, RANK, MACHINE, DEVICE, BACKEND, FORCE_CPU, WANT, WORLD, SAMPLE, DOCTOR_MACHINE];

/// Something that an address enters.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// In the groups' view.
    Groups(groups::Act),
    /// In the backend's.
    Backend(backend::Act),
    /// In the doctor's.
    Doctor(doctor::Act),
}

/// What stands in the address of `place` besides the run: what can be read again and is not usual.
/// The doctor's texts are too long for it, unless they are a sample's.
pub fn written(state: &State, place: Place) -> String {
    let unless = |usual: &str, value: &str| {
        let value = value.trim();
        if value == usual { String::new() } else { value.to_owned() }
    };
    let pairs = match place {
        Place::Groups => {
            let (groups, run) = (&state.groups, state.plan.mesh());
            let is_mesh = !groups.follows() && groups.mesh(run).is_ok();
            let mesh = is_mesh.then(|| groups.sizes(run).join(",").replace(' ', ""));
            let is_rank = groups.rank(MAX_WORLD_SIZE).is_ok();
            let rank = is_rank.then(|| unless("0", groups.chosen()));
            vec![(MESH, mesh.unwrap_or_default()), (RANK, rank.unwrap_or_default())]
        }
        Place::Backend => {
            let backend = &state.backend;
            let wanted: Vec<_> = backend.features.iter().map(|feature| feature.name()).collect();
            let world = if backend.request().is_ok() { &backend.world_size[..] } else { "" };
            let forced = if backend.force_cpu { "1" } else { "" };
            vec![
                (MACHINE, unless(Preset::This.name(), backend.preset.name())),
                (DEVICE, unless(device_name(DeviceChoice::Auto), device_name(backend.device))),
                (BACKEND, unless(backend_name(BackendChoice::Auto), backend_name(backend.backend))),
                (FORCE_CPU, forced.to_owned()),
                (WANT, wanted.join(",")),
                (WORLD, unless("", world)),
            ]
        }
        Place::Doctor => {
            let entered = &state.doctor.entered;
            let sample = Sample::ALL.into_iter().find(|sample| sample.entered() == *entered);
            let machine = entered.machine.map(Preset::name);
            vec![match sample {
                Some(sample) => (SAMPLE, sample.key().to_owned()),
                None => (DOCTOR_MACHINE, machine.unwrap_or_default().to_owned()),
            }]
        }
        Place::Play | Place::Learn | Place::Bench => Vec::new(),
    };
    let mut address = Serializer::new(String::new());
    address.extend_pairs(pairs.iter().filter(|(_, value)| !value.is_empty()));
    match address.finish().replace("%2C", ",") {
        none if none.is_empty() => none,
        pairs => format!("&{pairs}"),
    }
}

/// What `key` enters, and what could not be taken as it stands; `None` where it is no key of these.
pub fn read(key: &str, value: &str) -> Option<(Vec<Entry>, Option<Notice>)> {
    use Entry::{Backend, Doctor, Groups};
    let key = KEYS.into_iter().find(|known| *known == key)?;
    let mut fault = None;
    let mut number = |text: &str, usual: &str, low: u64| {
        let (taken, wrong) = clamp(text.trim(), usual, low, MAX_WORLD_SIZE as u64);
        fault = fault.or(wrong);
        taken
    };
    let (entries, taken): (Vec<Entry>, String) = match key {
        MESH => match <[&str; 5]>::try_from(value.split(',').collect::<Vec<_>>()) {
            Ok(texts) => {
                let sizes = texts.map(|text| number(text, "1", 1));
                let numbers = sizes.each_ref().map(|size| size.parse().unwrap_or(1));
                (vec![Groups(groups::Act::Sizes(numbers))], sizes.join(","))
            }
            Err(_) => (Vec::new(), String::new()),
        },
        RANK => {
            let rank = number(value, "0", 0);
            (vec![Groups(groups::Act::Choose(rank.clone()))], rank)
        }
        WORLD => {
            let world = number(value, "", 1);
            (vec![Backend(backend::Act::WorldSize(world.clone()))], world)
        }
        FORCE_CPU => (vec![Backend(backend::Act::ForceCpu(value == "1"))], String::new()),
        WANT => {
            let wanted = value.split(',').map(|name| find(Feature::ALL, Feature::name, name));
            let wanted = wanted.collect::<Option<Vec<_>>>().unwrap_or_default();
            let want = |feature| Backend(backend::Act::Want(feature, true));
            (wanted.into_iter().map(want).collect(), String::new())
        }
        DEVICE => {
            let device = find(DeviceChoice::ALL, device_name, value);
            let device = device.map(|device| Backend(backend::Act::Device(device)));
            (device.into_iter().collect(), device_name(DeviceChoice::Auto).to_owned())
        }
        BACKEND => {
            let talk = find(BackendChoice::ALL, backend_name, value);
            let talk = talk.map(|talk| Backend(backend::Act::Backend(talk)));
            (talk.into_iter().collect(), backend_name(BackendChoice::Auto).to_owned())
        }
        SAMPLE => {
            let sample = find(Sample::ALL, Sample::key, value);
            let sample = sample.map(|sample| Doctor(doctor::Act::Take(sample)));
            (sample.into_iter().collect(), String::new())
        }
        MACHINE => {
            let machine = Preset::named(value).map(|it| Backend(backend::Act::Machine(it)));
            (machine.into_iter().collect(), Preset::This.name().to_owned())
        }
        _ => {
            let machine = Preset::named(value).map(|it| Doctor(doctor::Act::Machine(Some(it))));
            (machine.into_iter().collect(), String::new())
        }
    };
    let fault = fault.or(entries.is_empty().then_some(Fault::Unknown));
    let value = brief(value);
    Some((entries, fault.map(|fault| Notice::Value { field: key, value, fault, taken })))
}

fn find<T: Copy, const N: usize>(
    all: [T; N],
    name_of: impl Fn(T) -> &'static str,
    name: &str,
) -> Option<T> {
    all.into_iter().find(|&known| name_of(known) == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::language::Language;
    use crate::app::state::{Action, Effect};

    fn opened(address: &str) -> State {
        State::open(address, Language::default()).0
    }

    #[test]
    fn what_is_entered_beside_the_run_is_in_the_address_of_its_place() {
        use backend::Act::{Backend, Device, ForceCpu, Machine, Want, WorldSize};
        let mut state = opened("v=1");
        for action in [
            Action::Groups(groups::Act::Sizes([2, 2, 4, 1, 1])),
            Action::Groups(groups::Act::Choose("5".into())),
            Action::Backend(Machine(Preset::H100Node)),
            Action::Backend(Device(DeviceChoice::Cuda)),
            Action::Backend(Backend(BackendChoice::Nccl)),
            Action::Backend(ForceCpu(true)),
            Action::Backend(Want(Feature::Deepspeed, true)),
            Action::Backend(Want(Feature::Fsdp, true)),
            Action::Backend(WorldSize(" 8 ".into())),
            Action::Doctor(doctor::Act::Take(Sample::Healthy)),
        ] {
            state.apply(action);
        }
        for (place, expect) in [
            (Place::Play, ""),
            (Place::Learn, ""),
            (Place::Groups, "&mesh=2,2,4,1,1&rank=5"),
            (
                Place::Backend,
                "&machine=h100-node&device=cuda&backend=nccl&force_cpu=1&want=fsdp,deepspeed&world=8",
            ),
            (Place::Doctor, "&sample=healthy"),
        ] {
            assert_eq!(written(&state, place), expect);
            let address = state.address(place);
            let again = opened(&address);
            assert!(again.notices.is_empty(), "{address}: {:?}", again.notices);
            assert_eq!(again.address(place), address);
        }
        state.apply(Action::Doctor(doctor::Act::Machine(Some(Preset::Mac))));
        assert_eq!(written(&state, Place::Doctor), "&doctor_machine=mac");
        assert_eq!(
            written(&opened("v=1&doctor_machine=mac"), Place::Doctor),
            "&doctor_machine=mac"
        );
    }

    #[test]
    fn what_is_entered_is_written_where_it_is_looked_at() {
        let mut state = opened("v=1&view=groups");
        let writes = |effects: &[Effect], end: &str| matches!(effects, [Effect::WriteAddress(address)] if address.ends_with(end));
        let effects = state.apply(Action::Groups(groups::Act::Size(4, "2".into())));
        assert!(writes(&effects, "&mesh=1,1,4,1,2"), "{effects:?}");
        // Half typed it is no mesh.
        let effects = state.apply(Action::Groups(groups::Act::Size(4, "".into())));
        assert!(!effects.is_empty() && !writes(&effects, "&mesh=1,1,4,1,"), "{effects:?}");
        assert!(state.apply(Action::Backend(backend::Act::ForceCpu(true))).is_empty());
    }

    #[test]
    fn what_is_not_understood_is_noticed() {
        for (address, place, expect, notice) in [
            ("mesh=0,1,1,1,5000", Place::Groups, "&mesh=1,1,1,1,1024", "out of range"),
            ("mesh=2,x,1,1,1", Place::Groups, "&mesh=2,1,1,1,1", "not a whole number"),
            ("mesh=2,2", Place::Groups, "", "unknown: none was taken"),
            ("rank=-3", Place::Groups, "", "out of range: 0 was taken"),
            ("machine=cray", Place::Backend, "", "unknown: this was taken"),
            ("device=tpu", Place::Backend, "", "unknown: auto was taken"),
            ("backend=gloo", Place::Backend, "", "unknown: auto was taken"),
            ("want=fsdp,luck", Place::Backend, "", "unknown: none was taken"),
            ("world=9999", Place::Backend, "&world=1024", "out of range: 1024 was taken"),
            ("sample=mine", Place::Doctor, "", "unknown: none was taken"),
            ("doctor_machine=cray", Place::Doctor, "", "unknown: none was taken"),
        ] {
            let state = opened(&format!("v=1&view={}&{address}", place.key()));
            let words: Vec<_> = state.notices.iter().map(Notice::words).collect();
            assert!(words.len() == 1 && words[0].contains(notice), "{address}: {words:?}");
            assert_eq!(written(&state, place), expect, "{address}");
        }
    }
}
