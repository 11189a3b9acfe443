import RealmEngine

/// A way to use a tool. Each way has its own set of options.
package protocol CommandUse: RawRepresentable where RawValue == Int {
    /// Text of the error for an option that does not apply to this use. It follows the name of the
    /// option: `needs a CLASS`.
    var objection: String { get }
}

/// A set of uses of a tool.
package struct Uses: Sendable {
    @usableFromInline let bits: UInt64

    package static let all = Uses(bits: .max)

    @usableFromInline init(bits: UInt64) { self.bits = bits }

    /// Inlinable, because every start of a tool makes some twenty sets.
    @inlinable package init<Use: CommandUse>(_ uses: [Use]) {
        var bits: UInt64 = 0
        for use in uses { bits |= 1 << UInt64(use.rawValue) }
        self.init(bits: bits)
    }

    func contains(_ use: some CommandUse) -> Bool { bits >> use.rawValue & 1 == 1 }
}

extension ParsedCommand {
    /// Throws `misuse` if an option is given that does not apply to this use of the tool.
    package func check(for use: some CommandUse) throws(RealmError) {
        for option in table.options where isGiven(option) && !option.applies(for: use) {
            throw .misuse("\(option.spelling) \(use.objection)", code: "InvalidArgument")
        }
    }
}

extension OptionSpec {
    /// Whether the option applies to this use of the tool.
    package func applies(for use: some CommandUse) -> Bool { uses.contains(use) }
}
