//! A tensor's elements as bytes of this machine's order, and back.

use candle_core::{DType, Device, Error, Shape, Tensor, WithDType};

use crate::Result;

/// The elements in row-major order.
pub(super) fn to_bytes(tensor: &Tensor) -> Result<Vec<u8>> {
    match tensor.dtype() {
        DType::F32 => cast_out::<f32>(tensor),
        DType::F64 => cast_out::<f64>(tensor),
        DType::I64 => cast_out::<i64>(tensor),
        DType::U32 => cast_out::<u32>(tensor),
        DType::U8 => cast_out::<u8>(tensor),
        other => Err(unsupported(other, "isend")),
    }
}

/// The tensor that `bytes` hold; the header has already said that type and shape are right.
pub(super) fn from_bytes(bytes: &[u8], dtype: DType, shape: &Shape) -> Result<Tensor> {
    let expected = shape.elem_count() * dtype.size_in_bytes();
    if bytes.len() != expected {
        return Err(Error::Msg(format!("{} bytes came for {expected}", bytes.len())).bt().into());
    }
    match dtype {
        DType::F32 => cast_in::<f32>(bytes, shape),
        DType::F64 => cast_in::<f64>(bytes, shape),
        DType::I64 => cast_in::<i64>(bytes, shape),
        DType::U32 => cast_in::<u32>(bytes, shape),
        DType::U8 => cast_in::<u8>(bytes, shape),
        other => Err(unsupported(other, "irecv")),
    }
}

fn cast_out<T: WithDType + bytemuck::Pod>(tensor: &Tensor) -> Result<Vec<u8>> {
    let values = tensor.flatten_all()?.to_vec1::<T>()?;
    Ok(bytemuck::cast_slice(&values).to_vec())
}

fn cast_in<T: WithDType + bytemuck::Pod>(bytes: &[u8], shape: &Shape) -> Result<Tensor> {
    // One by one, because the bytes lie wherever the message began.
    let values = bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>);
    let values: Vec<T> = values.collect();
    Ok(Tensor::from_vec(values, shape, &Device::Cpu)?)
}

fn unsupported(dtype: DType, op: &'static str) -> crate::CommError {
    Error::UnsupportedDTypeForOp(dtype, op).bt().into()
}
