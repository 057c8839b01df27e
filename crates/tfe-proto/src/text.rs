//! Messages in text format (`.pbtxt`), both ways.
//!
//! ```
//! use tfe_proto::{tensorflow::NodeDef, text};
//!
//! let node: NodeDef = text::parse("name: 'n' op: 'MatMul' input: ['a', 'b']")?;
//! assert_eq!(node.input, ["a", "b"]);
//! assert_eq!(text::parse::<NodeDef>(&text::print(&node))?, node);
//! # Ok::<(), text::ParseError>(())
//! ```

use std::fmt;
use std::sync::LazyLock;

use prost::Message;
use prost_reflect::text_format::FormatOptions;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};

use crate::tensorflow as tf;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(crate::FILE_DESCRIPTOR_SET)
        .expect("the descriptors of this crate are whole")
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

/// Says where a text is not the message that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(String);

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseError {}

fn descriptor<M: Named>() -> MessageDescriptor {
    POOL.get_message_by_name(M::NAME)
        .expect("named messages are in the pool")
}

/// Reads a message.
///
/// # Errors
/// Where the text is no such message: fields that it does not have are an error too.
pub fn parse<M: Named>(text: &str) -> Result<M, ParseError> {
    let error = |e: &dyn fmt::Display| ParseError(format!("no {}: {e}", M::NAME));
    DynamicMessage::parse_text_format(descriptor::<M>(), text)
        .map_err(|e| error(&e))?
        .transcode_to()
        .map_err(|e| error(&e))
}

/// Prints a message, one field a line.
pub fn print<M: Named>(message: &M) -> String {
    let mut dynamic = DynamicMessage::new(descriptor::<M>());
    dynamic
        .transcode_from(message)
        .expect("the message is of the pool's own type");
    dynamic.to_text_format_with_options(&FormatOptions::new().pretty(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_survives_printing_and_reading() {
        let function: tf::FunctionDef = parse(
            "signature {
               name: 'F' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'm' type: DT_FLOAT }
             }
             node_def {
               name: 'matmul' op: 'MatMul' input: 'a' input: 'a'
               attr { key: 'T' value { type: DT_FLOAT } }
             }
             ret { key: 'm' value: 'matmul:product' }",
        )
        .expect("a function");
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
            let e = parse::<tf::FunctionDef>(text).expect_err(text).to_string();
            assert!(e.starts_with("no tensorflow.FunctionDef: "), "{e}");
        }
    }
}
