extension OutputFormat { package static let tsv = Self(rawValue: "tsv") }

/// Output format: lines of cells with tabs between them.
package final class TSVForm: DelimitedForm, RecordForm {
    package static let format = OutputFormat.tsv
    package static let manual =
        "Columns separated by tabs. Tab, newline, carriage return and backslash in a value become `\\t`, "
        + "`\\n`, `\\r` and `\\\\`; null is `\\N`."
    package static let cells = CellRules(escape: .backslashes, null: Array("\\N".utf8))
    package static let isReadBack = true
    package static let fileSuffix: String? = ".tsv"

    package override init(_ fields: RecordFields, _ style: RecordStyle) {
        super.init(fields, style)
    }
}
