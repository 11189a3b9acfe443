/// The beginning of every report in JSON, whichever tool it is of (realm-tools(7), JSON REPORTS).
package enum JSONReport {
    /// Number of the form that reports of the tools have. Members are added without a new number.
    static let form = 1

    /// The first members of a report.
    package static func members(_ tool: String) -> JSONItem.Members {
        [("tool", .text(tool)), ("output", .count(form))]
    }

    /// A report with these members after the first.
    package static func object(_ tool: String, _ members: JSONItem.Members) -> JSONItem {
        .object(Self.members(tool) + members)
    }
}
