//! Device names in all their spellings.

use std::ffi::{CStr, CString};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tfe_core::{Error, Result, err};

/// What a program says about a device: any part may be left open.
///
/// Every usual spelling is read: `CPU:0`, `cpu:0`, `/cpu:0`, `/device:CPU:0`, `gpu`,
/// `/job:localhost/replica:0/task:0/device:CPU:0`; a part given as `*` is open, and so is the empty string.
///
/// ```
/// use tfe_device::DeviceSpec;
/// let spec: DeviceSpec = "/cpu:0".parse()?;
/// assert_eq!(spec.to_string(), "/device:CPU:0");
/// # Ok::<(), tfe_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeviceSpec {
    /// Job, `localhost` for all local devices.
    pub job: Option<String>,
    /// Replica within the job.
    pub replica: Option<u32>,
    /// Task within the replica.
    pub task: Option<u32>,
    /// `CPU`, `GPU`, …
    pub device_type: Option<String>,
    /// Number among the devices of that type.
    pub id: Option<u32>,
}

impl DeviceSpec {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the device of that full name is one of those meant.
    pub fn matches(&self, name: &DeviceName) -> bool {
        fn open<T: PartialEq>(want: &Option<T>, have: &Option<T>) -> bool {
            want.is_none() || want == have
        }
        let have = &name.0.spec;
        open(&self.job, &have.job)
            && open(&self.replica, &have.replica)
            && open(&self.task, &have.task)
            && open(&self.device_type, &have.device_type)
            && open(&self.id, &have.id)
    }

    fn set_device(&mut self, device_type: &str, id: Option<&str>) -> Option<()> {
        let word = |s: &str| {
            s.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && s.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        self.device_type = match device_type {
            "*" => None,
            t if !word(t) => return None,
            t if t.eq_ignore_ascii_case("cpu") || t.eq_ignore_ascii_case("gpu") => {
                Some(t.to_ascii_uppercase())
            }
            t => Some(t.to_owned()),
        };
        self.id = id.map_or(Some(None), number)?;
        Some(())
    }

    fn parse(text: &str) -> Option<Self> {
        let mut spec = Self::default();
        if text.is_empty() {
            return Some(spec);
        }
        let Some(parts) = text.strip_prefix('/') else {
            // Without a slash only `TYPE:ID` and the two common types are taken: any word could be a mistake.
            match text.split_once(':') {
                Some((device_type, id)) => spec.set_device(device_type, Some(id))?,
                None if text.eq_ignore_ascii_case("cpu") || text.eq_ignore_ascii_case("gpu") => {
                    spec.set_device(text, None)?;
                }
                None => return None,
            }
            return Some(spec);
        };
        for part in parts.split('/') {
            let (key, value) = part
                .split_once(':')
                .map_or((part, None), |(k, v)| (k, Some(v)));
            match (key, value) {
                ("job", Some("*")) => spec.job = None,
                ("job", Some(job)) if !job.is_empty() => spec.job = Some(job.to_owned()),
                ("replica", Some(n)) => spec.replica = number(n)?,
                ("task", Some(n)) => spec.task = number(n)?,
                ("device", Some(device)) => {
                    let (device_type, id) = device
                        .split_once(':')
                        .map_or((device, None), |(t, id)| (t, Some(id)));
                    spec.set_device(device_type, id)?;
                }
                // The old form: the type is the key, in either case.
                ("cpu" | "CPU" | "gpu" | "GPU", id) => spec.set_device(key, id)?,
                _ => return None,
            }
        }
        Some(spec)
    }
}

/// A number, or nothing for `*`; `None` when it is neither.
fn number(text: &str) -> Option<Option<u32>> {
    if text == "*" {
        Some(None)
    } else {
        text.parse().ok().map(Some)
    }
}

impl FromStr for DeviceSpec {
    type Err = Error;

    /// # Errors
    /// `InvalidArgument` for anything that is no spelling of a device.
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
            .ok_or_else(|| err!(InvalidArgument, "Malformed device specification '{text}'"))
    }
}

impl fmt::Display for DeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(job) = &self.job {
            write!(f, "/job:{job}")?;
        }
        if let Some(replica) = self.replica {
            write!(f, "/replica:{replica}")?;
        }
        if let Some(task) = self.task {
            write!(f, "/task:{task}")?;
        }
        match (&self.device_type, self.id) {
            (Some(device_type), Some(id)) => write!(f, "/device:{device_type}:{id}"),
            (Some(device_type), None) => write!(f, "/device:{device_type}:*"),
            (None, Some(id)) => write!(f, "/device:*:{id}"),
            (None, None) => Ok(()),
        }
    }
}

/// The full name of a device: `/job:localhost/replica:0/task:0/device:CPU:0`. A clone is cheap.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DeviceName(Arc<Parts>);

#[derive(PartialEq, Eq, Hash)]
struct Parts {
    /// The name in full.
    text: Box<str>,
    c_text: CString,
    c_device_type: CString,
    spec: DeviceSpec,
}

impl DeviceName {
    /// The name of device `id` of a type on this machine.
    pub fn local(device_type: &str, id: u32) -> Self {
        let spec = DeviceSpec {
            job: Some("localhost".to_owned()),
            replica: Some(0),
            task: Some(0),
            device_type: Some(device_type.to_owned()),
            id: Some(id),
        };
        Self::of(spec)
    }

    /// The name that a spelling says in full; `None` when it leaves something open.
    ///
    /// ```
    /// use tfe_device::{DeviceName, DeviceSpec};
    /// let spec: DeviceSpec = "/job:worker/replica:0/task:3/device:CUSTOM:1".parse()?;
    /// let name = DeviceName::from_spec(spec).ok_or("a part is open")?;
    /// assert_eq!((name.device_type(), name.id()), ("CUSTOM", 1));
    /// assert_eq!(DeviceName::from_spec("CUSTOM:1".parse()?), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_spec(spec: DeviceSpec) -> Option<Self> {
        let is_place_full = spec.job.is_some() && spec.replica.is_some() && spec.task.is_some();
        let is_full = is_place_full && spec.device_type.is_some() && spec.id.is_some();
        is_full.then(|| Self::of(spec))
    }

    fn of(spec: DeviceSpec) -> Self {
        // No part of a name holds a zero byte, unless a backend chose one as its type.
        let text = spec.to_string();
        let device_type = spec.device_type.as_deref().unwrap_or_default();
        Self(Arc::new(Parts {
            c_text: CString::new(&*text).unwrap_or_default(),
            c_device_type: CString::new(device_type).unwrap_or_default(),
            text: text.into(),
            spec,
        }))
    }

    /// The name in full.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// The name in full, for C; it lives as long as the device name or any clone.
    pub fn as_c_str(&self) -> &CStr {
        &self.0.c_text
    }

    /// `CPU`, `GPU`, …
    pub fn device_type(&self) -> &str {
        self.0.spec.device_type.as_deref().unwrap_or_default()
    }

    /// The type, for C; it lives as long as the device name or any clone.
    pub fn device_type_c_str(&self) -> &CStr {
        &self.0.c_device_type
    }

    /// The number among the devices of that type.
    pub fn id(&self) -> u32 {
        self.0.spec.id.unwrap_or_default()
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_spelling_means_the_cpu() {
        let cpu = DeviceName::local("CPU", 0);
        assert_eq!(cpu.as_str(), "/job:localhost/replica:0/task:0/device:CPU:0");
        for text in [
            "CPU:0",
            "cpu:0",
            "/cpu:0",
            "/CPU:0",
            "/device:CPU:0",
            "/device:cpu:0",
            "CPU",
            "cpu",
            "/cpu",
            "",
            "/device:CPU:*",
            "/job:localhost/replica:0/task:0/device:CPU:0",
            "/job:localhost/replica:0/task:0/cpu:0",
            "/job:*/task:0",
        ] {
            let spec: DeviceSpec = text.parse().expect(text);
            assert!(spec.matches(&cpu), "{text}");
        }
        for text in [
            "GPU:0",
            "/device:GPU:0",
            "CPU:1",
            "/job:worker/task:3/device:CPU:0",
            "TPU:0",
        ] {
            let spec: DeviceSpec = text.parse().expect(text);
            assert!(!spec.matches(&cpu), "{text}");
        }
    }

    #[test]
    fn what_is_no_device_is_refused() {
        for text in [
            "localhost",
            "not a device",
            "CPU:",
            "CPU:x",
            "CPU:-1",
            "/",
            "/tpu",
            "/job:",
            "//cpu:0",
            "0:CPU",
        ] {
            let e = text.parse::<DeviceSpec>().expect_err(text);
            assert_eq!(e.code(), tfe_core::Code::InvalidArgument);
        }
    }
}
