//! The run as a machine of few phases: what is asked of it, and what the workers must be told.

use plan::command::RunId;

use crate::cluster::Failure;

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
    /// Retraining from the seed up to this many steps.
    Rewinding(u32),
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
    /// Train this many steps.
    Reach(u32),
}

/// What the workers must be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// End the old workers and start fresh ones.
    Launch,
    /// Begin the run and train.
    Start(RunId),
    /// Begin the run without training.
    StartPaused(RunId),
    /// Train one step.
    Step(RunId),
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
    ready: Vec<bool>,
    /// Steps at which each rank stands since the last grant.
    stands: Vec<Option<u32>>,
    finished: Vec<bool>,
    /// Steps that are granted one by one; ranks that stand before this are not there yet.
    granted: u32,
}

impl Engine {
    /// A run of `world` workers that are yet to be launched.
    pub fn new(world: usize) -> Self {
        Self {
            phase: Phase::Idle,
            run: RunId(0),
            ready: vec![false; world],
            stands: vec![None; world],
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

    /// An id for something that the idle workers do other than training.
    pub fn reserve_run(&mut self) -> RunId {
        self.run = RunId(self.run.0 + 1);
        self.run
    }

    /// Forgets the run; `world` fresh workers are launched.
    pub fn renew(&mut self, world: usize) -> Vec<Order> {
        *self = Self::new(world);
        vec![Order::Launch]
    }

    /// The user wants the run to go.
    pub fn run(&mut self) -> Vec<Order> {
        match self.phase {
            Phase::Idle | Phase::Loading(_) => self.pursue(Goal::Run),
            Phase::Paused | Phase::Pausing => {
                self.granted = 0;
                self.grant(Phase::Running, Order::Resume(self.run))
            }
            _ => Vec::new(),
        }
    }

    /// The user wants the run to stand.
    pub fn pause(&mut self) -> Vec<Order> {
        match self.phase {
            Phase::Loading(_) => {
                self.phase = Phase::Idle;
                Vec::new()
            }
            Phase::Running => {
                self.phase = Phase::Pausing;
                vec![Order::Pause(self.run)]
            }
            Phase::Rewinding(_) => {
                self.phase = Phase::Stepping;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The user wants one step.
    pub fn step(&mut self) -> Vec<Order> {
        match self.phase {
            Phase::Idle => self.pursue(Goal::Reach(1)),
            Phase::Paused => {
                self.granted = self.stands_together().unwrap_or(0) + 1;
                self.grant(Phase::Stepping, Order::Step(self.run))
            }
            _ => Vec::new(),
        }
    }

    /// The user wants to be where the run stood after `steps` steps: fresh workers train up to it.
    pub fn rewind(&mut self, steps: u32) -> Vec<Order> {
        let mut orders = self.renew(self.ready.len());
        if steps > 0 {
            orders.extend(self.pursue(Goal::Reach(steps)));
        }
        orders
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
            Phase::Rewinding(to) if together < to => {
                self.granted = together + 1;
                self.grant(Phase::Rewinding(to), Order::Step(run))
            }
            Phase::Pausing | Phase::Stepping | Phase::Rewinding(_) => {
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
        self.run = RunId(self.run.0 + 1);
        match goal {
            Goal::Run => self.grant(Phase::Running, Order::Start(self.run)),
            Goal::Reach(steps) => {
                let phase = if steps == 1 { Phase::Stepping } else { Phase::Rewinding(steps) };
                self.granted = 1;
                let mut orders = vec![Order::StartPaused(self.run)];
                orders.extend(self.grant(phase, Order::Step(self.run)));
                orders
            }
        }
    }

    fn grant(&mut self, phase: Phase, order: Order) -> Vec<Order> {
        self.phase = phase;
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
mod tests {
    use super::*;

    fn ready(world: u16) -> Engine {
        let mut engine = Engine::new(usize::from(world));
        for rank in 0..world {
            assert_eq!(engine.is_ready(rank), []);
        }
        engine
    }

    fn pause_all(engine: &mut Engine, steps: u32) -> Vec<Order> {
        let run = engine.run_id();
        let mut orders = engine.is_paused(run, 0, steps);
        orders.extend(engine.is_paused(run, 1, steps));
        orders
    }

    #[test]
    fn run_waits_for_every_worker() {
        let mut engine = Engine::new(2);
        assert_eq!(engine.run(), []);
        assert_eq!(engine.is_ready(1), []);
        assert_eq!(engine.is_ready(0), [Order::Start(RunId(1))]);
        assert_eq!(engine.phase(), &Phase::Running);
    }

    #[test]
    fn pausing_ends_when_all_ranks_stand() {
        let mut engine = ready(2);
        engine.run();
        assert_eq!(engine.pause(), [Order::Pause(RunId(1))]);
        assert_eq!(engine.is_paused(RunId(1), 0, 5), []);
        assert_eq!(engine.phase(), &Phase::Pausing);
        engine.is_paused(RunId(1), 1, 5);
        assert_eq!(engine.phase(), &Phase::Paused);
        assert_eq!(engine.step(), [Order::Step(RunId(1))]);
        pause_all(&mut engine, 6);
        assert_eq!(engine.run(), [Order::Resume(RunId(1))]);
    }

    #[test]
    fn stepping_back_retrains_step_by_step() {
        let mut engine = ready(2);
        engine.run();
        assert_eq!(engine.rewind(2), [Order::Launch]);
        assert_eq!(engine.phase(), &Phase::Loading(Goal::Reach(2)));
        engine.is_ready(0);
        let run = RunId(1);
        assert_eq!(engine.is_ready(1), [Order::StartPaused(run), Order::Step(run)]);
        assert_eq!(pause_all(&mut engine, 0), []);
        assert_eq!(pause_all(&mut engine, 1), [Order::Step(run)]);
        assert_eq!(pause_all(&mut engine, 2), []);
        assert_eq!(engine.phase(), &Phase::Paused);
        assert_eq!(engine.rewind(0), [Order::Launch]);
        assert_eq!(engine.phase(), &Phase::Idle);
    }

    #[test]
    fn reports_of_another_run_change_nothing() {
        let mut engine = ready(1);
        engine.run();
        engine.pause();
        assert_eq!(engine.is_paused(RunId(9), 0, 1), []);
        engine.is_finished(RunId(9), 0);
        assert_eq!(engine.phase(), &Phase::Pausing);
    }

    #[test]
    fn the_first_failure_stays_first() {
        let mut engine = ready(2);
        engine.run();
        let failure =
            |text: &str| Failure { rank: Some(1), url: String::new(), message: text.into() };
        engine.fail(failure("boom"));
        engine.fail(failure("timeout"));
        engine.is_finished(RunId(1), 0);
        assert_eq!(engine.phase(), &Phase::Failed(vec![failure("boom"), failure("timeout")]));
        assert_eq!(engine.run(), []);
        assert_eq!(engine.renew(2), [Order::Launch]);
    }
}
