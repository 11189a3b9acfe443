import RealmEngine

/// A way to use a tool. Each way has its own set of options.
package protocol CommandUse: RawRepresentable where RawValue == Int {
    /// End of the error message for an option that this way of using the tool does not permit. The
    /// message begins with the option, as in `--limit needs a CLASS`.
    var objection: String { get }
}

/// A set of ways to use a tool, for example the ways in which an option is permitted.
package struct Uses: Sendable {
    @usableFromInline let bits: UInt64

    package static let all = Uses(bits: .max)

    @usableFromInline init(bits: UInt64) { self.bits = bits }

    /// Creates a set of ways to use a tool. Inlinable, because each start of a tool creates about
    /// twenty of these sets.
    @inlinable package init<Use: CommandUse>(_ uses: [Use]) {
        var bits: UInt64 = 0
        for use in uses { bits |= 1 << UInt64(use.rawValue) }
        self.init(bits: bits)
    }

    func contains(_ use: some CommandUse) -> Bool { bits >> use.rawValue & 1 == 1 }
}

extension ParsedCommand {
    /// Throws `misuse` if an option is given that is not permitted in this way of using the
    /// tool.
    package func check(for use: some CommandUse) throws(RealmError) {
        for option in table.options where isGiven(option) && !option.applies(for: use) {
            throw .misuse("\(option.spelling) \(use.objection)", code: "InvalidArgument")
        }
    }
}

extension OptionSpec {
    /// Whether the option is permitted in this way of using the tool.
    package func applies(for use: some CommandUse) -> Bool { uses.contains(use) }
}
