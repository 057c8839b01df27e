//! `ReadFile` and `WriteFile`: a file as a string.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tfe_core::{Code, Error, Result, TString, Tensor, bail, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::READ_FILE, read),
    KernelDef::cpu(ops::WRITE_FILE, write),
];

fn read(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let name = scalar(ctx, 0, "Input filename tensor")?;
        let path = path(&name)?;
        let contents = std::fs::read(path).map_err(|e| failed(path, &e))?;
        let contents = TString::concat([&*contents])?;
        ctx.set_output(0, Tensor::scalar(contents)?);
        Ok(())
    }))
}

fn write(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let name = scalar(ctx, 0, "Input filename tensor")?;
        let contents = scalar(ctx, 1, "Contents tensor")?;
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

fn scalar(ctx: &KernelContext<'_>, i: usize, what: &str) -> Result<TString> {
    let input = ctx.input(i);
    ensure!(
        input.rank() == 0,
        InvalidArgument,
        "{what} must be scalar, but had shape: {}",
        input.shape()
    );
    input.scalar_value()
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
