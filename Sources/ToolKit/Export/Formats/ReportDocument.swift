import RealmEngine

/// A report of a tool, in each encoding that forms of reports need.
package protocol ReportDocument {
    /// The whole report as one value.
    var json: JSONItem { get }
    /// The report as one value per line, for `ndjson`.
    var lines: [JSONItem] { get }
    /// The report as rows with the same columns; nil if the report has no such rows.
    var rows: Report? { get }

    /// Appends the report as text for people, with its tables in `style`.
    func appendText(_ style: RecordStyle, to out: inout ByteBuffer)
}

extension ReportDocument {
    package var lines: [JSONItem] { [json] }
    package var rows: Report? { nil }

    /// Appends the report: its values for `json` and `ndjson`, its rows for forms of records, else
    /// text.
    package func append(
        _ format: OutputFormat, _ style: RecordStyle = RecordStyle(TableForm.self),
        to out: inout ByteBuffer
    ) {
        switch format {
        case .json: json.appendLine(to: &out)
        case .ndjson:
            for line in lines {
                line.append(to: &out)
                out.append(style.terminator)
            }
        default:
            guard let form = RecordForms.form(format), let rows else {
                return appendText(style, to: &out)
            }
            var style = style
            style.form = form
            rows.append(style, to: &out)
        }
    }
}
