import RealmEngine
import RealmRecords
import ToolKit

/// JSON in the arguments of options.
enum JSONArgument {
    /// Parses the argument of `option` as JSON. The result refers to memory of `tape` and is valid
    /// as long as `tape`.
    static func parse(
        _ text: String, _ option: String, _ tape: JSONTape
    ) throws(RealmError) -> JSONValue {
        let bytes = Array(text.utf8)
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(RecordError) in
                try tape.parse(
                    copying: ByteView(
                        raw.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!, count: raw.count))
            }
        }
        do throws(RecordError) { return try result.get() } catch {
            throw .misuse(
                "\(option): '\(text)' is not JSON: expected \(error.expected), got \(error.got)",
                code: "InvalidArgument", reason: "bad-value",
                hint: "a string needs its own quotes: '\"text\"'")
        }
    }

    static func misfit(_ option: String, _ error: ValueMismatch) -> RealmError {
        .misuse(
            "\(option): expected \(error.expected), got \(error.got)", code: "TypeMismatch",
            reason: "bad-value")
    }
}
