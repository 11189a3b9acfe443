/// A command line that passed the parser: what was asked, not what to do about it.
///
/// Options are looked up by `OptionSpec.name`; asking for one the table does not have is a bug and
/// traps. Values were checked by the parser, so a typed accessor answers nil only for an option
/// that was not given (or was given without its optional argument).
struct ParsedCommand: Sendable {
    struct Occurrence: Sendable {
        let name: String
        let value: String?
    }

    let table: CommandTable
    private(set) var occurrences: [Occurrence] = []
    private(set) var operands: [String] = []
    let keyOnce = KeyOnce()

    init(_ table: CommandTable) { self.table = table }

    mutating func add(_ option: OptionSpec, _ value: String?) {
        occurrences.append(Occurrence(name: option.name, value: value))
    }

    mutating func add(operand: String) { operands.append(operand) }

    /// Whether the option was given.
    func flag(_ name: String) -> Bool { last(name) != nil }

    /// How often it was given.
    func times(_ name: String) -> Int { occurrences.count { $0.name == known(name) } }

    /// Its argument; the last one counts.
    func text(_ name: String) -> String? { last(name)?.value }

    /// Every argument, in order.
    func all(_ name: String) -> [String] {
        occurrences.compactMap { $0.name == known(name) ? $0.value : nil }
    }

    /// A whole number.
    func count(_ name: String) -> Int? { text(name).flatMap { ValueForms.count($0) } }

    /// Bytes.
    func size(_ name: String) -> Int? { text(name).flatMap(ValueForms.size) }

    func duration(_ name: String) -> Duration? { text(name).flatMap(ValueForms.duration) }

    /// The operand at that position, counted from 0.
    func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }

    /// The last occurrence of the option.
    func last(_ name: String) -> Occurrence? {
        occurrences.last { $0.name == known(name) }
    }

    private func known(_ name: String) -> String {
        precondition(table.option(named: name) != nil, "\(table.name) has no option \(name)")
        return name
    }
}
