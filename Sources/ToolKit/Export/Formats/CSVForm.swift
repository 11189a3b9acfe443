extension OutputFormat { package static let csv = Self(rawValue: "csv") }

/// CSV as in RFC 4180, except that lines end in a newline.
package final class CSVForm: DelimitedForm, RecordForm {
    package static let format = OutputFormat.csv
    package static let manual =
        "RFC 4180 with a header; lines end in a newline. An empty field is null, and two "
        + "quotation marks are the empty string."
    package static let cells = CellRules(escape: .quotes, null: [])
    package static let isReadBack = true
    package static let fileSuffix: String? = ".csv"

    package override init(_ fields: RecordFields, _ style: RecordStyle) {
        super.init(fields, style)
    }
}
