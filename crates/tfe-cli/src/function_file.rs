//! Files of functions: a `FunctionDefLibrary`, a `FunctionDef` or a `GraphDef` with a library, as text or binary.

use tfe_eager::Code;
use tfe_eager::proto::tensorflow::{FunctionDef, FunctionDefLibrary, GraphDef};
use tfe_eager::proto::{Message, text};

use crate::failure::{Failure, Outcome};

/// Reads the functions of a file; `.pbtxt` and `.textproto` are text.
pub(crate) fn read(path: &str) -> Outcome<Vec<FunctionDef>> {
    let bytes = std::fs::read(path).map_err(|e| Failure::file(path, &e))?;
    let is_text = [".pbtxt", ".textproto"]
        .iter()
        .any(|end| path.ends_with(end));
    let functions = if is_text {
        from_text(&bytes)
    } else {
        from_binary(&bytes)
    };
    functions.map_err(|e| Failure::status(Code::InvalidArgument, format!("{path}: {e}")))
}

/// The fields of the three messages have other names, so that a text is one of them at most.
fn from_text(bytes: &[u8]) -> Result<Vec<FunctionDef>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the file is no text")?;
    let one = text::parse::<FunctionDef>(text);
    if let Ok(function) = one {
        return checked(vec![function]);
    }
    let library = text::parse::<FunctionDefLibrary>(text);
    let graph = || text::parse::<GraphDef>(text);
    match library.or_else(|e| {
        graph()
            .map(|g| g.library.unwrap_or_default())
            .map_err(|_| e)
    }) {
        Ok(library) => checked(library.function),
        // What it most likely was meant to be.
        Err(e) if text.contains("function {") => Err(e.to_string()),
        Err(_) => Err(one.err().map_or_else(String::new, |e| e.to_string())),
    }
}

/// Any bytes may decode as any message; names tell which it is. Where a message is read as another, a name is taken
/// from where a message lies, which begins with bytes that no name has.
fn from_binary(bytes: &[u8]) -> Result<Vec<FunctionDef>, String> {
    let library = FunctionDefLibrary::decode(bytes).map(|library| library.function);
    let one = FunctionDef::decode(bytes).map(|function| vec![function]);
    let graph = GraphDef::decode(bytes).map(|graph| graph.library.unwrap_or_default().function);
    let found = [library, one, graph].into_iter().flatten();
    let mut found = found.filter(|functions| {
        let named = |f: &FunctionDef| f.signature.as_ref().is_some_and(|s| is_name(&s.name));
        !functions.is_empty() && functions.iter().all(named)
    });
    found.next().ok_or_else(|| {
        "neither a FunctionDefLibrary nor a FunctionDef nor a GraphDef with functions".to_owned()
    })
}

fn checked(functions: Vec<FunctionDef>) -> Result<Vec<FunctionDef>, String> {
    match functions.is_empty() {
        true => Err("there is no function in it".to_owned()),
        false => Ok(functions),
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_.-/\\>".contains(c))
}

/// The name of a function.
pub(crate) fn name(function: &FunctionDef) -> &str {
    function
        .signature
        .as_ref()
        .map_or("", |signature| &signature.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions() -> Vec<FunctionDef> {
        let function = |name: &str, arg: &str| {
            text::parse(&format!(
                "signature {{ name: '{name}' {arg} }} node_def {{ name: 'n' op: 'NoOp' }}"
            ))
            .expect("a function")
        };
        vec![
            function("F", "input_arg { name: 'x' type: DT_FLOAT }"),
            function("Name_of.some-length", ""),
        ]
    }

    #[test]
    fn each_message_is_known_in_both_forms() {
        let functions = functions();
        let library = FunctionDefLibrary {
            function: functions.clone(),
            ..FunctionDefLibrary::default()
        };
        let graph = GraphDef {
            library: Some(library.clone()),
            node: functions[0].node_def.clone(),
            ..GraphDef::default()
        };
        assert_eq!(from_binary(&library.encode_to_vec()), Ok(functions.clone()));
        assert_eq!(
            from_text(text::print(&library).as_bytes()),
            Ok(functions.clone())
        );
        assert_eq!(from_binary(&graph.encode_to_vec()), Ok(functions.clone()));
        assert_eq!(
            from_text(text::print(&graph).as_bytes()),
            Ok(functions.clone())
        );
        for function in functions {
            let one = vec![function.clone()];
            assert_eq!(from_binary(&function.encode_to_vec()), Ok(one.clone()));
            assert_eq!(from_text(text::print(&function).as_bytes()), Ok(one));
        }
    }

    #[test]
    fn what_holds_no_function_is_refused() {
        let graph = GraphDef {
            node: functions()[0].node_def.clone(),
            ..GraphDef::default()
        };
        assert!(from_binary(&graph.encode_to_vec()).is_err());
        assert!(from_text(text::print(&graph).as_bytes()).is_err());
        for bytes in [&b""[..], b"\xff\xff", b"hello", b"\x0a\x01\x0a"] {
            assert!(from_binary(bytes).is_err(), "{bytes:?}");
        }
        let e = from_text(b"signature { nome: 'F' }").expect_err("no field of that name");
        assert!(e.contains("nome"), "{e}");
        let e = from_text(b"function { signature { nome: 'F' } }").expect_err("no such field");
        assert!(e.contains("nome"), "{e}");
    }
}
