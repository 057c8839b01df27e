//! Variables on a device: handle, assignment, reading, for every data type that a kernel takes.

use tfe_attrs::AttrValue;
use tfe_core::{Code, DTypeSet, DataType, PartialShape, Result, Tensor, bail};
use tfe_ops::ops;

use super::{Summary, data};
use crate::Direct;
use crate::compare::difference;

/// Assigns and reads a variable of each declared data type of `among`; the others have to be refused.
pub fn variables(direct: &Direct<'_>, among: DTypeSet) -> Summary {
    let device_type = direct.device().name().device_type();
    let kernels = direct.kernels().kernels(ops::ASSIGN_VARIABLE_OP);
    let declared = |dtype| {
        kernels.iter().filter(|k| k.device == device_type).any(|k| {
            k.types
                .iter()
                .all(|&(name, set)| name != "dtype" || set.contains(dtype))
        })
    };
    let mut summary = Summary::default();
    for dtype in among.iter() {
        let calls = Calls { direct, dtype };
        let outcome = if declared(dtype) {
            summary.passed += 1;
            calls.life()
        } else {
            summary.refused += 1;
            calls.refused()
        };
        if let Err(e) = outcome {
            summary.wrong.push(format!("variable of {dtype}: {e}"));
        }
    }
    summary
}

struct Calls<'a> {
    direct: &'a Direct<'a>,
    dtype: DataType,
}

impl Calls<'_> {
    fn run<const N: usize>(
        &self,
        op: &str,
        attrs: [(&str, AttrValue); N],
        inputs: &[Tensor],
    ) -> Result<Vec<Tensor>> {
        let attrs: Vec<_> = attrs.map(|(name, value)| (name.to_owned(), value)).into();
        self.direct.run_in_place(op, &attrs, inputs)
    }

    fn handle(&self) -> Result<Tensor> {
        let attrs = [
            ("dtype", self.dtype.into()),
            ("shape", PartialShape::unknown().into()),
            ("container", "".into()),
            ("shared_name", format!("variable of {}", self.dtype).into()),
        ];
        Ok(self.run("VarHandleOp", attrs, &[])?.remove(0))
    }

    fn assign(&self, handle: &Tensor, value: &Tensor) -> Result<()> {
        let attrs = [("dtype", value.dtype().into())];
        let results = self.run("AssignVariableOp", attrs, &[handle.clone(), value.clone()])?;
        if results.is_empty() {
            Ok(())
        } else {
            bail!(Internal, "an assignment has no result")
        }
    }

    fn read(&self, handle: &Tensor, dtype: DataType) -> Result<Tensor> {
        let value = self
            .run(
                "ReadVariableOp",
                [("dtype", dtype.into())],
                std::slice::from_ref(handle),
            )?
            .remove(0);
        if value.is_host() {
            Ok(value)
        } else {
            self.direct.device().copy_to_host(&value)
        }
    }

    fn life(&self) -> Result<()> {
        let (first, second) = (self.handle()?, self.handle()?);
        let other_dtype = if self.dtype == DataType::Float {
            DataType::Int32
        } else {
            DataType::Float
        };
        fails(
            self.read(&first, self.dtype),
            Code::FailedPrecondition,
            "reading before assigning",
        )?;
        // The shape may change from one assignment to the next.
        for (handle, dims, seed) in [(&first, &[2, 3][..], 1), (&second, &[4], 2)] {
            let value = data::ordinary(self.dtype, dims, seed)?;
            self.assign(handle, &value)?;
            for handle in [&first, &second] {
                if let Some(why) = difference(&value, &self.read(handle, self.dtype)?, None) {
                    bail!(Internal, "what was read is not what was assigned: {why}");
                }
            }
        }
        fails(
            self.read(&first, other_dtype),
            Code::InvalidArgument,
            "reading another type",
        )?;
        let other = data::ordinary(other_dtype, &[4], 3)?;
        fails(
            self.assign(&first, &other),
            Code::InvalidArgument,
            "assigning another type",
        )
    }

    fn refused(&self) -> Result<()> {
        let value = data::ordinary(self.dtype, &[2], 1)?;
        fails(
            self.assign(&self.handle()?, &value),
            Code::NotFound,
            "assigning",
        )
    }
}

fn fails<T>(result: Result<T>, code: Code, what: &str) -> Result<()> {
    match result {
        Err(e) if e.code() == code => Ok(()),
        Err(e) => bail!(Internal, "{what}: failed with {e}, wanted {}", code.name()),
        Ok(_) => bail!(Internal, "{what}: works, wanted {}", code.name()),
    }
}
