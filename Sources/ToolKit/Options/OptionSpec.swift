/// Whether an option has an argument; if so, the name and the kind of the argument.
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

/// Headings of the options in help and manual, in this order.
package enum OptionSection: String, Sendable, CaseIterable {
    case action = "Actions"
    case compaction = "Compaction"
    case measurement = "Measurement"
    case data = "Data"
    case comparison = "Comparison"
    case facts = "Facts"
    case pictures = "Pictures"
    case input = "Records"
    case commits = "Commits"
    case refusals = "Refused records"
    case bulk = "Bulk changes"
    case schema = "Schema"
    case selection = "Selection"
    case changes = "Versions and changes"
    case fields = "Fields"
    case values = "Form of values"
    case records = "Form of records"
    case output = "Output"
    case access = "Access and resources"
    case general = "General"
}

/// Properties of an option that do not depend on the type of its value. Used by the parser, the
/// help, the manual and the completions. Declared as an `Option`.
///
/// Help texts are prose. Text between grave accents is literal; it is printed bold or in quotation
/// marks.
package struct OptionSpec: Sendable {
    /// Name without the two hyphens; nil only for an option that is a single letter.
    let long: String?
    let short: Character?
    let argument: ArgumentShape
    var section: OptionSection
    /// Returns the text of `summary`.
    var brief: OptionText
    /// Returns the text of `details`.
    var text: OptionText
    /// Behaviour without the option; nil if it is obvious.
    var defaultText: String?
    /// Whether the values of all occurrences are used, in order. Otherwise the last occurrence
    /// determines the value.
    var isRepeatable = false
    private var exclusions: Options = { [] }
    private var conditions: Options = { [] }
    /// Ways of using the tool in which the option is permitted.
    var uses = Uses.all
    /// Further long spellings, which are not documented.
    var aliases: [String] = []
    /// Whether parsing ends after the option, as with `--help`: the rest of the command line is
    /// ignored.
    var endsParsing = false
    /// Throws an error if a text is not a valid argument.
    var check: @Sendable (String) throws(OptionValueError) -> Void = { _ in }

    init(
        _ long: String?, _ short: Character?, _ argument: ArgumentShape,
        in section: OptionSection, _ brief: @escaping OptionText,
        _ text: @escaping OptionText
    ) {
        precondition(long != nil || short != nil, "an option needs a spelling")
        self.long = long
        self.short = short
        self.argument = argument
        self.section = section
        self.brief = brief
        self.text = text
    }

    mutating func add(
        excludes: @escaping Options, needs: @escaping Options, _ uses: Uses
    ) {
        exclusions = excludes
        conditions = needs
        self.uses = uses
    }

    /// A few words for `-h` and for completions: lower case, no full stop.
    package var summary: String { brief() }

    /// Sentences for `--help` and the manual.
    var details: String { text() }

    /// Names of options that cannot be combined with this one.
    var excludes: [String] { exclusions().map(\.spec.name) }

    /// Names of options of which at least one must also be given.
    var needs: [String] { conditions().map(\.spec.name) }

    /// Key of the option's values in a parsed command.
    package var name: String { long ?? String(short!) }

    /// Spelling on the command line: `--limit`, or `-h` if there is no long form.
    package var spelling: String { long.map { "--" + $0 } ?? "-" + String(short!) }

    var metavar: String? {
        switch argument {
        case .none: nil
        case .required(let metavar, _), .optional(let metavar, _): metavar
        }
    }
}
