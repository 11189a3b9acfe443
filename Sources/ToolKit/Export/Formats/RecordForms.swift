/// All output formats for records.
package enum RecordForms {
    /// Formats that `--format` can name, in the order of the help text.
    package static let all: [any RecordForm.Type] = [
        TableForm.self, LineForm.self, MarkdownForm.self, NDJSONForm.self, JSONForm.self,
        CSVForm.self, TSVForm.self, SQLForm.self,
    ]

    /// Returns the output format with this name; nil if it is not a format for records.
    package static func form(_ format: OutputFormat) -> (any RecordForm.Type)? {
        all.first { $0.format == format }
    }
}
