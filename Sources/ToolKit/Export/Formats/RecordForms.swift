/// The forms of records.
package enum RecordForms {
    /// The forms that have a name, in the order of help.
    package static let all: [any RecordForm.Type] = [
        TableForm.self, LineForm.self, MarkdownForm.self, NDJSONForm.self, JSONForm.self,
        CSVForm.self, TSVForm.self, SQLForm.self,
    ]

    /// The form of that name; nil for a form that is not one of records.
    package static func form(_ format: OutputFormat) -> (any RecordForm.Type)? {
        all.first { $0.format == format }
    }
}
