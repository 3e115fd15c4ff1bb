//! The NCCL backend: one rank a GPU, each a thread of this process.
//!
//! A message's header travels over channels, as it does between threads, so that a receiver still
//! learns of a rank that has parted from the others or stopped; its elements travel over NCCL, in
//! a stream of their own beside the one that computes. Collectives are built on `isend` and `irecv`
//! as everywhere, so that messages and bytes stay those that `plan` predicts.
//!
//! NCCL runs a rank's transfers in order, and a transfer waits for its other end. A send is
//! therefore held back and launched in one group with the next receive, so that all ranks of a
//! ring can send at once; one that no receive follows is launched when its collective ends. For the
//! same reason nothing runs beside the program here: ranks that come to two operations in different
//! orders would wait for each other for ever. The gradients' sums begin after the backward pass.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use candle_core::cuda_backend::CudaDType;
use candle_core::cuda_backend::cudarc::driver::{
    CudaEvent, CudaStream, DeviceRepr, DriverError, ValidAsZeroBits,
};
use candle_core::cuda_backend::cudarc::nccl::result::NcclError;
use candle_core::cuda_backend::cudarc::nccl::safe::{Comm, Id, NcclType, group_end, group_start};
use candle_core::op::BackpropOp;
use candle_core::{CudaDevice, CudaStorage, DType, Device, Error, Storage, Tensor};
use plan::{Axis, Op, Rank, WorldSize};

use crate::channels::{self, Channels, GRACE};
use crate::{CommError, Mark, PendingRecv, ProcessGroup, Result, Tag, Wanted};

/// One rank of a world of GPUs. When it is dropped, the others learn that it has stopped.
pub struct NcclGroup {
    comm: Comm,
    device: CudaDevice,
    computing: Arc<CudaStream>,
    channels: Channels<()>,
    /// Sends that wait for the next receive.
    held: RefCell<Vec<(Rank, Tensor)>>,
    /// Tensors that NCCL may still read, each with the event that ends it.
    in_flight: RefCell<VecDeque<(Rc<CudaEvent>, Vec<Tensor>)>>,
    seq: Cell<u32>,
}

/// Runs `program` on one rank for each of `devices`, which are distinct GPUs, each on its own
/// thread, and returns what each returned, in order of the ranks. A rank whose communicator could
/// not be made is given the error in its group's place.
///
/// # Errors
/// If NCCL gives no id for the communicator, or there is no device.
///
/// # Panics
/// If a rank's program panics: with its text, after all ranks have ended.
pub fn run<T, F>(devices: &[Device], timeout: Duration, program: F) -> Result<Vec<T>>
where
    T: Send,
    F: AsyncFn(Rank, Result<NcclGroup>) -> T + Sync,
{
    let size = WorldSize::new(devices.len()).map_err(|refusal| Error::Msg(refusal.to_string()))?;
    let id = Id::new().map_err(|error| transport(Rank::ZERO, Rank::ZERO, &error))?;
    let seats = channels::world(size, timeout).into_iter().zip(devices.iter().cloned()).collect();
    let program = &program;
    Ok(channels::run(seats, async move |(channels, device): (Channels<()>, Device)| {
        let rank = channels.rank();
        program(rank, NcclGroup::new(channels, &device, id)).await
    }))
}

impl NcclGroup {
    /// Joins the others; returns once all ranks have.
    fn new(channels: Channels<()>, device: &Device, id: Id) -> Result<Self> {
        let rank = channels.rank();
        let device = device.as_cuda_device()?.clone();
        let computing = device.cuda_stream();
        let driver = |error: DriverError| transport(rank, rank, &error);
        computing.context().bind_to_thread().map_err(driver)?;
        let transfers = computing.fork().map_err(driver)?;
        let comm = Comm::from_rank(transfers, rank.index(), channels.size().get(), id)
            .map_err(|error| transport(rank, rank, &error))?;
        Ok(Self {
            comm,
            device,
            computing,
            channels,
            held: RefCell::default(),
            in_flight: RefCell::default(),
            seq: Cell::new(0),
        })
    }

    /// Launches the sends that were held back, and a receive if one is wanted, as one group.
    fn launch(&self, receive: Option<(Rank, &Wanted)>) -> Result<(Rc<CudaEvent>, Option<Tensor>)> {
        let rank = self.rank();
        let to_nccl = |error: NcclError| transport(rank, rank, &error);
        let to_driver = |error: DriverError| transport(rank, rank, &error);
        let transfers = self.comm.stream();
        let sends = self.held.take();
        let buffer = receive
            .map(|(from, wanted)| candle_core::Result::Ok((from, self.buffer(wanted)?)))
            .transpose()?;
        // What is sent must have been computed, and the buffer of what comes must be there.
        transfers.join(&self.computing).map_err(to_driver)?;
        group_start().map_err(to_nccl)?;
        let launched = self.launch_all(&sends, buffer);
        // Even after an error: an open group would swallow whatever this thread launches next.
        let ended = group_end().map_err(to_nccl);
        let received = launched?;
        ended?;
        let done = Rc::new(transfers.record_event(None).map_err(to_driver)?);
        let tensor = received.zip(receive).map(|(storage, (_, wanted))| {
            let storage = Storage::Cuda(storage);
            Tensor::from_storage(storage, wanted.shape.clone(), BackpropOp::none(), false)
        });
        let sent = sends.into_iter().map(|(_, tensor)| tensor).chain(tensor.clone()).collect();
        let mut in_flight = self.in_flight.borrow_mut();
        in_flight.retain(|(event, _)| !event.is_complete());
        in_flight.push_back((done.clone(), sent));
        Ok((done, tensor))
    }

    fn launch_all(
        &self,
        sends: &[(Rank, Tensor)],
        buffer: Option<(Rank, CudaStorage)>,
    ) -> Result<Option<CudaStorage>> {
        for (to, tensor) in sends {
            send(&self.comm, tensor, *to).map_err(|why| transport(self.rank(), *to, &why))?;
        }
        let received = buffer.map(|(from, storage)| {
            receive_into(&self.comm, storage, from)
                .map_err(|why| transport(self.rank(), from, &why))
        });
        received.transpose()
    }

    fn buffer(&self, wanted: &Wanted) -> candle_core::Result<CudaStorage> {
        let count = wanted.shape.elem_count();
        match wanted.dtype {
            DType::F32 => zeros::<f32>(&self.device, count),
            DType::F64 => zeros::<f64>(&self.device, count),
            DType::I64 => zeros::<i64>(&self.device, count),
            DType::U32 => zeros::<u32>(&self.device, count),
            DType::U8 => zeros::<u8>(&self.device, count),
            dtype => Err(Error::UnsupportedDTypeForOp(dtype, "irecv").bt()),
        }
    }

    /// Lets the last sends arrive: dropping the communicator cuts off what is under way.
    fn finish(&self) -> Result<()> {
        if !self.held.borrow().is_empty() {
            self.launch(None)?;
        }
        let mut last_chance: Option<Instant> = None;
        while self.in_flight.borrow().iter().any(|(event, _)| !event.is_complete()) {
            if self.channels.somebody_stopped() {
                let until = *last_chance.get_or_insert_with(|| Instant::now() + GRACE);
                if Instant::now() >= until {
                    break;
                }
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        Ok(())
    }
}

impl Drop for NcclGroup {
    fn drop(&mut self) {
        if !std::thread::panicking() && !self.channels.has_stopped() {
            // Whoever still waits for the rest is told that this rank has stopped.
            let _ = self.finish();
        }
    }
}

#[async_trait(?Send)]
impl ProcessGroup for NcclGroup {
    fn axis(&self) -> Axis {
        Axis::World
    }

    fn rank(&self) -> Rank {
        self.channels.rank()
    }

    fn size(&self) -> WorldSize {
        self.channels.size()
    }

    fn world_rank(&self, member: Rank) -> Rank {
        member
    }

    fn next_seq(&self) -> u32 {
        self.seq.replace(self.seq.get() + 1)
    }

    fn runs_beside(&self) -> bool {
        false
    }

    fn device(&self) -> Device {
        Device::Cuda(self.device.clone())
    }

    fn isend(&self, to: Rank, tag: Tag, tensor: &Tensor) -> Result<()> {
        if tensor.elem_count() > 0 {
            // A parameter may change in place after the send, so it is copied; the rest is shared.
            let elements = if tensor.is_variable() { tensor.copy()? } else { tensor.clone() };
            self.held.borrow_mut().push((to, elements.detach().contiguous()?));
        }
        self.channels.send(to, tag, tensor, ())
    }

    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        let ticket = self.channels.post(from, &wanted);
        // CUDA holds no empty tensor: its header says all that there is.
        let is_empty = wanted.shape.elem_count() == 0;
        let launched = (!is_empty).then(|| self.launch(Some((from, &wanted))));
        PendingRecv::new(async move {
            let launched = launched.transpose()?;
            self.channels.receive(from, ticket, &wanted).await?;
            let Some((done, Some(tensor))) = launched else {
                return Ok(Tensor::zeros(wanted.shape, wanted.dtype, &Device::Cpu)?);
            };
            let is_here = || {
                let query = done.try_is_complete();
                query.map_err(|error| transport(from, self.rank(), &error))
            };
            self.channels.wait_until(from, &wanted, is_here)?;
            Ok(tensor)
        })
    }

    fn abort(&self, why: &str) {
        self.channels.stop(why);
    }

    fn mark(&self, _axis: Axis, _op: Op, _seq: u32, mark: Mark) {
        if mark == Mark::End && !self.held.borrow().is_empty() {
            // An error here shows at the receiver, as a message that does not come.
            let _ = self.launch(None);
        }
    }
}

fn transport(rank: Rank, peer: Rank, reason: &impl std::fmt::Debug) -> CommError {
    CommError::Transport { rank, peer, reason: format!("{reason:?}") }
}

fn zeros<T: CudaDType + DeviceRepr + ValidAsZeroBits>(
    device: &CudaDevice,
    count: usize,
) -> candle_core::Result<CudaStorage> {
    // Zeros rather than whatever lies there: the write orders the allocation before the transfer.
    Ok(CudaStorage::wrap_cuda_slice(device.alloc_zeros::<T>(count)?, device.clone()))
}

fn send(comm: &Comm, tensor: &Tensor, to: Rank) -> Result<(), String> {
    fn of<T: CudaDType + NcclType>(
        comm: &Comm,
        storage: &CudaStorage,
        range: std::ops::Range<usize>,
        to: Rank,
    ) -> Result<(), String> {
        let slice = storage.as_cuda_slice::<T>().map_err(|error| error.to_string())?;
        comm.send(&slice.slice(range), to.index() as i32).map_err(|error| format!("{error:?}"))
    }
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cuda(storage) = &*storage else {
        return Err(format!("a tensor on {:?} cannot go over NCCL", tensor.device().location()));
    };
    let start = layout.start_offset();
    let range = start..start + tensor.elem_count();
    match tensor.dtype() {
        DType::F32 => of::<f32>(comm, storage, range, to),
        DType::F64 => of::<f64>(comm, storage, range, to),
        DType::I64 => of::<i64>(comm, storage, range, to),
        DType::U32 => of::<u32>(comm, storage, range, to),
        DType::U8 => of::<u8>(comm, storage, range, to),
        dtype => Err(format!("elements of type {} cannot go over NCCL", dtype.as_str())),
    }
}

/// Starts to fill `storage` with what `from` sends.
fn receive_into(comm: &Comm, mut storage: CudaStorage, from: Rank) -> Result<CudaStorage, String> {
    fn of<T: CudaDType + NcclType + DeviceRepr>(
        comm: &Comm,
        storage: &mut CudaStorage,
        from: Rank,
    ) -> Result<(), String> {
        let slice = storage.as_cuda_slice_mut::<T>().map_err(|error| error.to_string())?;
        let received = comm.recv(slice, from.index() as i32);
        received.map(drop).map_err(|error| format!("{error:?}"))
    }
    use candle_core::backend::BackendStorage;
    match storage.dtype() {
        DType::F32 => of::<f32>(comm, &mut storage, from),
        DType::F64 => of::<f64>(comm, &mut storage, from),
        DType::I64 => of::<i64>(comm, &mut storage, from),
        DType::U32 => of::<u32>(comm, &mut storage, from),
        DType::U8 => of::<u8>(comm, &mut storage, from),
        dtype => Err(format!("elements of type {} cannot come over NCCL", dtype.as_str())),
    }?;
    Ok(storage)
}
