//! The run as a machine of few phases: what is asked of it, and what the workers must be told.

use plan::command::RunId;

use crate::cluster::Failure;

/// Steps that are granted at once on the way to a step: a way that is long can be broken off.
const STRIDE: u32 = 8;

/// Steps that can be asked for one by one before the first of them is done.
const MOST_STEPS: u32 = 20;

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing was trained yet.
    Idle,
    /// The workers are loading; then the goal is pursued.
    Loading(Goal),
    /// Steps are granted one after another.
    Running,
    /// No more steps are granted; some ranks still work.
    Pausing,
    /// One step was granted.
    Stepping,
    /// One ring step was granted.
    Hopping,
    /// All ranks stand within a step, between two ring steps.
    Within,
    /// On the way to the state after this many steps.
    Seeking(u32),
    /// All ranks stand after the same step.
    Paused,
    /// The last step is done.
    Finished,
    /// A rank or its worker failed; the first failure is the likeliest cause of the others.
    Failed(Vec<Failure>),
}

/// What to do once every worker is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Train until told otherwise.
    Run,
    /// Be where the run stands after this many steps.
    Reach(u32),
    /// Take up the state after this many steps, and stand there.
    TakeUp(u32),
}

/// What the workers must be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// End the old workers and start fresh ones.
    Launch,
    /// Begin a run.
    Begin {
        /// Its id.
        run: RunId,
        /// The state that it begins from: after so many steps, or the seed's.
        from: Option<u32>,
        /// Train up to this step and rest, or train on.
        until: Option<u32>,
    },
    /// Train up to this step and rest.
    Advance(RunId, u32),
    /// Do one ring step of the steps up to this one, and stand.
    Hop(RunId, u32),
    /// Train on.
    Resume(RunId),
    /// Grant no more steps.
    Pause(RunId),
}

/// The machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    phase: Phase,
    run: RunId,
    /// The state that the whole run began from; `None` is the seed's.
    origin: Option<u32>,
    ready: Vec<bool>,
    /// Steps at which each rank stands since the last grant.
    stands: Vec<Option<u32>>,
    /// Which ranks stand within a step since the last grant.
    held: Vec<bool>,
    finished: Vec<bool>,
    /// Steps that are granted; ranks that stand before this are not there yet.
    granted: u32,
}

impl Engine {
    /// A run of `world` workers that are yet to be launched, from the state of `origin` steps.
    pub fn new(world: usize, origin: Option<u32>) -> Self {
        Self {
            phase: Phase::Idle,
            run: RunId(0),
            origin,
            ready: vec![false; world],
            stands: vec![None; world],
            held: vec![false; world],
            finished: vec![false; world],
            granted: 0,
        }
    }

    /// Where the run stands.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// The run's id; every start has its own.
    pub fn run_id(&self) -> RunId {
        self.run
    }

    /// Which workers have said that they are ready.
    pub fn ready(&self) -> &[bool] {
        &self.ready
    }

    /// Whether the workers hold a run, so that another needs fresh ones.
    pub fn is_used(&self) -> bool {
        self.phase != Phase::Idle || self.run != RunId(0)
    }

    /// Whether training was asked for and the workers know of it.
    pub fn has_begun(&self) -> bool {
        !matches!(self.phase, Phase::Idle | Phase::Loading(_))
    }

    /// Whether the state of all ranks is the one after the newest step, and stays it.
    pub fn stands(&self) -> bool {
        matches!(self.phase, Phase::Paused | Phase::Finished)
    }

    /// Steps after which the ranks will stand, if they are on the way there.
    pub fn heading(&self) -> Option<u32> {
        match self.phase {
            Phase::Seeking(to) => Some(to),
            Phase::Stepping => Some(self.granted),
            _ => None,
        }
    }

    /// An id for something that the idle workers do other than training.
    pub fn reserve_run(&mut self) -> RunId {
        self.run = RunId(self.run.0 + 1);
        self.run
    }

    /// The state that the run goes on from if it begins anew: the present one, after `steps`.
    pub fn set_origin(&mut self, steps: Option<u32>) {
        self.origin = steps;
    }

    /// Forgets the run; `world` fresh workers are launched.
    pub fn renew(&mut self, world: usize) -> Vec<Order> {
        *self = Self::new(world, self.origin);
        vec![Order::Launch]
    }

    /// The user wants the run to go.
    pub fn run(&mut self) -> Vec<Order> {
        match self.phase {
            Phase::Idle | Phase::Loading(_) => self.pursue(Goal::Run),
            Phase::Paused | Phase::Pausing | Phase::Within => {
                self.granted = 0;
                self.grant(Phase::Running, Order::Resume(self.run))
            }
            _ => Vec::new(),
        }
    }

    /// The user wants the run to stand.
    pub fn pause(&mut self) -> Vec<Order> {
        match self.phase {
            // What comes back stands by itself.
            Phase::Loading(Goal::TakeUp(_)) => Vec::new(),
            Phase::Loading(_) => {
                self.phase = Phase::Idle;
                Vec::new()
            }
            Phase::Running => {
                self.phase = Phase::Pausing;
                vec![Order::Pause(self.run)]
            }
            Phase::Seeking(_) => {
                self.phase = Phase::Stepping;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The workers were told to grant no more: a limit of the run was reached.
    pub fn is_stopped(&mut self, run: RunId) -> bool {
        let goes = run == self.run && self.phase == Phase::Running;
        if goes {
            self.phase = Phase::Pausing;
        }
        goes
    }

    /// The user wants one step; all ranks have done `done`. Whoever is quicker than the ranks gets
    /// every step that was asked for, up to `MOST_STEPS`.
    pub fn step(&mut self, done: u32) -> Vec<Order> {
        match self.phase {
            Phase::Loading(Goal::Reach(to)) if to < done + MOST_STEPS => {
                self.phase = Phase::Loading(Goal::Reach(to + 1));
                Vec::new()
            }
            Phase::Seeking(to) if to < done + MOST_STEPS => {
                self.phase = Phase::Seeking(to + 1);
                Vec::new()
            }
            Phase::Stepping if self.granted < done + MOST_STEPS => {
                self.granted += 1;
                self.grant(Phase::Stepping, Order::Advance(self.run, self.granted))
            }
            Phase::Idle => self.pursue(Goal::Reach(self.origin.unwrap_or(0) + 1)),
            Phase::Paused => {
                self.granted = self.stands_together().unwrap_or(0) + 1;
                self.grant(Phase::Stepping, Order::Advance(self.run, self.granted))
            }
            Phase::Within => self.grant(Phase::Stepping, Order::Advance(self.run, self.granted)),
            _ => Vec::new(),
        }
    }

    /// The user wants one ring step.
    pub fn hop(&mut self) -> Vec<Order> {
        match self.phase {
            Phase::Paused => {
                self.granted = self.stands_together().unwrap_or(0) + 1;
                self.grant(Phase::Hopping, Order::Hop(self.run, self.granted))
            }
            Phase::Within => self.grant(Phase::Hopping, Order::Hop(self.run, self.granted)),
            _ => Vec::new(),
        }
    }

    /// `rank` stands within a step.
    pub fn is_held(&mut self, run: RunId, rank: u16) {
        if run != self.run || self.phase != Phase::Hopping {
            return;
        }
        if let Some(held) = self.held.get_mut(usize::from(rank)) {
            *held = true;
        }
        if self.held.iter().all(|&held| held) {
            self.phase = Phase::Within;
        }
    }

    /// The user wants to be where the run stands after `to` steps: the ranks take up the state
    /// `from` and train on up to there, or go on from where they stand if that is nearer.
    pub fn seek(&mut self, to: u32, from: Option<u32>) -> Vec<Order> {
        let now = self.stands_together().filter(|_| self.phase == Phase::Paused);
        match (&self.phase, now) {
            (Phase::Idle | Phase::Loading(_), _) => self.pursue(Goal::Reach(to)),
            (Phase::Paused | Phase::Finished, Some(now)) if now == to => Vec::new(),
            (Phase::Paused, Some(now)) if now < to && from.is_none_or(|from| from <= now) => {
                self.stride(now, to)
            }
            (Phase::Paused | Phase::Finished, _) => self.go(to, from),
            _ => Vec::new(),
        }
    }

    /// The state after `steps` steps is there: the ranks take it up, and stand.
    pub fn take_up(&mut self, steps: u32) -> Vec<Order> {
        self.pursue(Goal::TakeUp(steps))
    }

    /// The worker of `rank` listens.
    pub fn is_ready(&mut self, rank: u16) -> Vec<Order> {
        if let Some(ready) = self.ready.get_mut(usize::from(rank)) {
            *ready = true;
        }
        match self.phase {
            Phase::Loading(goal) => self.pursue(goal),
            _ => Vec::new(),
        }
    }

    /// `rank` has done all that was granted and stands after `steps`.
    pub fn is_paused(&mut self, run: RunId, rank: u16, steps: u32) -> Vec<Order> {
        if run != self.run {
            return Vec::new();
        }
        if let Some(stands) = self.stands.get_mut(usize::from(rank)) {
            *stands = Some(steps);
        }
        // Ranks may also report that they stand before they have heard of the next grant.
        let Some(together) = self.stands_together().filter(|&steps| steps >= self.granted) else {
            return Vec::new();
        };
        match self.phase {
            Phase::Seeking(to) if together < to => self.stride(together, to),
            Phase::Pausing | Phase::Stepping | Phase::Hopping | Phase::Seeking(_) => {
                self.phase = Phase::Paused;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// `rank` has done the run's last step.
    pub fn is_finished(&mut self, run: RunId, rank: u16) {
        if run != self.run {
            return;
        }
        if let Some(finished) = self.finished.get_mut(usize::from(rank)) {
            *finished = true;
        }
        if self.finished.iter().all(|&finished| finished) && !matches!(self.phase, Phase::Failed(_))
        {
            self.phase = Phase::Finished;
        }
    }

    /// A worker or a rank failed.
    pub fn fail(&mut self, failure: Failure) {
        match &mut self.phase {
            Phase::Failed(failures) => failures.push(failure),
            phase => *phase = Phase::Failed(vec![failure]),
        }
    }

    fn pursue(&mut self, goal: Goal) -> Vec<Order> {
        if !self.ready.iter().all(|&ready| ready) {
            self.phase = Phase::Loading(goal);
            return Vec::new();
        }
        match goal {
            Goal::Run => {
                self.begin_run();
                let order = Order::Begin { run: self.run, from: self.origin, until: None };
                self.grant(Phase::Running, order)
            }
            Goal::Reach(steps) => self.go(steps, self.origin),
            Goal::TakeUp(steps) => self.go(steps, Some(steps)),
        }
    }

    /// Begins a run of its own on the way to `to`.
    fn go(&mut self, to: u32, from: Option<u32>) -> Vec<Order> {
        self.begin_run();
        let begin = from.unwrap_or(0);
        self.granted = to.min(begin + STRIDE).max(begin);
        let phase = if to == begin + 1 { Phase::Stepping } else { Phase::Seeking(to) };
        self.grant(phase, Order::Begin { run: self.run, from, until: Some(self.granted) })
    }

    fn begin_run(&mut self) {
        self.run = RunId(self.run.0 + 1);
        self.finished.fill(false);
        self.granted = 0;
    }

    fn stride(&mut self, now: u32, to: u32) -> Vec<Order> {
        self.granted = to.min(now + STRIDE);
        self.grant(Phase::Seeking(to), Order::Advance(self.run, self.granted))
    }

    fn grant(&mut self, phase: Phase, order: Order) -> Vec<Order> {
        self.phase = phase;
        self.held.fill(false);
        self.stands.fill(None);
        vec![order]
    }

    /// The step after which all ranks stand, if they do.
    fn stands_together(&self) -> Option<u32> {
        let first = (*self.stands.first()?)?;
        self.stands.iter().all(|&stands| stands == Some(first)).then_some(first)
    }
}

#[cfg(test)]
mod tests;
