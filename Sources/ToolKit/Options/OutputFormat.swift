/// Name of an output form. The forms themselves are listed in tables such as `RecordForms`.
package struct OutputFormat: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Chooses a form by the use of the tool and the kind of output.
    package static let auto = Self(rawValue: "auto")
    package static let json = Self(rawValue: "json")
    /// Text for people.
    package static let text = Self(rawValue: "text")
}
