import RealmEngine

extension OptionForm where Value == QueryArgument {
    /// Parser of `--arg`: a text that the query converts to the type of the value it is compared
    /// with.
    package static var argument: Self { Self(.text) { .text($0) } }

    package static var jsonArgument: Self {
        Self(.text) { (text) throws(OptionValueError) in try ArgumentJSON.argument(text) }
    }
}

/// The query arguments on the command line.
extension SharedOptions {
    package static let arg = Option(
        "arg", nil, each: .required("TEXT", .argument), in: .selection,
        "bind the next of $0, $1 to TEXT",
        "Set the value of `$0` in the predicate to TEXT, which is converted to the type of the "
            + "property. The next `--arg` or `--argjson` sets `$1`, and so on.")

    package static let argjson = Option(
        "argjson", nil, each: .required("JSON", .jsonArgument), in: .selection,
        "bind the next of $0, $1 to JSON",
        "Like `--arg`, but the value is JSON.")
}

extension ParsedCommand {
    /// Arguments of `--arg` and `--argjson`, in the order of the command line.
    package var arguments: [QueryArgument] { inOrder(SharedOptions.arg, SharedOptions.argjson) }
}
