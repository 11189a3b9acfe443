/// The members at the beginning of every JSON report of the tools (realm-tools(7), JSON REPORTS).
package enum JSONReport {
    /// Version of the report format. Adding members does not change it.
    static let form = 1

    /// Returns the members with which every report begins.
    package static func members(_ tool: String) -> JSONItem.Members {
        [("tool", .text(tool)), ("output", .count(form))]
    }

    /// Returns a report: the members with which every report begins, followed by `members`.
    package static func object(_ tool: String, _ members: JSONItem.Members) -> JSONItem {
        .object(Self.members(tool) + members)
    }
}
