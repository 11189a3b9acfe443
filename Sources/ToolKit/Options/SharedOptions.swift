import RealmEngine

/// Options that have the same meaning in all tools. The table of a tool lists the options that the
/// tool accepts.
package enum SharedOptions {
    /// Options of every tool: `-h --help -V -q -v --color`.
    package static let general: [any OptionDeclaration] = [
        shortHelp, help, version, quiet, verbose, color,
    ]

    static let shortHelp = Option(
        nil, "h", in: .general, "print a short help and exit",
        "Print a one-screen help on standard output and exit.", endsParsing: true)

    static let help = Option(
        "help", in: .general, "print the full help and exit",
        "Print the full help on standard output and exit.", endsParsing: true)

    static let version = Option(
        "version", "V", in: .general, "print version and capabilities and exit",
        "Print the name and version, then one line for each capability: the file formats that the "
            + "tool reads and writes, the layout of the lock file, and the build mode.",
        endsParsing: true)

    static let quiet = Option(
        "quiet", "q", in: .general, "no notices, summaries or progress",
        "Print no notices, warnings, summaries or progress on standard error. Errors are still "
            + "printed.")

    static let verbose = Option(
        counted: "verbose", "v", in: .general, "more detail on standard error",
        "Print more detail on standard error. Repeat the option for even more.")

    static let color = Option(
        "color", nil, .required("WHEN", .choice), in: .general,
        "use of colour: auto, always, never",
        "Use of colour: `auto`, `always` or `never`. `auto` uses colour on a terminal unless "
            + "`NO_COLOR` is set or `TERM` is `dumb`.",
        default: When.auto)

    package static let progress = Option(
        "progress", nil, .required("WHEN", .choice), in: .general,
        "show progress: auto, always, never",
        "Show progress on standard error: `auto`, `always` or `never`. On a terminal, `auto` and "
            + "`always` show one line, which is updated, after one second. If standard error is no "
            + "terminal, `auto` shows nothing, and `always` prints a line every 5 seconds.",
        default: When.auto)

    /// Creates the option `-f` with `auto` and the formats of a tool.
    package static func formats(
        _ formats: [OutputFormat], auto: String, summary: String? = nil
    ) -> Option<OutputFormat> {
        let words = formats.map(\.rawValue)
        return Option(
            "format", "f", .required("FMT", .choice([.auto] + formats)), in: .records,
            summary ?? "form of the output: " + words.joined(separator: ", "),
            "Form of the output: `auto`, "
                + words.map { "`\($0)`" }.joined(separator: ", ") + ". " + auto,
            default: .auto)
    }

    /// Reads the value of `-f` of any tool. The parser has already checked the name.
    static let format = Option(
        "format", "f",
        .required("FMT", OptionForm(.text) { OutputFormat(rawValue: $0) }), in: .records, "", "",
        default: .auto)

    package static let json = Option(
        "json", in: .records, "same as -f json; errors as JSON too",
        "The same as `--format json`. Errors are also one line of JSON on standard error.")

    package static let output = Option(
        "output", "o", .required("FILE", .file), in: .output,
        "write to FILE, atomically",
        "Write to FILE instead of standard output. FILE is written atomically: the data goes to a "
            + "new, unnamed file in the same directory, and this file gets its name once it is "
            + "complete and synced. If FILE is `-`, the output goes to standard output.")

    package static let force = Option(
        "force", in: .output, "allow replacing an existing output file",
        "Allow an existing output file to be replaced. Otherwise such a file is an error with "
            + "exit status 2.")

    package static let key = Option(
        "encryption-key-file", "K", .required("FILE", .file), in: .access,
        "read the 64-byte key from FILE",
        "Read the 64-byte encryption key of the database from FILE. If FILE is `-`, the key is "
            + "read from standard input, and the database must be a file. See KEY FILES in "
            + "`realm-tools(7)`.",
        defaultText: "the file named by `REALM_ENCRYPTION_KEY_FILE`, if set")

    package static let newKey = Option(
        "new-encryption-key-file", nil, .required("FILE", .file), in: .access,
        "encrypt the result with this key",
        "Encrypt the result with the key in FILE. See KEY FILES in `realm-tools(7)`.")

    package static let access = Option(
        "access", nil, .required("MODE", .choice), in: .access,
        "share the file: auto, shared, immutable",
        "Select how the tool reads a file that other programs may have open. With `shared`, it "
            + "registers in the lock file, as every program does that opens the database. With "
            + "`immutable`, it neither changes nor creates a file. With `auto`, it uses `shared` "
            + "if other programs have the file open and the layout of the lock file is known, "
            + "otherwise `immutable`. See ACCESS in `realm-tools(7)`.",
        default: AccessMode.auto)

    package static let wait = Option(
        "wait", nil, .optional("DUR", .maximumWait, bare: .forever), in: .access,
        "wait for locks, at most DUR",
        "Wait at most DUR, such as `5s`, if another program holds a lock, or if commits of other "
            + "programs change the data before it has been read. Without DUR, wait without limit. "
            + "On timeout the exit status is 7.",
        default: .none, defaultText: "one second for locks, three attempts to read")

    package static let threads = Option(
        "threads", "j", .required("N", .count(0...1024)), in: .access,
        "worker threads, 0 = one per processor",
        "Use N worker threads; 0 means one per processor. The output does not depend on N.",
        default: 0)

    package static let maxMemory = Option(
        "max-memory", nil, .required("SIZE", .size), in: .access,
        "limit of private memory",
        "Use at most SIZE of private memory. A SIZE below 1 KiB counts as 1 KiB. Pages of the "
            + "mapped file do not count, because the system can reclaim them at any time. A single "
            + "record or value that is larger than SIZE is still processed.",
        default: 64 << 20, defaultText: "64MiB, 256MiB with an encryption key")

    package static let caseRule = Option(
        "case", nil, .required("RULE", .choice), in: .selection,
        "letters that [c] folds: unicode, reference",
        "Select the letters whose case `[c]` ignores in a predicate. With `unicode`, these are the "
            + "letters of every script, by Unicode's simple case folding, which is the same for "
            + "all languages. With `reference`, these are only the letters of ASCII and from "
            + "U+00C0 to U+00FE, as in the Realm SDKs. With `reference`, predicates are also "
            + "limited to the query language of the SDKs, without `[d]` and MATCHES.",
        default: CaseRule.unicode)

    package static let zone = Option(
        "zone", nil, .required("ZONE", .zone), in: .selection,
        "time zone of day(), hour() and similar",
        "Time zone in which `day()`, `hour()`, `week()`, `month()`, `quarter()`, `weekday()` and "
            + "`year()` are computed. ZONE is an offset such as `+02:00`, or a name in the "
            + "system's zone files such as `Europe/Copenhagen`.",
        default: .utc, defaultText: "UTC")

    package static let guid = Option(
        "guid", nil, .required("ORDER", .choice), in: .values,
        "byte order of UUIDs: standard, dotnet",
        "Byte order of the stored UUIDs: `standard` or `dotnet`. Before version 10.10 the .NET SDK "
            + "stored GUIDs as `dotnet`, and other SDKs show such a GUID with its first three "
            + "parts reversed. The option applies to printed UUIDs and to UUIDs in predicates and "
            + "arguments. `realm-versions` reports files whose GUIDs are in the order `dotnet`.",
        default: UUIDOrder.standard)

    package static let at = Option(
        "at", nil, .required("VERSION", .version), in: .changes,
        "read an older version, or previous",
        "Read VERSION instead of the newest version. VERSION is `previous`, or the number of a "
            + "version that a program still has open. `previous` is the last version before the "
            + "newest; the file header still refers to it, and it is verified before it is read.")

    /// The database that `realm-bench` reads; other tools take it as an operand.
    package static let file = Option(
        "file", nil, .required("FILE", .file), in: .data,
        "the database to read", "The database to read.")
}
