//! Context parallelism as a program holds it: a context, or the reason why there is none.
//!
//! The states follow each other by types. A [`CpConfig`](plan::CpConfig) is what is asked; its
//! `plan` checks it; only a process group and a device make a [`CpContext`] of that, and nothing
//! else computes attention. A program that may meet any of these states holds a [`Cp`] and asks
//! it once:
//!
//! ```
//! use comm::{ProcessGroup, Recorder, Solo};
//! use parallel::{CONTRACT, Cp, CpContext, NoContext};
//! use plan::{CpConfig, Heads, Layout, Mask, StrategyKind};
//! use candle_core::{DType, Device};
//! use std::rc::Rc;
//!
//! let mut cp = Cp::NotConfigured;
//! assert!(matches!(cp.context(CONTRACT), Err(NoContext::NotConfigured)));
//!
//! let config = CpConfig {
//!     size: 1,
//!     strategy: StrategyKind::Ring,
//!     ulysses_degree: None,
//!     layout: Layout::Zigzag,
//! };
//! let plan = config.plan(Mask::new(16, &[], None)?, Heads { query: 2, kv: 2, dim: 4 })?;
//! cp = Cp::Configured(plan.clone());
//! assert!(matches!(cp.context(CONTRACT), Err(NoContext::BeforeGroup { size: 1 })));
//!
//! let world: Rc<dyn ProcessGroup> = Rc::new(Solo::default());
//! let recorder = Recorder::from_now(0);
//! let context = CpContext::new(&plan, &world, &recorder, DType::F32, &Device::Cpu)?;
//! cp = Cp::Ready(context);
//! assert_eq!(cp.context(CONTRACT)?.positions().len(), 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What goes wrong elsewhere at the first step does not compile here.
//!
//! Attention before there is a process group: a plan has none.
//!
//! ```compile_fail
//! # async fn program(plan: plan::CpPlan, x: candle_core::Tensor) {
//! plan.forward(0, &x, &x, &x).await;
//! # }
//! ```
//!
//! A context without a process group:
//!
//! ```compile_fail
//! # use {candle_core::{DType, Device}, comm::Recorder, parallel::CpContext, std::rc::Rc};
//! # fn program(plan: plan::CpPlan, recorder: Rc<Recorder>) -> parallel::Result<CpContext> {
//! CpContext::new(&plan, &recorder, DType::F32, &Device::Cpu)
//! # }
//! ```
//!
//! A device that is assumed rather than given:
//!
//! ```compile_fail
//! # use {candle_core::DType, comm::{ProcessGroup, Recorder}, parallel::CpContext, std::rc::Rc};
//! # fn program(
//! #     plan: plan::CpPlan, world: Rc<dyn ProcessGroup>, recorder: Rc<Recorder>,
//! # ) -> parallel::Result<CpContext> {
//! CpContext::new(&plan, &world, &recorder, DType::F32)
//! # }
//! ```
//!
//! A backend's name that could turn it off:
//!
//! ```compile_fail
//! # use plan::{CpConfig, Layout, StrategyKind};
//! CpConfig {
//!     backend: "torch",
//!     size: 2,
//!     strategy: StrategyKind::Ring,
//!     ulysses_degree: None,
//!     layout: Layout::Zigzag,
//! };
//! ```
//!
//! A library that assumes a context:
//!
//! ```compile_fail
//! # fn program(cp: &parallel::Cp) -> usize {
//! cp.context(parallel::CONTRACT).positions().len()
//! # }
//! ```
//!
//! A caller written for a version that this crate does not have:
//!
//! ```compile_fail
//! use parallel::{CONTRACT, Contract};
//! const _: () = assert!(CONTRACT.serves(Contract::new(2, 0)));
//! ```

use plan::{CpPlan, Refusal};

use crate::{CONTRACT, Contract, CpContext};

/// Context parallelism as a trainer or a library holds it.
#[derive(Default)]
pub enum Cp {
    /// Nobody has asked for it.
    #[default]
    NotConfigured,
    /// Asked for and checked; the process group is still to come.
    Configured(CpPlan),
    /// Asked for, and it cannot be had.
    Unsupported(Refusal),
    /// There is a context.
    Ready(CpContext),
}

/// Why there is no context.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoContext {
    /// Nobody has asked for context parallelism.
    #[error(
        "there is no CP context: context parallelism is not configured; give a CpConfig, whose \
         size may be 1, before anything asks for the context"
    )]
    NotConfigured,
    /// It was asked for, and the process group was still to come.
    #[error(
        "there is no CP context yet: cp = {size} is configured, and there is no process group; \
         start the ranks and build the CpContext of each before anything asks for it"
    )]
    BeforeGroup {
        /// Ranks that shall share each sequence.
        size: usize,
    },
    /// It was asked for, and it cannot be had here.
    #[error(transparent)]
    Unsupported(#[from] Refusal),
    /// The caller was written for another version.
    #[error(
        "the CP context follows contract {offered} and the caller was written for {wanted}; use \
         versions of the two that fit each other"
    )]
    OtherContract {
        /// What the caller was written for.
        wanted: Contract,
        /// What this crate offers.
        offered: Contract,
    },
}

impl Cp {
    /// The context, for a caller written for `wanted`; or the cause that stands in the way.
    pub fn context(&self, wanted: Contract) -> Result<&CpContext, NoContext> {
        match self {
            Self::NotConfigured => Err(NoContext::NotConfigured),
            Self::Configured(plan) => Err(NoContext::BeforeGroup { size: plan.size().get() }),
            Self::Unsupported(refusal) => Err(NoContext::Unsupported(refusal.clone())),
            Self::Ready(_) if !CONTRACT.serves(wanted) => {
                Err(NoContext::OtherContract { wanted, offered: CONTRACT })
            }
            Self::Ready(context) => Ok(context),
        }
    }
}

impl From<Result<CpPlan, Refusal>> for Cp {
    /// Keeps the refusal: whoever asks for the context later is told why there is none.
    fn from(plan: Result<CpPlan, Refusal>) -> Self {
        plan.map_or_else(Self::Unsupported, Self::Configured)
    }
}
