import RealmEngine
import RealmRecords
import ToolKit

/// Reads the records of one input in any format. Confined to its thread.
final class RecordInput {
    /// The JSON reader is unretained, because it is accessed several times for each record and
    /// reference counting would take time.
    private enum Reader {
        case json(Unmanaged<JSONReader>)
        case table(DelimitedReader)
    }

    /// Name of the input in messages.
    let name: String
    private let given: InputForm
    private let reader: Reader
    /// Header line of a table as written. Empty for JSON.
    private(set) var headerBytes: [UInt8] = []
    /// Keeps the file open; nil if the input is not a file.
    private let file: InputFile?
    /// The input if it is read twice, kept open until the second reading ends; otherwise nil.
    private var spool: InputSpool?
    private let source: ByteSource
    /// Size of the input in bytes; 0 if unknown.
    let size: Int

    /// Opens the input of a command. Throws `input` if that fails.
    init(_ path: String, _ form: InputForm) throws(RealmError) {
        name = path
        given = form
        let file = try InputFile(path)
        self.file = file
        size = file.size
        source = ByteSource(descriptor: file.descriptor, path: path)
        reader = Self.reader(form.decoded(source), form)
    }

    var format: WriteRequest.InputFormat { given.format }

    /// Format in which `RawRecords` copies records: text in UTF-8, with the separator that the
    /// header determined.
    var form: InputForm {
        var form = given
        (form.encoding, form.classField) = (nil, nil)
        if case .table(let reader) = reader { form.dialect = reader.dialect }
        return form
    }

    /// Reads an input that is read twice: the first time, or with `again` the second time.
    init(
        _ spool: InputSpool, _ form: InputForm, again: Bool
    ) throws(RealmError) {
        name = spool.file.path
        given = form
        file = nil
        self.spool = spool
        size = spool.file.size
        source = again ? try spool.secondSource() : spool.firstSource()
        reader = Self.reader(form.decoded(source), form)
    }

    /// Bytes read so far.
    var bytesRead: Int { source.bytesRead }

    /// Reads copies of records from memory.
    init(_ bytes: [UInt8], name: String, _ form: InputForm) {
        self.name = name
        given = form
        file = nil
        size = bytes.count
        source = ByteSource(bytes: bytes)
        reader = Self.reader(source, form, windowSize: bytes.count + 1)
    }

    /// Reads copies of records from a supply of bytes.
    init(_ supply: any ByteSupply, name: String, _ form: InputForm) {
        self.name = name
        given = form
        file = nil
        size = 0
        source = ByteSource(supply)
        reader = Self.reader(source, form)
    }

    private static func reader(
        _ source: ByteSource, _ form: InputForm, windowSize: Int = 1 << 19
    ) -> Reader {
        func json(_ layout: JSONReader.Layout) -> Reader {
            .json(
                .passRetained(
                    JSONReader(
                        source, layout: layout, windowSize: windowSize, uuidOrder: form.uuidOrder)))
        }
        switch form.format {
        case .ndjson, .changes: return json(.lines)
        case .json: return json(.array)
        case .csv, .tsv:
            let dialect = form.dialect
            return .table(
                DelimitedReader(
                    source, dialect: dialect, windowSize: windowSize, uuidOrder: form.uuidOrder))
        }
    }

    deinit {
        if case .json(let reader) = reader { reader.release() }
    }

    /// Reads the header of a table; nil for JSON. Returns `end` if the table is empty.
    func readHeader() throws(RealmError) -> RecordEvent<[String]>? {
        guard case .table(let reader) = reader else { return nil }
        let event = try reader.readHeader()
        headerBytes = reader.recordBytes.bytes
        return event
    }

    /// Skips the next record, without parsing its values if possible.
    @_optimize(speed)
    func skip() throws(RealmError) -> RecordEvent<Void> {
        switch reader {
        case .json(let reader): try reader.takeUnretainedValue().skip()
        case .table(let reader): try reader.next().map { _ in }
        }
    }

    /// Reads the next record. Passes it to `json` or to `table`, depending on the format.
    @inline(__always)
    func next<R>(
        json: (JSONReader, JSONValue) throws(RecordError) -> R,
        table: (DelimitedReader, DelimitedRow) throws(RecordError) -> R
    ) throws(RealmError) -> RecordEvent<R> {
        switch reader {
        case .json(let reader):
            let reader = reader.takeUnretainedValue()
            switch try reader.next() {
            case .end: return .end
            case .rejected(let error): return .rejected(error)
            case .record(let value):
                do throws(RecordError) { return .record(try json(reader, value)) } catch {
                    return .rejected(error)
                }
            }
        case .table(let reader):
            switch try reader.next() {
            case .end: return .end
            case .rejected(let error): return .rejected(error)
            case .record(let row):
                do throws(RecordError) { return .record(try table(reader, row)) } catch {
                    return .rejected(error)
                }
            }
        }
    }

    /// Number of the current record. Rejected records are counted.
    @inline(__always) var recordNumber: Int {
        switch reader {
        case .json(let reader): reader._withUnsafeGuaranteedRef { $0.recordNumber }
        case .table(let reader): max(0, reader.recordNumber)
        }
    }

    /// Bytes of the current record as written.
    @inline(__always) var recordBytes: ByteView {
        switch reader {
        case .json(let reader): reader._withUnsafeGuaranteedRef { $0.recordBytes }
        case .table(let reader): reader.recordBytes
        }
    }

    /// Line and column at which the current record begins.
    var position: TextPosition {
        switch reader {
        case .json(let reader): reader._withUnsafeGuaranteedRef { $0.position }
        case .table(let reader): reader.position
        }
    }

    /// Number and position of the current record.
    @inline(__always) var place: RecordLocation {
        RecordLocation(record: recordNumber, position: recordStart)
    }

    /// Line and column at which the current record begins. Computed without scanning the input if
    /// each record is a line.
    @inline(__always) private var recordStart: TextPosition {
        switch reader {
        case .json(let reader): reader._withUnsafeGuaranteedRef { $0.recordStart }
        case .table(let reader): reader.position
        }
    }

    /// Whether the next record can be read without waiting. Waits for that up to
    /// `milliseconds`.
    @inline(__always)
    func isReady(within milliseconds: Int32) -> Bool {
        switch reader {
        case .json(let reader):
            reader._withUnsafeGuaranteedRef { $0.isReady(within: milliseconds) }
        case .table(let reader): reader.isReady(within: milliseconds)
        }
    }
}
