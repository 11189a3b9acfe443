/// Name of an output format. The formats themselves are listed in tables such as `RecordForms`.
package struct OutputFormat: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Format that depends on the use of the tool, and on whether the output is a terminal.
    package static let auto = Self(rawValue: "auto")
    package static let json = Self(rawValue: "json")
    /// Text for people.
    package static let text = Self(rawValue: "text")
}
