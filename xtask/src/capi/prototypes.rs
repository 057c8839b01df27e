//! Prototypes as `gcc -aux-info` writes them, compared with those of TensorFlow.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};

/// What TensorFlow 2.21 declares: `header<TAB>prototype` lines.
const PROTOTYPES_221: &str = "crates/tfe-capi/tests/data/prototypes_221.tsv";
/// What the eager header of 2017 declared.
const PROTOTYPES_2017: &str = "crates/tfe-capi/tests/data/prototypes_2017.tsv";

/// The suffix of functions that have another form in 2017.
const SUFFIX: &str = "_2017";

/// The header of functions that TensorFlow declares in C++ alone, in a namespace, and their form in C.
const IN_NAMESPACE: (&str, &[&str]) = (
    "tensorflow/c/eager/dlpack.h",
    &[
        "TFE_TensorHandle *TFE_HandleFromDLPack (void *, TF_Status *, TFE_Context *);",
        "void *TFE_GetDLDevice (TFE_TensorHandle *, TF_Status *);",
        "void *TFE_HandleToDLPack (TFE_TensorHandle *, TF_Status *);",
        "void TFE_CallDLManagedTensorDeleter (void *);",
    ],
);

/// Whether C++ declares a function of ours in a namespace rather than as C does.
pub(super) fn in_namespace(name: &str) -> bool {
    IN_NAMESPACE
        .1
        .iter()
        .any(|text| name_of(text) == Some(name))
}

/// The functions that our headers declare: name to header and prototype.
pub(super) type Declared = BTreeMap<String, (String, String)>;

/// Reads what gcc wrote about a file that includes the headers of `include`.
pub(super) fn parse_aux_info(text: &str, include: &str) -> Result<Declared> {
    let mut declared = Declared::new();
    for line in text.lines() {
        // /* include/tensorflow/c/c_api.h:71:NC */ extern TF_Buffer *TF_GetAllOpList (void);
        let Some((place, prototype)) = line.split_once(" */ extern ") else {
            continue;
        };
        let Some(header) = place.split_once(include).map(|(_, rest)| rest) else {
            continue;
        };
        let header = header.trim_start_matches('/');
        let header = header.split(':').next().unwrap_or(header);
        // System headers may lie below a directory that is called `include` too.
        if let Some(name) = name_of(prototype).filter(|name| is_ours(name)) {
            let value = (header.to_owned(), prototype.to_owned());
            declared.insert(name.to_owned(), value);
        }
    }
    ensure!(!declared.is_empty(), "the headers declare no function");
    Ok(declared)
}

fn is_ours(name: &str) -> bool {
    ["TF_", "TFE_", "TSL_"].iter().any(|p| name.starts_with(p))
}

/// The names of TensorFlow 2.21's functions.
pub(super) fn names() -> Result<Vec<String>> {
    let text = std::fs::read_to_string(PROTOTYPES_221).context(PROTOTYPES_221)?;
    let prototypes = text.lines().filter_map(|line| line.split_once('\t'));
    let names = prototypes.filter_map(|(_, prototype)| name_of(prototype));
    Ok(names.map(str::to_owned).collect())
}

fn name_of(prototype: &str) -> Option<&str> {
    let before = prototype.split_once(" (")?.0;
    before.rsplit([' ', '*']).next()
}

/// Checks all prototypes; says how many are equal.
pub(super) fn check(declared: &Declared) -> Result<String> {
    let of_221 = std::fs::read_to_string(PROTOTYPES_221).context(PROTOTYPES_221)?;
    let of_2017 = std::fs::read_to_string(PROTOTYPES_2017).context(PROTOTYPES_2017)?;
    let mut complaints = check_221(declared, &of_221);
    complaints.extend(check_2017(declared, &of_2017));
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    Ok(format!(
        "{} prototypes are those of 2.21, {} those of 2017",
        declared
            .keys()
            .filter(|name| !name.ends_with(SUFFIX))
            .count(),
        of_2017.lines().count(),
    ))
}

/// Every function of 2.21 is there with its prototype, in the same header, and there is no other but those of 2017.
fn check_221(declared: &Declared, of_221: &str) -> Vec<String> {
    let mut wanted = BTreeMap::new();
    let of_221 = of_221.lines().filter_map(|line| line.split_once('\t'));
    let (header, texts) = IN_NAMESPACE;
    for (header, prototype) in of_221.chain(texts.iter().map(|text| (header, *text))) {
        if let Some(name) = name_of(prototype) {
            // C++ takes an empty list for `(void)`; in C it would be no prototype at all.
            wanted.insert(name, (header, prototype.replace("(/* ??? */)", "(void)")));
        }
    }
    let ours = declared.iter().filter(|(name, _)| !name.ends_with(SUFFIX));
    let mut complaints = Vec::new();
    for (name, (header, prototype)) in ours {
        match wanted.get(&name[..]) {
            None => complaints.push(format!("{name} is not in TensorFlow 2.21")),
            Some((want, _)) if want != header => {
                complaints.push(format!("{name} is declared in {header}, want {want}"));
            }
            Some((_, want)) if want != prototype => {
                complaints.push(format!("{name} is declared\n  {prototype}\nwant\n  {want}"));
            }
            Some(_) => {}
        }
    }
    for (name, (header, _)) in wanted {
        if !declared.contains_key(name) {
            complaints.push(format!("{name} is declared nowhere, want {header}"));
        }
    }
    complaints
}

/// Every function of 2017 is there in its form, with the suffix where 2.21 has another.
fn check_2017(declared: &Declared, of_2017: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut seen = 0;
    for want in of_2017.lines() {
        let Some(name) = name_of(want) else {
            complaints.push(format!("no prototype: {want}"));
            continue;
        };
        let suffixed = declared.get(&format!("{name}{SUFFIX}"));
        seen += usize::from(suffixed.is_some());
        let found = suffixed.or_else(|| declared.get(name));
        let found = found.map(|(_, prototype)| prototype.replacen(SUFFIX, "", 1));
        if found.as_deref() != Some(want) {
            let found = found.unwrap_or_else(|| "nowhere".to_owned());
            complaints.push(format!(
                "{name} of 2017 is declared\n  {found}\nwant\n  {want}"
            ));
        }
    }
    let suffixed = declared.keys().filter(|name| name.ends_with(SUFFIX));
    if seen != suffixed.count() {
        complaints.push(format!("a function with {SUFFIX} was not there in 2017"));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUX: &str = "\
/* compiled from: . */
/* /usr/include/stdlib.h:117:NC */ extern double strtod (const char *, char **);
/* crates/x/include/tensorflow/c/c_api.h:71:NC */ extern TF_Buffer *TF_GetAllOpList (void);
/* crates/x/include/tensorflow/c/tf_tensor.h:9:NC */ extern size_t TF_TensorDefaultAlignment (void);
/* crates/x/include/tensorflow/c/eager/c_api.h:5:NC */ extern void TFE_DeleteContext (TFE_Context *);
/* crates/x/include/tensorflow/c/eager/c_api_2017.h:5:NC */ extern void TFE_DeleteContext_2017 (TFE_Context *, TF_Status *);
/* crates/x/include/tensorflow/c/eager/dlpack.h:5:NC */ extern TFE_TensorHandle *TFE_HandleFromDLPack (void *, TF_Status *, TFE_Context *);
/* crates/x/include/tensorflow/c/eager/dlpack.h:6:NC */ extern void *TFE_GetDLDevice (TFE_TensorHandle *, TF_Status *);
/* crates/x/include/tensorflow/c/eager/dlpack.h:7:NC */ extern void *TFE_HandleToDLPack (TFE_TensorHandle *, TF_Status *);
/* crates/x/include/tensorflow/c/eager/dlpack.h:8:NC */ extern void TFE_CallDLManagedTensorDeleter (void *);
/* crates/x/include/tsl/platform/ctstring.h:5:NF */ static void TF_TString_Init (TF_TString *);
";
    const OF_221: &str = "\
tensorflow/c/c_api.h\tTF_Buffer *TF_GetAllOpList (void);
tensorflow/c/tf_tensor.h\tsize_t TF_TensorDefaultAlignment (/* ??? */);
tensorflow/c/eager/c_api.h\tvoid TFE_DeleteContext (TFE_Context *);
";
    const OF_2017: &str = "void TFE_DeleteContext (TFE_Context *, TF_Status *);\n";

    #[test]
    fn equal_prototypes_pass() {
        let declared = parse_aux_info(AUX, "crates/x/include").unwrap();
        assert_eq!(declared.len(), 8);
        assert_eq!(check_221(&declared, OF_221), [""; 0]);
        assert_eq!(check_2017(&declared, OF_2017), [""; 0]);
    }

    #[test]
    fn differences_are_told() {
        let declared = parse_aux_info(AUX, "crates/x/include").unwrap();
        let first = |of_221: String| check_221(&declared, &of_221).remove(0);
        assert!(first(OF_221.replace("(TFE_Context *)", "(void *)")).contains("void *"));
        assert!(
            first(OF_221.replace("tf_tensor.h", "c_api.h")).contains("want tensorflow/c/c_api.h")
        );
        assert!(first(OF_221.replace("TF_GetAll", "TF_Get")).contains("not in TensorFlow"));
        let more = format!("{OF_221}tensorflow/c/c_api.h\tint TF_Gone (void);\n");
        assert!(first(more).contains("TF_Gone is declared nowhere"));

        let other = OF_2017.replace("TF_Status *", "int");
        assert_eq!(check_2017(&declared, &other).len(), 1);
        assert_eq!(check_2017(&declared, "").len(), 1);
        let missing = format!("{OF_2017}void TFE_Gone (int);\n");
        assert!(check_2017(&declared, &missing)[0].contains("nowhere"));
    }
}
