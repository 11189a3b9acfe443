/// Whether an option takes an argument, and which.
enum ArgumentShape: Sendable {
    case none
    case required(_ metavar: String, ValueKind)
    case optional(_ metavar: String, ValueKind)

    var kind: ValueKind? {
        switch self {
        case .none: nil
        case .required(_, let kind), .optional(_, let kind): kind
        }
    }
}

/// The headings under which help and manual list the options, in this order.
package enum OptionSection: String, Sendable, CaseIterable {
    case action = "What to do"
    case compaction = "Compaction"
    case measurement = "Measurement"
    case data = "What to measure"
    case comparison = "Comparison"
    case facts = "Facts"
    case pictures = "Pictures"
    case input = "Records"
    case commits = "Commits"
    case refusals = "Refused records"
    case bulk = "Bulk changes"
    case schema = "Schema"
    case selection = "What to read"
    case changes = "Versions and changes"
    case fields = "Fields"
    case values = "Form of values"
    case records = "Form of records"
    case output = "Output"
    case access = "Access and resources"
    case general = "General"
}

/// What is known of an option without the type of its value: the parser, the help, the manual and the
/// completions read nothing else. Declared as an `Option`.
///
/// Help text is prose; words between grave accents are literal and come out bold or quoted.
package struct OptionSpec: Sendable {
    /// Without the two hyphens; nil only for an option that has just a letter.
    let long: String?
    let short: Character?
    let argument: ArgumentShape
    var section: OptionSection
    /// A few words for `-h` and for completions: lower case, no full stop.
    package internal(set) var summary: String
    /// Sentences for `--help` and the manual.
    var details: String
    /// What holds without the option, when that needs saying.
    var defaultText: String?
    /// Every occurrence counts, in order; otherwise the last one wins.
    var isRepeatable = false
    private var exclusions: Options = { [] }
    private var conditions: Options = { [] }
    /// The ways of calling the tool in which it means something.
    var uses = Uses.all
    /// Long spellings that are understood and mentioned nowhere.
    var aliases: [String] = []
    /// Answers at once: what follows on the command line is not looked at.
    var endsParsing = false
    /// Whether a text is of the form of its argument.
    var check: @Sendable (String) throws(Objection) -> Void = { _ in }

    init(
        _ long: String?, _ short: Character?, _ argument: ArgumentShape,
        in section: OptionSection, _ summary: String, _ details: String
    ) {
        precondition(long != nil || short != nil, "an option needs a spelling")
        self.long = long
        self.short = short
        self.argument = argument
        self.section = section
        self.summary = summary
        self.details = details
    }

    mutating func add(
        excludes: @escaping Options, needs: @escaping Options, _ uses: Uses
    ) {
        exclusions = excludes
        conditions = needs
        self.uses = uses
    }

    /// Names of options that contradict this one.
    var excludes: [String] { exclusions().map(\.spec.name) }

    /// Names of options without one of which this one means nothing.
    var needs: [String] { conditions().map(\.spec.name) }

    /// The key under which a parsed command keeps it.
    package var name: String { long ?? String(short!) }

    /// As a person writes it: `--limit`, or `-h` where there is no long form.
    package var spelling: String { long.map { "--" + $0 } ?? "-" + String(short!) }

    var metavar: String? {
        switch argument {
        case .none: nil
        case .required(let metavar, _), .optional(let metavar, _): metavar
        }
    }
}
