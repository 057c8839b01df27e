//! FunctionDef to executable plan.
