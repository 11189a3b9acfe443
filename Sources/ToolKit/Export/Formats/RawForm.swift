import RealmEngine

/// Output format of `--raw`: the single field of each record, with strings unquoted.
package final class RawForm: RecordForm {
    package static let format = OutputFormat(rawValue: "raw")
    package static let manual =
        "The value of one field per line, with unquoted strings."
    package static let cells = CellRules(keepsBytes: true)
    package static let printsReports = false

    package let frame: RecordFrame?

    package init(_ fields: RecordFields, _ style: RecordStyle) {
        frame = RecordFrame(separator: style.terminator, terminator: style.terminator)
    }
}
