import RealmEngine

/// One way of calling a tool, as far as that decides which options mean something.
package protocol CommandUse: RawRepresentable where RawValue == Int {
    /// What is wrong with an option that means nothing here, behind its name: `needs a CLASS`.
    var objection: String { get }
}

/// Ways of calling a tool.
package struct Uses: Sendable {
    private let bits: UInt64

    package static let all = Uses(bits: .max)

    private init(bits: UInt64) { self.bits = bits }

    package init<Use: CommandUse>(_ uses: [Use]) {
        bits = uses.reduce(0) { $0 | 1 << $1.rawValue }
    }

    func contains(_ use: some CommandUse) -> Bool { bits >> use.rawValue & 1 == 1 }
}

extension ParsedCommand {
    /// Throws `misuse` for an option that means nothing in the way the tool is called.
    package func check(for use: some CommandUse) throws(RealmError) {
        for option in table.options where isGiven(option) && !option.isMeant(for: use) {
            throw .misuse("\(option.spelling) \(use.objection)", code: "InvalidArgument")
        }
    }
}

extension OptionSpec {
    /// Whether the option means something in that way of calling its tool.
    package func isMeant(for use: some CommandUse) -> Bool { uses.contains(use) }
}
