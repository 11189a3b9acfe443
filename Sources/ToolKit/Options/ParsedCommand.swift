/// A command line that passed the parser: what was asked, not what to do about it.
///
/// Options are looked up by `OptionSpec.name`; asking for one the table does not have is a bug and
/// traps. Values were checked by the parser, so a typed accessor answers nil only for an option
/// that was not given (or was given without its optional argument).
package struct ParsedCommand: Sendable {
    package struct Occurrence: Sendable {
        package let name: String
        package let value: String?
    }

    package let table: CommandTable
    private(set) var occurrences: [Occurrence] = []
    package private(set) var operands: [String] = []
    let keyOnce = KeyOnce()

    package init(_ table: CommandTable) { self.table = table }

    package mutating func add(_ option: OptionSpec, _ value: String?) {
        occurrences.append(Occurrence(name: option.name, value: value))
    }

    package mutating func add(operand: String) { operands.append(operand) }

    /// Whether the option was given.
    package func flag(_ name: String) -> Bool { last(name) != nil }

    /// How often it was given.
    func times(_ name: String) -> Int { occurrences.count { $0.name == known(name) } }

    /// Its argument; the last one counts.
    package func text(_ name: String) -> String? { last(name)?.value }

    /// Every argument, in order.
    package func all(_ name: String) -> [String] {
        occurrences.compactMap { $0.name == known(name) ? $0.value : nil }
    }

    /// A whole number.
    package func count(_ name: String) -> Int? { text(name).flatMap { ValueForms.count($0) } }

    /// Bytes.
    package func size(_ name: String) -> Int? { text(name).flatMap(ValueForms.size) }

    package func duration(_ name: String) -> Duration? { text(name).flatMap(ValueForms.duration) }

    /// The operand at that position, counted from 0.
    package func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }

    /// The last occurrence of the option.
    package func last(_ name: String) -> Occurrence? {
        occurrences.last { $0.name == known(name) }
    }

    private func known(_ name: String) -> String {
        precondition(table.option(named: name) != nil, "\(table.name) has no option \(name)")
        return name
    }
}
