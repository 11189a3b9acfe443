import RealmEngine
import RealmRecords
import ToolKit

/// Format of the input records.
struct InputForm {
    var format: WriteRequest.InputFormat
    /// Syntax of a table; unused for JSON.
    var dialect: Dialect
    /// Encoding of the input. Nil for UTF-8; CSV and TSV are then also read as UTF-16 if they begin
    /// with a UTF-16 byte order mark.
    var encoding: TextEncoding?
    /// Name of the field that each record gets for its class, if the input is JSON such as
    /// `{"Dog":[{…}],"Cat":[{…}]}`; nil for other input.
    var classField: String?
    /// Order of the bytes of UUIDs in the records.
    var uuidOrder = UUIDOrder.standard

    init(_ format: WriteRequest.InputFormat) {
        self.format = format
        dialect = format == .tsv ? .tsv : .csv
    }

    static var ndjson: InputForm { InputForm(.ndjson) }

    /// Returns the source converted to UTF-8. If `classField` is not nil, converts JSON such as
    /// `{"Dog":[{…}]}` to an array of records.
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
