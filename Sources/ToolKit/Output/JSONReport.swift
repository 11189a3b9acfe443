import RealmEngine

/// What every report in JSON begins with, whichever tool it is of (realm-tools(7), JSON REPORTS).
package enum JSONReport {
    /// Counts the forms a report of the tools has had. Members are added without a new number.
    static let form = 1

    /// Appends `{"tool":"NAME","output":1`, to which members with a comma before them are added.
    package static func begin(_ tool: StaticString, to out: inout ByteBuffer) {
        out.append("{\"tool\":\"")
        out.append(tool)
        out.append("\",\"output\":")
        out.append(number: form)
    }

    /// The same as members of an object.
    package static func members(_ tool: String) -> [(name: String, value: JSONItem)] {
        [("tool", .text(tool)), ("output", .count(form))]
    }
}
