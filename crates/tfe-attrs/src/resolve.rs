//! From a builder to checked attributes.

use tfe_core::{Error, Result, bail, err};
use tfe_ops::{Allowed, ArgCount, ArgSpec, ArgType, AttrKind, did_you_mean};

use crate::{AttrBuilder, Attrs, args, errors, unset_attr};

/// How many input types a message lists.
const SHOWN_TYPES: usize = 100;

impl AttrBuilder<'_> {
    /// The attributes of the call, defaults filled in, once everything about them and the number of inputs is right.
    ///
    /// # Errors
    /// With TensorFlow's codes and messages: `InvalidArgument` for a value of the wrong kind, a type or string that is
    /// not allowed, a number below its minimum, a missing attribute, another number of inputs than the definition asks
    /// for; `NotFound` when an attribute is missing that inputs or outputs depend on.
    pub fn finish(&self) -> Result<Attrs> {
        let spec = self.spec();
        let missing: Vec<usize> = (0..spec.attrs.len())
            .filter(|&slot| self.slot(slot).is_none())
            .collect();
        // TensorFlow first looks for a kernel, then for the types of arguments, and only then at the whole.
        if let Some(&slot) = missing.iter().find(|&&slot| self.selects_kernel(slot)) {
            let name = &spec.attrs[slot].name;
            let e = err!(
                InvalidArgument,
                "OpKernel '{}' has constraint on attr '{name}' not in NodeDef '[{}]'",
                spec.name(),
                errors::listed(self.values())
            );
            return Err(e.explained(unset_attr(spec, name)));
        }
        if let Some(&slot) = missing
            .iter()
            .find(|&&slot| shapes_arg(&spec.outputs, slot) || shapes_arg(&spec.inputs, slot))
        {
            let name = &spec.attrs[slot].name;
            return Err(errors::missing(name, self.node_name()).explained(unset_attr(spec, name)));
        }
        for (slot, value) in self.set_slots() {
            spec.check_attr(slot, value).map_err(|e| {
                let place = format!("; NodeDef: {}; {}", self.node(), spec.summary());
                e.with_context(place)
            })?;
        }
        let names: Vec<&str> = missing.iter().map(|&s| &*spec.attrs[s].name).collect();
        if let Some(first) = names.first() {
            let e = err!(
                InvalidArgument,
                "NodeDef missing attr{} '{}' from {}; NodeDef: {}",
                if names.len() == 1 { "" } else { "s" },
                names.join("', '"),
                spec.summary(),
                self.node()
            );
            return Err(e.explained(unset_attr(spec, first)));
        }
        let wanted = args::total(spec, &spec.inputs, &|slot| self.slot(slot))?;
        if wanted != self.input_count() {
            return Err(self.wrong_inputs(wanted)?);
        }
        Ok(Attrs::new(spec.name(), self.values()))
    }

    /// Checks that the op has all attributes that were set, but for hints to graph rewriters: their names begin with an
    /// underscore.
    ///
    /// # Errors
    /// `InvalidArgument` naming the first that it has not; [`finish`](Self::finish) ignores those, as TensorFlow does.
    pub fn check_names(&self) -> Result<()> {
        let Some((name, _)) = self.extras().find(|(name, _)| !name.starts_with('_')) else {
            return Ok(());
        };
        let spec = self.spec();
        let names: Vec<&str> = spec.attrs.iter().map(|a| &*a.name).collect();
        let hint = match did_you_mean(name, names.iter().copied()) {
            none if none.is_empty() && names.is_empty() => "; it has none".to_owned(),
            none if none.is_empty() => format!("; it has '{}'", names.join("', '")),
            hint => hint,
        };
        bail!(
            InvalidArgument,
            "Op {} has no attribute '{name}'{hint}",
            spec.name()
        )
    }

    /// Whether kernels are chosen by the attribute in that slot: a type, or types, of which only some are allowed.
    fn selects_kernel(&self, slot: usize) -> bool {
        let attr = &self.spec().attrs[slot];
        // One kernel of TensorFlow's is for all types in spite of a list.
        attr.kind == AttrKind::Type
            && matches!(attr.allowed, Allowed::Types(_))
            && self.spec().name() != "Bitcast"
    }

    #[cold]
    fn wrong_inputs(&self, wanted: usize) -> Result<Error> {
        let spec = self.spec();
        let types = if wanted <= SHOWN_TYPES {
            let flat = args::flat(spec, &spec.inputs, &|slot| self.slot(slot))?;
            let names: Vec<_> = flat.iter().map(|(_, dtype)| dtype.name()).collect();
            names.join(", ")
        } else {
            format!("{wanted} tensors")
        };
        let e = err!(
            InvalidArgument,
            "NodeDef expected inputs '{types}' do not match {} inputs specified; {}; NodeDef: {}",
            self.input_count(),
            spec.summary(),
            self.node()
        );
        let inputs = if wanted == 1 { "input" } else { "inputs" };
        Ok(e.explained(format_args!(
            "{} takes {wanted} {inputs}, and has {}",
            spec.name(),
            self.input_count()
        )))
    }

    /// The node as messages name it.
    fn node(&self) -> String {
        format!("{{{{node {}}}}}", self.node_name())
    }
}

/// Whether number or types of some argument come from the attribute in that slot.
fn shapes_arg(args: &[ArgSpec], slot: usize) -> bool {
    args.iter().any(|arg| {
        arg.dtype == ArgType::Attr(slot)
            || matches!(arg.count, ArgCount::Number(s) | ArgCount::TypeList(s) if s == slot)
    })
}
