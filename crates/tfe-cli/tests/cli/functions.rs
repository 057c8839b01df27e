//! `tfe run`: functions from files of each kind.

use tfe_eager::proto::tensorflow::{FunctionDef, FunctionDefLibrary, GraphDef};
use tfe_eager::proto::{Message as _, text};

use crate::{TestFile, failed, printed, root};

const TEXT: &str = "examples/functions/scores.pbtxt";
const BINARY: &str = "examples/functions/scores.pb";
const X: &str = "[[1, -2], [0.5, 4]]";
const W: &str = "[[1, 0.25, -3], [2, -1, 0.3]]";

fn library() -> FunctionDefLibrary {
    let text = std::fs::read_to_string(root().join(TEXT)).expect("the file is there");
    text::parse(&text).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn both_files_of_the_example_say_the_same() {
    let (path, wanted) = (root().join(BINARY), library().encode_to_vec());
    if std::env::var_os("TFE_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("the file can be written");
    }
    let bytes = std::fs::read(&path).expect("the file is there");
    assert!(
        bytes == wanted,
        "{BINARY} is not {TEXT}: TFE_BLESS=1 writes it anew"
    );
}

#[test]
fn text_and_binary_give_the_same() {
    let wanted = "total = float32[2]: [1.59, 8.0825]\nbest = int64[2]: [1, 0]\n";
    for file in [TEXT, BINARY] {
        let ran = printed(&["run", file, "--function", "Scores", X, W, "slope=0.1"]);
        assert_eq!(ran, wanted);
    }
    // The type is an attribute that follows from the arguments.
    let doubles = printed(&[
        "run",
        TEXT,
        "--function=Scores",
        &format!("float64:{X}"),
        W,
        "slope=0.5",
    ]);
    assert!(doubles.starts_with("total = float64[2]: ["), "{doubles}");
}

#[test]
fn each_kind_of_file_is_known() {
    let twice: FunctionDef = text::parse(
        "signature {
           name: 'Twice' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT }
         }
         node_def { name: 'sum' op: 'AddV2' input: ['x', 'x'] attr { key: 'T' value { type: DT_FLOAT } } }
         ret { key: 'y' value: 'sum:z:0' }",
    )
    .expect("a function");
    let library = FunctionDefLibrary {
        function: vec![twice.clone()],
        ..FunctionDefLibrary::default()
    };
    let graph = GraphDef {
        library: Some(library.clone()),
        ..GraphDef::default()
    };
    let files = [
        TestFile::new("function.pb", &twice.encode_to_vec()),
        TestFile::new("function.pbtxt", text::print(&twice).as_bytes()),
        TestFile::new("library.pb", &library.encode_to_vec()),
        TestFile::new("library.pbtxt", text::print(&library).as_bytes()),
        TestFile::new("graph.pb", &graph.encode_to_vec()),
        TestFile::new("graph.pbtxt", text::print(&graph).as_bytes()),
    ];
    for file in &files {
        assert_eq!(
            printed(&["run", file.path(), "21"]),
            "float32: 42.0\n",
            "{}",
            file.path()
        );
    }
}

#[test]
fn attributes_of_a_function_follow_from_its_arguments() {
    let file = TestFile::new(
        "list.pbtxt",
        b"signature {
            name: 'Total' input_arg { name: 'xs' type_attr: 'T' number_attr: 'N' }
            output_arg { name: 'y' type_attr: 'T' } attr { name: 'T' type: 'type' } attr { name: 'N' type: 'int' }
          }
          node_def {
            name: 'sum' op: 'AddN' input: 'xs'
            attr { key: 'T' value { placeholder: 'T' } } attr { key: 'N' value { placeholder: 'N' } }
          }
          ret { key: 'y' value: 'sum:sum:0' }",
    );
    assert_eq!(
        printed(&["run", file.path(), "1", "2", "3.5"]),
        "float32: 6.5\n"
    );
    assert_eq!(printed(&["run", file.path(), "1", "uint8:2"]), "uint8: 3\n");
    assert_eq!(
        printed(&["run", file.path(), "1", "N=1", "T=half"]),
        "float16: 1.0\n"
    );
}

#[test]
fn a_function_has_to_be_named_where_there_are_several() {
    let e = failed(&["run", TEXT, X, W], 2);
    assert!(e.contains("name one with --function: Layer, Scores"), "{e}");
    let e = failed(&["run", TEXT, "--function", "Score", X, W], 2);
    assert!(
        e.contains("has no function 'Score'; it has Layer, Scores"),
        "{e}"
    );
    let e = failed(&["run", TEXT, "--function", "Scores", X], 2);
    assert!(
        e.contains("Scores(x: T, w: T) -> total: T, best: int64"),
        "{e}"
    );
    // The attribute without default is missing.
    let e = failed(&["run", TEXT, "--function", "Scores", X, W], 1);
    assert!(
        e.starts_with("error: NOT_FOUND: ") && e.contains("slope"),
        "{e}"
    );
    let file = TestFile::new("broken.pbtxt", b"function { signature { nome: 'F' } }");
    let e = failed(&["run", file.path()], 1);
    assert!(e.contains("INVALID_ARGUMENT") && e.contains("nome"), "{e}");
}
