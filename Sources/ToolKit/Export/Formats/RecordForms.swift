/// All forms of records.
package enum RecordForms {
    /// Forms that have a name, in the order of the help text.
    package static let all: [any RecordForm.Type] = [
        TableForm.self, LineForm.self, MarkdownForm.self, NDJSONForm.self, JSONForm.self,
        CSVForm.self, TSVForm.self, SQLForm.self,
    ]

    /// Returns the form with this name; nil if it is not a form of records.
    package static func form(_ format: OutputFormat) -> (any RecordForm.Type)? {
        all.first { $0.format == format }
    }
}
