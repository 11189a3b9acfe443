import RealmEngine
import ToolKit

/// Form of the records that are read.
struct InputForm {
    var format: WriteRequest.InputFormat
    /// Form of a table; of no use to JSON.
    var dialect: Dialect
    /// Encoding of the bytes. Nil for UTF-8, in tables with regard to a byte order mark of UTF-16.
    var encoding: TextEncoding?
    /// Field for the class of a record that JSON lists by class; nil if there is no such JSON.
    var classField: String?

    init(_ format: WriteRequest.InputFormat) {
        self.format = format
        dialect = format == .tsv ? .tsv : .csv
    }

    static var ndjson: InputForm { InputForm(.ndjson) }

    /// The source, or its bytes as UTF-8 and as an array of records.
    func decoded(_ source: ByteSource) -> ByteSource {
        let text = decodedText(source)
        guard format == .json, let classField else { return text }
        return ByteSource(ClassArrays(text, field: classField))
    }

    private func decodedText(_ source: ByteSource) -> ByteSource {
        let isTable = format == .csv || format == .tsv
        guard let encoding = encoding ?? (isTable ? .utf8 : nil) else { return source }
        return ByteSource(TranscodedBytes(source, from: encoding))
    }
}
