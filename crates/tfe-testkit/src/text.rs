//! Protos in text format, both ways.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::text_format::FormatOptions;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use tfe_core::{Result, err};
use tfe_proto::tensorflow as tf;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(tfe_proto::FILE_DESCRIPTOR_SET)
        .expect("the descriptors of tfe-proto are whole")
});

/// A message that has a name to find its descriptor by.
pub trait Named: Message + Default {
    /// Its full name.
    const NAME: &'static str;
}

macro_rules! named {
    ($($t:ident),* $(,)?) => {$(
        impl Named for tf::$t {
            const NAME: &'static str = concat!("tensorflow.", stringify!($t));
        }
    )*};
}
named!(
    AttrValue,
    ConfigProto,
    DeviceAttributes,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    KernelDef,
    KernelList,
    NameAttrList,
    NodeDef,
    OpDef,
    OpList,
    TensorProto,
    TensorShapeProto,
    VersionDef,
);

fn descriptor<M: Named>() -> MessageDescriptor {
    POOL.get_message_by_name(M::NAME)
        .expect("named messages are in the pool")
}

/// Reads a message.
///
/// ```
/// use tfe_proto::tensorflow::NodeDef;
/// let node: NodeDef = tfe_testkit::text::parse("name: 'n' op: 'MatMul' input: ['a', 'b']")?;
/// assert_eq!(node.input, ["a", "b"]);
/// # Ok::<(), tfe_core::Error>(())
/// ```
///
/// # Errors
/// `InvalidArgument` saying where the text is no such message.
pub fn parse<M: Named>(text: &str) -> Result<M> {
    let message = DynamicMessage::parse_text_format(descriptor::<M>(), text)
        .map_err(|e| err!(InvalidArgument, "no {}: {e}", M::NAME))?;
    message
        .transcode_to()
        .map_err(|e| err!(InvalidArgument, "no {}: {e}", M::NAME))
}

/// Prints a message, one field a line.
pub fn print<M: Named>(message: &M) -> String {
    let mut dynamic = DynamicMessage::new(descriptor::<M>());
    dynamic
        .transcode_from(message)
        .expect("the message is of the pool's own type");
    dynamic.to_text_format_with_options(&FormatOptions::new().pretty(true))
}

/// Reads a function.
///
/// # Panics
/// When the text is none: tests know their functions.
pub fn function_def(text: &str) -> tf::FunctionDef {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Reads an op definition.
///
/// # Panics
/// When the text is none.
pub fn op_def(text: &str) -> tf::OpDef {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_survives_printing_and_reading() {
        let function = function_def(
            "signature {
               name: 'F' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'm' type: DT_FLOAT }
             }
             node_def {
               name: 'matmul' op: 'MatMul' input: 'a' input: 'a'
               attr { key: 'T' value { type: DT_FLOAT } }
             }
             ret { key: 'm' value: 'matmul:product' }",
        );
        assert_eq!(function.ret["m"], "matmul:product");
        let text = print(&function);
        assert!(text.lines().count() > 10, "{text}");
        assert_eq!(parse::<tf::FunctionDef>(&text).expect("printed"), function);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for text in [
            "signature {",
            "nosuchfield: 1",
            "signature { name: 3 }",
            "ret { key: 'a' value: 1 }",
        ] {
            let e = parse::<tf::FunctionDef>(text).expect_err(text);
            assert_eq!(e.code(), tfe_core::Code::InvalidArgument);
        }
    }
}
