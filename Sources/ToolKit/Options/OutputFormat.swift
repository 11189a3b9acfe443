/// Form of output by its name. The forms are in tables, such as `RecordForms`.
package struct OutputFormat: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The form that suits the use and the output.
    package static let auto = Self(rawValue: "auto")
    package static let json = Self(rawValue: "json")
    /// Lines for people.
    package static let text = Self(rawValue: "text")
}
