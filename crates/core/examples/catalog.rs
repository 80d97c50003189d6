//! Prints the catalog as JSON, from which the TypeScript table is generated.

fn main() {
    println!("{}", millrace_core::catalog::to_json());
}
