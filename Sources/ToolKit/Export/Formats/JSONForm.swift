import RealmEngine

/// One JSON array with an object per line.
package final class JSONForm: RecordForm {
    package static let format = OutputFormat.json
    package static let manual =
        "One JSON array with an object per line; an empty result is `[]`."
    package static let isReadBack = true
    package static let hasTerminators = false
    package static let fileSuffix: String? = ".json"

    private static let separator: StaticString = ",\n"

    /// Writes a separator before each record. At the beginning of the output, `beginOutput`
    /// replaces the separator of the first record by the opening bracket of the array.
    package let frame: RecordFrame? = RecordFrame(before: JSONForm.separator)

    package init(_ fields: RecordFields, _ style: RecordStyle) {}

    package static func beginOutput(_ buffer: inout ByteBuffer, at start: Int) {
        var rest = ByteBuffer(capacity: buffer.count)
        let first = start + separator.utf8CodeUnitCount
        rest.append(UnsafeRawBufferPointer(rebasing: buffer.bytes[first...]))
        buffer.truncate(to: start)
        buffer.append("[")
        buffer.append(rest.bytes)
    }

    package static func endOutput(isEmpty: Bool, to out: inout ByteBuffer) {
        out.append(isEmpty ? "[]\n" : "]\n")
    }
}
