/// What the text of an argument must be: decides how it is checked and how it is completed.
package enum ValueKind: Sendable {
    /// Any text; the tool gives it a meaning.
    case text
    /// A whole number, decimal or `0x`, inside the range.
    case count(ClosedRange<Int>)
    /// Bytes: `512`, `64KiB`, `4M`.
    case size
    /// A time: `250ms`, `5s`.
    case duration
    /// One of these words.
    case choice([String])
    /// Any text; these words are offered.
    case suggestion([String])
    /// The name of a file; `-` is up to the tool.
    case file
    /// The name of a directory.
    case directory
}

/// Whether an option takes an argument, and which.
package enum OptionArgument: Sendable {
    case none
    /// `--option VALUE`, `--option=VALUE`.
    case required(_ metavar: String, ValueKind)
    /// `--option` or `--option=VALUE`, `-o` or `-o=VALUE`, never the next word.
    case optional(_ metavar: String, ValueKind)
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

/// One option as data: the parser, the help, the manual and the completions read nothing else.
///
/// Help text is prose; words between grave accents are literal and come out bold or quoted.
package struct OptionSpec: Sendable {
    /// Without the two hyphens; nil only for an option that has just a letter.
    let long: String?
    let short: Character?
    package let argument: OptionArgument
    let section: OptionSection
    /// A few words for `-h` and for completions: lower case, no full stop.
    package let summary: String
    /// Sentences for `--help` and the manual.
    let details: String
    /// What holds without the option, when that needs saying.
    let defaultText: String?
    /// Every occurrence counts, in order; otherwise the last one wins.
    let isRepeatable: Bool
    /// Options that contradict this one.
    let excludes: [String]
    /// Without this option the one described here means nothing.
    let requires: String?
    /// Answers at once: what follows on the command line is not looked at.
    let endsParsing: Bool

    package init(
        _ long: String?, _ short: Character? = nil, _ argument: OptionArgument = .none,
        in section: OptionSection, _ summary: String, _ details: String,
        defaultText: String? = nil, isRepeatable: Bool = false, excludes: [String] = [],
        requires: String? = nil, endsParsing: Bool = false
    ) {
        precondition(long != nil || short != nil, "an option needs a spelling")
        self.long = long
        self.short = short
        self.argument = argument
        self.section = section
        self.summary = summary
        self.details = details
        self.defaultText = defaultText
        self.isRepeatable = isRepeatable
        self.excludes = excludes
        self.requires = requires
        self.endsParsing = endsParsing
    }

    /// The key under which a parsed command keeps it.
    package var name: String { long ?? String(short!) }

    /// As a person writes it: `--limit`, or `-h` where there is no long form.
    var spelling: String { long.map { "--" + $0 } ?? "-" + String(short!) }

    var metavar: String? {
        switch argument {
        case .none: nil
        case .required(let metavar, _), .optional(let metavar, _): metavar
        }
    }

    var valueKind: ValueKind? {
        switch argument {
        case .none: nil
        case .required(_, let kind), .optional(_, let kind): kind
        }
    }

    /// The words the argument is limited to; empty when it is not.
    var choices: [String] {
        if case .choice(let words) = valueKind { return words }
        return []
    }
}
