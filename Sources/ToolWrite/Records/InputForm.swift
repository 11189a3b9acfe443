import RealmEngine
import ToolKit

/// Form of the records that are read.
struct InputForm {
    var format: WriteRequest.InputFormat
    /// Form of a table; of no use to JSON.
    var dialect: Dialect
    /// Encoding of the bytes. Nil for UTF-8, in tables with regard to a byte order mark of UTF-16.
    var encoding: TextEncoding?

    init(_ format: WriteRequest.InputFormat) {
        self.format = format
        dialect = format == .tsv ? .tsv : .csv
    }

    static var ndjson: InputForm { InputForm(.ndjson) }

    /// The source, or its bytes as UTF-8.
    func decoded(_ source: ByteSource) -> ByteSource {
        let isTable = format == .csv || format == .tsv
        guard let encoding = encoding ?? (isTable ? .utf8 : nil) else { return source }
        return ByteSource(TranscodedBytes(source, from: encoding))
    }
}
