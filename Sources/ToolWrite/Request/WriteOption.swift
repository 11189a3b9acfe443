import ToolKit

/// The options of `realm-write`.
enum WriteOption {
    static let table: [any OptionDeclaration] =
        records + bulk + schema + general + SharedOptions.general + [SharedOptions.progress]

    /// Options for reports, and options shared with other tools.
    private static let general: [any OptionDeclaration] = [
        SharedOptions.formats(
            [.text, .json],
            auto:
                "The option applies to the summary of a run and to the plan of `-n`. In the form "
                + "`text`, the summary is printed on standard error and the plan on standard "
                + "output; in the form `json`, both are printed on standard output."),
        SharedOptions.json, SharedOptions.output, force, dryRun, SharedOptions.key, wait, threads,
        SharedOptions.maxMemory,
    ]

    static let force = SharedOptions.force.saying(
        "allow changes that lose data or replace a file",
        "Allow changes that lose data: dropping a class or property that is not empty, nulls that "
            + "become zero, a lower schema version, replacing an existing database or output "
            + "file. Also allow writing to a file with several hard links; no program may be "
            + "using its other names.")

    static let dryRun = Option(
        "dry-run", "n", in: .output, "check and report, change nothing",
        "Check everything and report the planned changes. The database is not changed, and other "
            + "programs can write to it meanwhile. Data that does not fit into `--max-memory` goes "
            + "to an unnamed temporary file in `TMPDIR`.")

    private static let wait = SharedOptions.wait.saying(
        "wait for other writers, at most DUR",
        "Wait at most DUR until other programs have finished writing or opening the database. "
            + "Without DUR, wait without limit. On timeout the exit status is 7.",
        defaultText: "one second")

    private static let threads = SharedOptions.threads.saying(
        "threads, 0 = one per processor",
        "Read and convert records on N threads; 0 means one per processor. Only NDJSON input is "
            + "read by several threads; other formats are read by one. One more thread makes the "
            + "changes, in the order of the input, so the result does not depend on N. With `-j "
            + "1`, a single thread reads and makes the changes.")
}

/// Ways to use `realm-write`. Each permits other options.
enum WriteUse: Int, CommandUse {
    case records, changes, bulk, schema

    var objection: String {
        switch self {
        case .records: "cannot be used with records"
        case .changes: "cannot be used with change records"
        case .bulk:
            "is about records, which \(WriteOption.predicate.spelling) does not read"
        case .schema: "is about records: CLASS is missing"
        }
    }

    /// Ways to use `realm-write` that read an INPUT.
    static let loads = Uses([Self.records, .changes])
}

extension OptionForm where Value == (name: String, value: String) {
    /// `A=B`, both not empty.
    static var pair: Self { Self(.text) { (text) throws(OptionValueError) in try split(text) } }
}

extension OptionForm where Value == [(name: String, value: String)] {
    /// A list `A=B,C=D`.
    static var pairs: Self {
        Self(.text) { (text) throws(OptionValueError) in
            try text.split(separator: ",", omittingEmptySubsequences: false)
                .map { (item) throws(OptionValueError) in try split(String(item)) }
        }
    }
}

private func split(_ text: String) throws(OptionValueError) -> (name: String, value: String) {
    guard let sign = text.firstIndex(of: "="), sign != text.startIndex,
        text.index(after: sign) != text.endIndex
    else { throw OptionValueError(to: text, "not of the form NAME=VALUE") }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
}
