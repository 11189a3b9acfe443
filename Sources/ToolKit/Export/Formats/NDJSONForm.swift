import RealmEngine

extension OutputFormat { package static let ndjson = Self(rawValue: "ndjson") }

/// One JSON object per line.
package final class NDJSONForm: RecordForm {
    package static let format = OutputFormat.ndjson
    package static let manual =
        "One JSON object per line."
    package static let isReadBack = true
    package static let fileSuffix: String? = ".ndjson"

    private let terminator: UInt8

    package init(_ fields: RecordFields, _ style: RecordStyle) { terminator = style.terminator }

    package func append(
        _ record: any RecordContent, to out: inout ByteBuffer
    ) throws(RealmError) {
        try record.appendObject(to: &out)
        out.append(terminator)
    }
}
