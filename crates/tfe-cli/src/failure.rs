//! Why a command did not do what it was asked, and the exit status that tells it.

use std::io;
use std::process::ExitCode;

use tfe_eager::{Code, Context, Error, did_you_mean};

/// What a command comes back with.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line says nothing that can be done: exit status 2.
    Usage(String),
    /// The runtime refused or failed: exit status 1.
    Status(Error),
    /// The results could not be written.
    Output(io::Error),
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn status(code: Code, message: impl Into<String>) -> Self {
        Self::Status(Error::new(code, message.into()))
    }

    /// Of a name that neither an op nor a function has.
    pub(crate) fn unknown(ctx: &Context, name: &str) -> Self {
        let functions = ctx.functions().list();
        let names = ctx.ops().names();
        let hint = did_you_mean(name, names.chain(functions.iter().map(|f| f.name())));
        let what = format!("there is no op or function '{name}'{hint}");
        Self::status(Code::NotFound, what)
    }

    /// Of reading or writing a file.
    pub(crate) fn file(path: &str, error: &io::Error) -> Self {
        let code = match error.kind() {
            io::ErrorKind::NotFound => Code::NotFound,
            io::ErrorKind::PermissionDenied => Code::PermissionDenied,
            io::ErrorKind::OutOfMemory => Code::ResourceExhausted,
            _ => Code::Unknown,
        };
        Self::status(code, format!("{path}: {error}"))
    }

    /// The line for standard error, if there is something to say, and the exit status.
    pub(crate) fn report(&self) -> (Option<String>, ExitCode) {
        match self {
            Self::Usage(message) => (Some(message.clone()), ExitCode::from(2)),
            Self::Status(error) => (Some(error.to_string()), ExitCode::FAILURE),
            // Whoever reads has read enough: `tfe ops | head`.
            Self::Output(e) if e.kind() == io::ErrorKind::BrokenPipe => (None, ExitCode::SUCCESS),
            Self::Output(e) => {
                let message = format!("the results could not be written: {e}");
                (Some(message), ExitCode::FAILURE)
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Status(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
