//! `Library`: the functions of a context, and the plans made of them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfe_core::fork::{Mutex, RwLock};
use tfe_core::{Error, Result, bail, ensure, err};
use tfe_device::{Device, FunctionLibrary, Kernel, KernelRegistry};
use tfe_ops::{AttrValue, FuncAttr, OpRegistry, attr_value_to_proto};
use tfe_proto::Message as _;
use tfe_proto::tensorflow::FunctionDef;

use crate::bind::Attributes;
use crate::body::Scope;
use crate::inline::flatten;
use crate::place::Places;
use crate::run::wrong_number_of_args;
use crate::same::same_definition;
use crate::{Function, Plan};

/// How deep functions may be nested that kernels call: each is made, and runs, on the stack of the thread.
const DEEPEST: usize = 100;

/// How many plans are kept. When there are more, all go but those that keep state: whoever runs one holds on to it.
const MOST_PLANS: usize = 1000;

type Functions = HashMap<Box<str>, Registered, rustc_hash::FxBuildHasher>;

/// A function, and how often it was added: it is to be removed as often.
struct Registered {
    function: Arc<Function>,
    times: usize,
}

/// The functions that a context knows, and all that is needed to make plans of them: ops, kernels, devices. May be used
/// and changed from many threads at once.
///
/// ```
/// use std::sync::Arc;
/// use tfe_core::DataType;
/// use tfe_device::KernelRegistry;
/// use tfe_function::{FunctionBuilder, Library};
/// use tfe_ops::OpRegistry;
///
/// let library = Library::new(Arc::new(OpRegistry::new()), Arc::new(KernelRegistry::default()), vec![]);
/// let def = FunctionBuilder::new("Same").input("x", DataType::Float).output("y", DataType::Float, "x").build()?;
/// library.add(def)?;
/// assert!(library.find("Same").is_some());
/// library.remove("Same")?;
/// assert!(library.remove("Same").is_err());
/// # Ok::<(), tfe_core::Error>(())
/// ```
pub struct Library {
    ops: Arc<OpRegistry>,
    kernels: Arc<KernelRegistry>,
    devices: Vec<Arc<dyn Device>>,
    functions: RwLock<Functions>,
    generation: AtomicU64,
    plans: Mutex<HashMap<PlanKey, Arc<Plan>>>,
}

/// Where a plan runs, where its arguments come from, and where its results are to be.
#[derive(Clone, Copy)]
pub struct Placement<'p> {
    /// Where nodes run that ask for no other device.
    pub device: &'p dyn Device,
    /// The device of each argument; `None` when all are on [`device`](Self::device).
    ///
    /// An argument of plain elements lies in the memory of its device; strings, resource handles and variants lie in
    /// host memory. The device of a handle is that of its resource. What lies in host memory is an argument from a host
    /// device.
    pub args: Option<&'p [&'p dyn Device]>,
    /// Whether results are brought to [`device`](Self::device); else they stay where they were made, and
    /// [`Plan::results`] tells.
    pub results_on_device: bool,
}

impl<'p> Placement<'p> {
    /// All on one device.
    pub fn on(device: &'p dyn Device) -> Self {
        Self {
            device,
            args: None,
            results_on_device: true,
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
struct PlanKey {
    /// Name and attributes, encoded: equal messages give equal bytes.
    function: Vec<u8>,
    target: usize,
    args: Option<Vec<usize>>,
    results_on_target: bool,
}

impl Library {
    /// A library without functions. Devices that functions may use are those given here.
    pub fn new(
        ops: Arc<OpRegistry>,
        kernels: Arc<KernelRegistry>,
        devices: Vec<Arc<dyn Device>>,
    ) -> Self {
        Self {
            ops,
            kernels,
            devices,
            functions: RwLock::default(),
            generation: AtomicU64::new(0),
            plans: Mutex::default(),
        }
    }

    /// Adds a function from an encoded `FunctionDef`. What is added again has to be removed as often.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no `FunctionDef`, a signature that makes no sense, a name that an op has, or
    /// a name that another function has.
    pub fn add_bytes(&self, bytes: &[u8]) -> Result<()> {
        self.insert(Function::from_bytes(bytes)?)
    }

    /// Adds a function.
    ///
    /// # Errors
    /// As [`add_bytes`](Self::add_bytes).
    pub fn add(&self, def: FunctionDef) -> Result<()> {
        self.insert(Function::from_def(def)?)
    }

    fn insert(&self, function: Function) -> Result<()> {
        let name = function.name();
        ensure!(
            self.ops.lookup(name).is_none(),
            InvalidArgument,
            "Cannot add function '{name}' because an op with the same name already exists."
        );
        let mut functions = self.functions.write();
        match functions.get_mut(name) {
            None => {
                let name = name.into();
                let function = Arc::new(function);
                functions.insert(name, Registered { function, times: 1 });
                Ok(())
            }
            Some(known) if same_definition(known.function.def(), function.def()) => {
                known.times += 1;
                Ok(())
            }
            Some(_) => Err(err!(
                InvalidArgument,
                "Attempting to add a duplicate function with name: {name} where the previous and current definitions \
                 differ."
            )),
        }
    }

    /// Takes back one adding of a function; with the last the function goes, and the plans that use it. Whoever holds such a plan can still run it;
    /// [`generation`](Self::generation) tells that it is time to drop it.
    ///
    /// # Errors
    /// `InvalidArgument` when there is no such function.
    pub fn remove(&self, name: &str) -> Result<()> {
        let mut functions = self.functions.write();
        let Some(known) = functions.get_mut(name) else {
            bail!(
                InvalidArgument,
                "Tried to remove non-existent function '{name}'."
            );
        };
        known.times -= 1;
        if known.times > 0 {
            return Ok(());
        }
        functions.remove(name);
        drop(functions);
        // In this order: a plan that is made meanwhile is either dropped below or sees the new number and is not kept.
        self.generation.fetch_add(1, Ordering::Release);
        self.plans
            .lock()
            .retain(|_, plan| plan.functions().iter().all(|f| f.name() != name));
        Ok(())
    }

    /// The function of that name.
    pub fn find(&self, name: &str) -> Option<Arc<Function>> {
        self.functions
            .read()
            .get(name)
            .map(|known| Arc::clone(&known.function))
    }

    /// All functions, in order of their names.
    pub fn list(&self) -> Vec<Arc<Function>> {
        let mut functions: Vec<_> = self
            .functions
            .read()
            .values()
            .map(|known| Arc::clone(&known.function))
            .collect();
        functions.sort_by(|a, b| a.name().cmp(b.name()));
        functions
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        self.functions.read().len()
    }

    /// Whether there are no functions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A number that changes when a function is removed: what was made under another number may use functions that are
    /// gone. Adding a function makes no plan wrong and does not change it.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Forgets all plans.
    pub fn clear_plans(&self) {
        self.plans.lock().clear();
    }

    /// How many plans are kept.
    pub fn num_plans(&self) -> usize {
        self.plans.lock().len()
    }

    /// The function bound to its attributes, ready to run: made at the first call, the same after.
    ///
    /// # Errors
    /// `NotFound` for an unknown function; `InvalidArgument` for a device that the library does not have, for another
    /// number of arguments than the function has, and for most of what can be wrong with the function or one that it
    /// calls. Codes and messages are TensorFlow's.
    pub fn plan(&self, function: &FuncAttr, placement: &Placement<'_>) -> Result<Arc<Plan>> {
        self.plan_within(function, placement, None)
    }

    /// Makes a plan that is not kept.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    pub fn compile(&self, function: &FuncAttr, placement: &Placement<'_>) -> Result<Plan> {
        self.compile_within(function, placement, None)
    }

    fn plan_within(
        &self,
        function: &FuncAttr,
        placement: &Placement<'_>,
        outer: Option<&Building<'_>>,
    ) -> Result<Arc<Plan>> {
        let generation = self.generation();
        let key = self.key(function, placement)?;
        if let Some(plan) = self.plans.lock().get(&key) {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(self.compile_within(function, placement, outer)?);
        let mut plans = self.plans.lock();
        if self.generation() != generation {
            return Ok(plan);
        }
        if plans.len() >= MOST_PLANS {
            plans.retain(|_, plan| plan.keeps_state());
        }
        // Where two threads made the same plan the first one stays, and with it the state of its kernels.
        Ok(Arc::clone(plans.entry(key).or_insert(plan)))
    }

    fn compile_within(
        &self,
        function: &FuncAttr,
        placement: &Placement<'_>,
        outer: Option<&Building<'_>>,
    ) -> Result<Plan> {
        let building = Building {
            library: self,
            name: &function.name,
            outer,
        };
        building.check()?;
        let definition = self
            .find(&function.name)
            .ok_or_else(|| missing(&function.name))?;
        let attrs: Attributes = function
            .attrs()
            .map(|(n, v)| (n.into(), v.clone()))
            .collect();
        let mut graph = flatten(&definition, &attrs, &self)?;
        graph.prune();
        let target = self.number_of(placement.device)?;
        let args = match placement.args {
            None => vec![target; graph.args.len()],
            Some(args) => args
                .iter()
                .map(|&d| self.number_of(d))
                .collect::<Result<_>>()?,
        };
        if args.len() != graph.args.len() {
            return Err(wrong_number_of_args(args.len(), graph.args.len()));
        }
        let places = Places {
            devices: &self.devices,
            kernels: &self.kernels,
            target,
            args,
            results_on_target: placement.results_on_device,
        };
        Plan::new(graph, &places, &building)
    }

    fn key(&self, function: &FuncAttr, placement: &Placement<'_>) -> Result<PlanKey> {
        let number = |devices: &[&dyn Device]| -> Result<Vec<usize>> {
            devices.iter().map(|&d| self.number_of(d)).collect()
        };
        Ok(PlanKey {
            function: attr_value_to_proto(&AttrValue::from(function.clone()))?.encode_to_vec(),
            target: self.number_of(placement.device)?,
            args: placement.args.map(number).transpose()?,
            results_on_target: placement.results_on_device,
        })
    }

    fn number_of(&self, device: &dyn Device) -> Result<usize> {
        self.devices
            .iter()
            .position(|d| d.name() == device.name())
            .ok_or_else(|| err!(InvalidArgument, "{} unknown device.", device.name()))
    }
}

fn missing(name: &str) -> Error {
    err!(NotFound, "Failed to find function '{name}'")
}

impl<'r> Scope<'r> for &'r Library {
    fn ops(&self) -> &'r OpRegistry {
        &self.ops
    }

    fn function(&self, name: &str) -> Option<Arc<Function>> {
        self.find(name)
    }

    fn functions(&self) -> Vec<Arc<Function>> {
        self.list()
    }
}

impl FunctionLibrary for Library {
    fn instantiate(&self, function: &FuncAttr, device: &dyn Device) -> Result<Arc<dyn Kernel>> {
        Ok(self.plan(function, &Placement::on(device))?)
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Library({} functions, {} plans)",
            self.len(),
            self.num_plans()
        )
    }
}

/// The library as kernels see it while they are built for a plan: remembers which functions are being made, so that one
/// that comes to itself by way of a kernel is found out.
struct Building<'b> {
    library: &'b Library,
    name: &'b str,
    outer: Option<&'b Building<'b>>,
}

impl Building<'_> {
    fn check(&self) -> Result<()> {
        let mut depth = 0;
        let mut outer = self.outer;
        while let Some(building) = outer {
            ensure!(
                building.name != self.name,
                InvalidArgument,
                "function {} calls itself",
                self.name
            );
            depth += 1;
            outer = building.outer;
        }
        ensure!(
            depth < DEEPEST,
            InvalidArgument,
            "calls are nested deeper than {DEEPEST} functions, down to {}",
            self.name
        );
        Ok(())
    }
}

impl FunctionLibrary for Building<'_> {
    fn instantiate(&self, function: &FuncAttr, device: &dyn Device) -> Result<Arc<dyn Kernel>> {
        let placement = Placement::on(device);
        Ok(self.library.plan_within(function, &placement, Some(self))?)
    }
}
