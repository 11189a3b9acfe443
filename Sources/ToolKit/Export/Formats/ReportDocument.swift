import RealmEngine

/// A report of a tool. Provides each encoding that an output format needs.
package protocol ReportDocument {
    /// The whole report as one value.
    var json: JSONItem { get }
    /// The report as one value per line, for `ndjson`.
    var lines: [JSONItem] { get }
    /// The report as rows with the same columns; nil if the report does not consist of such rows.
    var rows: Report? { get }

    /// Appends the report as text for people, with its tables in `style`.
    func appendText(_ style: RecordStyle, to out: inout ByteBuffer)
}

extension ReportDocument {
    package var lines: [JSONItem] { [json] }
    package var rows: Report? { nil }

    /// Appends the report in an output format. For `json` and `ndjson`, appends JSON. For another
    /// format for records, such as `csv`, appends `rows`. Otherwise, and if `rows` is nil, appends
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
