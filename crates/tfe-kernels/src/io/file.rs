//! `ReadFile` and `WriteFile`: a file as a string.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tfe_core::{Code, Error, Result, TString, Tensor, bail, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::READ_FILE, read_rule, read),
    KernelDef::host(ops::WRITE_FILE, write_rule, write),
];

fn read_rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let name = op.input("filename")?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        scalar(call, name, "Input filename tensor")?;
        call.set_scalar(0);
        Ok(())
    }))
}

fn read(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let name = ctx.input(0).scalar_value()?;
        let path = path(&name)?;
        let contents = std::fs::read(path).map_err(|e| failed(path, &e))?;
        let contents = TString::concat([&*contents])?;
        ctx.set_output(0, Tensor::scalar(contents)?);
        Ok(())
    }))
}

fn write_rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [name, contents] = op.inputs(["filename", "contents"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        scalar(call, name, "Input filename tensor")?;
        scalar(call, contents, "Contents tensor")
    }))
}

fn write(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [name, contents] = init.inputs(["filename", "contents"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let name = ctx.input(name).scalar_value()?;
        let contents: TString = ctx.input(contents).scalar_value()?;
        let path = path(&name)?;
        if let Some(parent) = path.parent()
            && !parent.as_os_str().is_empty()
            && !parent.exists()
        {
            std::fs::create_dir_all(parent).map_err(|e| failed(parent, &e))?;
        }
        std::fs::write(path, contents.as_bytes()).map_err(|e| failed(path, &e))
    }))
}

fn scalar(call: &Inference<'_>, i: usize, what: &str) -> Result<()> {
    call.of_rank(i, 0, || {
        let shape = call.shown(i);
        err!(
            InvalidArgument,
            "{what} must be scalar, but had shape: {shape}"
        )
    })
}

/// The path that a name means. `file://` may stand before it; there are no other file systems.
fn path(name: &TString) -> Result<&Path> {
    let name = name.as_bytes();
    let name = name.strip_prefix(b"file://").unwrap_or(name);
    if let Some(end) = name.windows(3).position(|w| w == b"://")
        && name[..end]
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    {
        bail!(
            Unimplemented,
            "File system scheme '{}' not implemented (file: '{}')",
            name[..end].escape_ascii(),
            name.escape_ascii()
        );
    }
    Ok(Path::new(OsStr::from_bytes(name)))
}

fn failed(path: &Path, e: &io::Error) -> Error {
    let code = match e.kind() {
        ErrorKind::NotFound => Code::NotFound,
        ErrorKind::PermissionDenied => Code::PermissionDenied,
        ErrorKind::AlreadyExists => Code::AlreadyExists,
        ErrorKind::IsADirectory
        | ErrorKind::NotADirectory
        | ErrorKind::DirectoryNotEmpty
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::ResourceBusy
        | ErrorKind::ExecutableFileBusy
        | ErrorKind::BrokenPipe => Code::FailedPrecondition,
        ErrorKind::InvalidInput | ErrorKind::InvalidFilename => Code::InvalidArgument,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::OutOfMemory => {
            Code::ResourceExhausted
        }
        ErrorKind::FileTooLarge => Code::OutOfRange,
        ErrorKind::Unsupported => Code::Unimplemented,
        _ => Code::Unknown,
    };
    Error::new(code, format!("{}; {e}", path.display()))
}
