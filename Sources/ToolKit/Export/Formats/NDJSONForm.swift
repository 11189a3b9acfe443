import RealmEngine

extension OutputFormat { package static let ndjson = Self(rawValue: "ndjson") }

/// Output format with one JSON object per line.
package final class NDJSONForm: RecordForm {
    package static let format = OutputFormat.ndjson
    package static let manual =
        "One JSON object per line."
    package static let isReadBack = true
    package static let fileSuffix: String? = ".ndjson"

    package let frame: RecordFrame?

    package init(_ fields: RecordFields, _ style: RecordStyle) {
        frame = RecordFrame(terminator: style.terminator)
    }
}
