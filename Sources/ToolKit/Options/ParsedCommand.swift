/// A parsed command line.
///
/// The value of an option is read with the option as key: `command[QueryOption.limit]`. Reading an
/// option that the table does not have is a bug, and traps in debug builds.
package struct ParsedCommand: Sendable {
    struct Occurrence: Sendable {
        /// The option's `OptionSpec.name`.
        let name: String
        let value: String?
    }

    package let table: CommandTable
    private(set) var occurrences: [Occurrence] = []
    package private(set) var operands: [String] = []
    let keyOnce = KeyOnce()

    init(_ table: CommandTable) {
        self.table = table
    }

    mutating func add(_ option: OptionSpec, _ value: String?) {
        occurrences.append(Occurrence(name: option.name, value: value))
    }

    mutating func add(operand: String) { operands.append(operand) }

    /// Returns this command with other operands.
    package func about(_ operands: [String]) -> ParsedCommand {
        var copy = self
        copy.operands = operands
        return copy
    }

    /// Returns the value of the option, or its default.
    package subscript<Value>(_ option: Option<Value>) -> Value {
        assert(knows(option), "\(table.name) has no option \(option.spelling)")
        return self[ifKnown: option]
    }

    /// Returns the value of an option that not all tools have. Returns the default if the command's
    /// table lacks the option.
    subscript<Value>(ifKnown option: Option<Value>) -> Value {
        option.value(values(of: option.spec.name))
    }

    package func isGiven(_ option: some OptionDeclaration) -> Bool {
        assert(knows(option), "\(table.name) has no option \(option.spec.spelling)")
        return isGiven(option.spec)
    }

    func isGiven(_ option: OptionSpec) -> Bool {
        isGiven(option.name)
    }

    /// Arguments of all occurrences of an option, in order. A command line has few options, so that
    /// a search is faster than a hash table.
    @_optimize(speed)
    private func values(of name: String) -> [String?] {
        var values: [String?] = []
        for occurrence in occurrences where occurrence.name == name {
            values.append(occurrence.value)
        }
        return values
    }

    @_optimize(speed)
    private func isGiven(_ name: String) -> Bool {
        for occurrence in occurrences where occurrence.name == name { return true }
        return false
    }

    package func isAnyGiven(_ options: [any OptionDeclaration]) -> Bool {
        options.contains { isGiven($0.spec) }
    }

    func knows(_ option: some OptionDeclaration) -> Bool {
        let name = option.spec.name
        return table.options.contains { $0.name == name }
    }

    /// Returns the last occurrence of any of the options; nil if none is given.
    func last(of options: [any OptionDeclaration]) -> Occurrence? {
        let names = options.map(\.spec.name)
        return occurrences.last { names.contains($0.name) }
    }

    /// Values of two repeatable options in the order of the command line.
    func inOrder<Value>(_ a: Option<[Value]>, _ b: Option<[Value]>) -> [Value] {
        occurrences.flatMap { occurrence in
            [a, b].filter { $0.spec.name == occurrence.name }.flatMap {
                $0.value([occurrence.value])
            }
        }
    }

    /// Returns the operand at this index; nil if there are fewer.
    package func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }
}
