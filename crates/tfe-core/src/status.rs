//! Status codes, the one error type, and the macros that make it.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

/// The outcome of a call: the 17 canonical codes, numbered as `TF_Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Code {
    /// It worked.
    Ok = 0,
    /// The caller gave it up.
    Cancelled = 1,
    /// Something failed and nobody knows the kind.
    Unknown = 2,
    /// The argument is wrong whatever the state of the system.
    InvalidArgument = 3,
    /// Time ran out.
    DeadlineExceeded = 4,
    /// A named thing does not exist.
    NotFound = 5,
    /// A thing to be made is there already.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// Memory, disk or a quota ran out.
    ResourceExhausted = 8,
    /// The system is not in the state that the call needs.
    FailedPrecondition = 9,
    /// Given up because of another call; trying again may help.
    Aborted = 10,
    /// Past the end of a range that may yet grow.
    OutOfRange = 11,
    /// Known, and not supported here.
    Unimplemented = 12,
    /// An invariant of the runtime is broken.
    Internal = 13,
    /// Gone for the moment.
    Unavailable = 14,
    /// Data cannot be had back.
    DataLoss = 15,
    /// No valid credentials.
    Unauthenticated = 16,
}

impl Code {
    const ALL: [(Code, &'static str); 17] = [
        (Code::Ok, "OK"),
        (Code::Cancelled, "CANCELLED"),
        (Code::Unknown, "UNKNOWN"),
        (Code::InvalidArgument, "INVALID_ARGUMENT"),
        (Code::DeadlineExceeded, "DEADLINE_EXCEEDED"),
        (Code::NotFound, "NOT_FOUND"),
        (Code::AlreadyExists, "ALREADY_EXISTS"),
        (Code::PermissionDenied, "PERMISSION_DENIED"),
        (Code::ResourceExhausted, "RESOURCE_EXHAUSTED"),
        (Code::FailedPrecondition, "FAILED_PRECONDITION"),
        (Code::Aborted, "ABORTED"),
        (Code::OutOfRange, "OUT_OF_RANGE"),
        (Code::Unimplemented, "UNIMPLEMENTED"),
        (Code::Internal, "INTERNAL"),
        (Code::Unavailable, "UNAVAILABLE"),
        (Code::DataLoss, "DATA_LOSS"),
        (Code::Unauthenticated, "UNAUTHENTICATED"),
    ];

    /// The code of that number; numbers that no code has give `Unknown`.
    pub fn from_number(number: i32) -> Self {
        usize::try_from(number)
            .ok()
            .and_then(|i| Self::ALL.get(i))
            .map_or(Code::Unknown, |&(code, _)| code)
    }

    /// The number, as in `TF_Code`.
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The upper-case name: `INVALID_ARGUMENT`.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The code of that upper-case name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|&&(_, n)| n == name)
            .map(|&(code, _)| code)
    }
}

/// What went wrong: a [`Code`] other than `Ok`, and a message for a person.
///
/// One word wide, so that a `Result` of a small value stays in registers.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    message: Cow<'static, str>,
}

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of `code`; a code of `Ok` would be a contradiction and becomes `Internal`.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        let code = if code == Code::Ok {
            Code::Internal
        } else {
            code
        };
        Self(Box::new(Inner {
            code,
            message: message.into(),
        }))
    }

    /// The error that a panic was caught for: `Internal`, with the panic's message.
    #[cold]
    pub fn of_panic(panic: Box<dyn Any + Send>) -> Self {
        let message = match panic.downcast::<String>() {
            Ok(text) => Cow::Owned(*text),
            Err(panic) => match panic.downcast::<&'static str>() {
                Ok(text) => Cow::Borrowed(*text),
                Err(other) => {
                    // Dropping what an unknown panic carries might panic again.
                    std::mem::forget(other);
                    Cow::Borrowed("a panic without a message")
                }
            },
        };
        crate::err!(Internal, "a fault of the library: {message}")
    }

    /// The kind of failure; never `Ok`.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// What was given and what was wanted.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The same error with a sentence before its message that says what is wrong in plain words.
    #[must_use]
    pub fn explained(mut self, plainly: impl fmt::Display) -> Self {
        self.0.message = format!("{plainly}\n{}", self.0.message).into();
        self
    }

    /// The same error with a note of where it happened after its message.
    ///
    /// The message comes first because programs match on its beginning.
    #[must_use]
    pub fn with_context(mut self, place: impl fmt::Display) -> Self {
        self.0.message = format!("{}\n\t{place}", self.0.message).into();
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code().name(), self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// An [`Error`] with a formatted message: `err!(InvalidArgument, "rank {r} is not 2")`.
#[macro_export]
macro_rules! err {
    ($code:ident, $($message:tt)+) => {
        $crate::Error::new($crate::Code::$code, ::std::format!($($message)+))
    };
}

/// Returns an [`err!`] from the enclosing function.
#[macro_export]
macro_rules! bail {
    ($code:ident, $($message:tt)+) => {
        return ::std::result::Result::Err($crate::err!($code, $($message)+))
    };
}

/// Returns an [`err!`] from the enclosing function unless the condition holds.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $code:ident, $($message:tt)+) => {
        if !$condition {
            $crate::bail!($code, $($message)+);
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_map_both_ways() {
        for number in 0..17 {
            let code = Code::from_number(number);
            assert_eq!(code.number(), number);
            assert_eq!(Code::from_name(code.name()), Some(code));
        }
        assert_eq!(Code::from_number(-1), Code::Unknown);
        assert_eq!(Code::from_number(17), Code::Unknown);
    }

    #[test]
    fn an_error_is_one_word_and_never_ok() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
        assert_eq!(Error::new(Code::Ok, "x").code(), Code::Internal);
        let e = err!(NotFound, "no {}", 1).with_context("op Relu");
        assert_eq!(e.to_string(), "NOT_FOUND: no 1\n\top Relu");
        let e = e.explained("there is none");
        assert_eq!(e.message(), "there is none\nno 1\n\top Relu");
    }
}
