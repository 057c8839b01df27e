//! `Prototype`: a C function as `gcc -aux-info` writes it, and as C, Rust and a test call write it.

use anyhow::{Context as _, Result, bail, ensure};

/// The longest line of a header.
const COLUMNS: usize = 100;

/// A function: types only, as the list has no names of parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prototype {
    pub(super) name: String,
    pub(super) result: Type,
    pub(super) params: Vec<Type>,
}

/// A type, spelled as gcc does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Type(String);

/// What there is to know of the value of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Void,
    Pointer,
    Number,
    Struct,
}

/// Types that are passed as they are: C's name, and Rust's.
const VALUES: &[(&str, &str, Kind)] = &[
    ("_Bool", "bool", Kind::Number),
    ("double", "f64", Kind::Number),
    ("float", "f32", Kind::Number),
    ("int", "c_int", Kind::Number),
    ("int64_t", "i64", Kind::Number),
    ("size_t", "usize", Kind::Number),
    ("uint64_t", "u64", Kind::Number),
    ("unsigned char", "c_uchar", Kind::Number),
    ("unsigned int", "c_uint", Kind::Number),
    ("TFE_CancellationToken", "i64", Kind::Number),
    ("TF_AttrType", "c_int", Kind::Number),
    ("TF_DataType", "c_int", Kind::Number),
    ("TF_AttrMetadata", "TF_AttrMetadata", Kind::Struct),
    ("TF_Buffer", "TF_Buffer", Kind::Struct),
    ("TF_Input", "TF_Input", Kind::Struct),
    ("TF_Output", "TF_Output", Kind::Struct),
    ("TF_WhileParams", "TF_WhileParams", Kind::Struct),
];

impl Type {
    fn new(text: &str) -> Type {
        Type(text.trim().to_owned())
    }

    pub(super) fn is_status(&self) -> bool {
        self.0 == "TF_Status *"
    }

    fn value(&self) -> Result<&'static (&'static str, &'static str, Kind)> {
        let name = self.0.trim_start_matches("const ");
        let value = VALUES.iter().find(|(c, ..)| *c == name);
        value.with_context(|| format!("`{}` is not in the table of values", self.0))
    }

    pub(super) fn kind(&self) -> Result<Kind> {
        Ok(match &self.0[..] {
            "void" => Kind::Void,
            text if text.contains('*') => Kind::Pointer,
            _ => self.value()?.2,
        })
    }

    /// As the headers write it.
    fn c(&self) -> String {
        // `char *const *` is `char* const*` there, and `void (*) (int)` is `void (*)(int)`.
        let text = self.0.replace(" *", "*").replace("*const", "* const");
        text.replace("(*) (", " (*)(")
            .replace("  (", " (")
            .replace("_Bool", "bool")
    }

    /// In the signature of a stub, where all pointers but statuses are alike.
    pub(super) fn rust(&self) -> Result<&'static str> {
        Ok(match self.kind()? {
            Kind::Void => "()",
            Kind::Pointer if self.is_status() => "*mut TF_Status",
            Kind::Pointer => "Pointer",
            Kind::Number | Kind::Struct => self.value()?.1,
        })
    }

    /// NULL or zero, as an argument in C.
    pub(super) fn c_zero(&self) -> Result<String> {
        Ok(match self.kind()? {
            Kind::Void => bail!("an argument without a value"),
            Kind::Pointer => "NULL".to_owned(),
            Kind::Number => "0".to_owned(),
            Kind::Struct => format!("({}){{0}}", self.0),
        })
    }

    /// The name of a struct that is passed by value.
    pub(super) fn struct_name(&self) -> &str {
        &self.0
    }
}

impl Prototype {
    /// Reads `TF_Graph *TF_NewGraph (void);`.
    pub(super) fn parse(text: &str) -> Result<Prototype> {
        let text = text.strip_suffix(");").context("does not end in `);`")?;
        let (head, params) = text.split_once(" (").context("has no parameters")?;
        let start = head.rfind([' ', '*']).context("has no result")? + 1;
        let (result, name) = head.split_at(start);
        ensure!(!name.is_empty(), "has no name");
        let params = match params {
            // C++ takes an empty list for `(void)`.
            "void" | "/* ??? */" => Vec::new(),
            _ => split(params).into_iter().map(Type::new).collect(),
        };
        Ok(Prototype {
            name: name.to_owned(),
            result: Type::new(result),
            params,
        })
    }

    pub(super) fn has_status(&self) -> bool {
        self.params.iter().any(Type::is_status)
    }

    /// As a header declares it.
    pub(super) fn declaration(&self) -> String {
        let head = format!("TF_CAPI_EXPORT extern {} {}(", self.result.c(), self.name);
        let params: Vec<String> = self.params.iter().map(Type::c).collect();
        let params = if params.is_empty() {
            vec!["void".to_owned()]
        } else {
            params
        };
        // Below the first parameter, or indented where one does not fit there.
        let widest = params.iter().map(String::len).max().unwrap_or(0) + 2;
        let (mut out, indent) = if head.len() + widest <= COLUMNS {
            (head.clone(), head.len())
        } else {
            (format!("{head}\n    "), 4)
        };
        let mut column = if indent == 4 { 4 } else { head.len() };
        for (i, param) in params.iter().enumerate() {
            let end = if i + 1 == params.len() { ");" } else { "," };
            let gap = usize::from(i > 0 && column > indent);
            if column + gap + param.len() + end.len() > COLUMNS {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                column = indent;
            } else if gap == 1 {
                out.push(' ');
                column += 1;
            }
            out.push_str(param);
            out.push_str(end);
            column += param.len() + end.len();
        }
        out.push('\n');
        out
    }
}

/// The parts between commas that are in no parentheses.
fn split(params: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut parts = Vec::new();
    let mut start = 0;
    for (i, c) in params.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&params[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&params[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> String {
        Prototype::parse(text).unwrap().declaration()
    }

    #[test]
    fn declarations_are_spelled_as_by_hand() {
        for (list, header) in [
            ("int TF_PickPort (/* ??? */);", "int TF_PickPort(void);"),
            (
                "void TF_Listen (void (*) (const char *, _Bool));",
                "void TF_Listen(void (*)(const char*, bool));",
            ),
            (
                "const char *TF_A (TF_Tensor *const *, const char ***, const int );",
                "const char* TF_A(TF_Tensor* const*, const char***, const int);",
            ),
        ] {
            assert_eq!(declared(list), format!("TF_CAPI_EXPORT extern {header}\n"));
        }
    }

    #[test]
    fn long_declarations_are_wrapped() {
        let many = ["TFE_TensorHandle *"; 6].join(", ");
        let text = declared(&format!("void TFE_Six ({many});"));
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().all(|line| line.len() <= COLUMNS), "{text}");
        assert!(text.lines().nth(1).unwrap().starts_with(&" ".repeat(35)));
        let long = "TFE_MonitoringStringGaugeCell *TFE_MonitoringGetCellStringGauge (TFE_MonitoringStringGauge4 *);";
        assert!(declared(long).contains("(\n    TFE_MonitoringStringGauge4*);"));
    }

    #[test]
    fn types_are_known_or_an_error() {
        let of = |text: &str| Type::new(text).rust().map_err(|e| e.to_string());
        assert_eq!(of("const int "), Ok("c_int"));
        assert_eq!(of("TF_Status *"), Ok("*mut TF_Status"));
        assert_eq!(of("void (*) (void *)"), Ok("Pointer"));
        assert!(of("TF_New").unwrap_err().contains("table of values"));
        assert_eq!(Type::new("TF_Output").c_zero().unwrap(), "(TF_Output){0}");
    }
}
