/// A command line that passed the parser: what was asked, not what to do about it.
///
/// What it says about an option is asked for by the option itself: `command[QueryOption.limit]`.
/// Asking for one the table does not have is a bug and traps.
package struct ParsedCommand: Sendable {
    struct Occurrence: Sendable {
        /// `OptionSpec.name`.
        let name: String
        let value: String?
    }

    package let table: CommandTable
    private(set) var occurrences: [Occurrence] = []
    /// The values of all occurrences of each option, in order.
    private var values: [String: [String?]] = [:]
    /// Names of the options the table has.
    private let names: Set<String>
    package private(set) var operands: [String] = []
    let keyOnce = KeyOnce()

    init(_ table: CommandTable) {
        self.table = table
        names = Set(table.options.map(\.name))
    }

    mutating func add(_ option: OptionSpec, _ value: String?) {
        occurrences.append(Occurrence(name: option.name, value: value))
        values[option.name, default: []].append(value)
    }

    mutating func add(operand: String) { operands.append(operand) }

    /// The same command with other operands.
    package func about(_ operands: [String]) -> ParsedCommand {
        var copy = self
        copy.operands = operands
        return copy
    }

    /// What the command line says about the option, or its default.
    package subscript<Value>(_ option: Option<Value>) -> Value {
        precondition(knows(option), "\(table.name) has no option \(option.spelling)")
        return self[ifKnown: option]
    }

    /// The same for one that only some tables have; the default where it is missing.
    subscript<Value>(ifKnown option: Option<Value>) -> Value {
        option.value(values[option.spec.name] ?? [])
    }

    /// Whether the option was given.
    package func isGiven(_ option: some OptionDeclaration) -> Bool {
        precondition(knows(option), "\(table.name) has no option \(option.spec.spelling)")
        return isGiven(option.spec)
    }

    func isGiven(_ option: OptionSpec) -> Bool {
        values[option.name] != nil
    }

    /// Whether any of the options was given.
    package func isAnyGiven(_ options: [any OptionDeclaration]) -> Bool {
        options.contains { isGiven($0.spec) }
    }

    func knows(_ option: some OptionDeclaration) -> Bool {
        names.contains(option.spec.name)
    }

    /// Which of the options was given last.
    func last(of options: [any OptionDeclaration]) -> Occurrence? {
        let names = options.map(\.spec.name)
        return occurrences.last { names.contains($0.name) }
    }

    /// The values of two options of which every occurrence counts, in the order they were given.
    func inOrder<Value>(_ a: Option<[Value]>, _ b: Option<[Value]>) -> [Value] {
        occurrences.flatMap { occurrence in
            [a, b].filter { $0.spec.name == occurrence.name }.flatMap {
                $0.value([occurrence.value])
            }
        }
    }

    /// The operand at that position, counted from 0.
    package func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }
}
