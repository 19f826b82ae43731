fn main() {
    tollgate_codegen::build();
}
