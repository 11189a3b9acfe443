import RealmEngine
import ToolKit

/// The records of one input in any format, converted one at a time. Confined to its thread.
final class RecordInput {
    /// A reader of JSON is asked several things about each record, and not counted each time.
    private enum Reader {
        case json(Unmanaged<JSONReader>)
        case table(DelimitedReader)
    }

    /// What messages call the input.
    let name: String
    private let given: InputForm
    private let reader: Reader
    /// The header line of a table as written.
    private(set) var headerBytes: [UInt8] = []
    /// Keeps the descriptor open.
    private let file: InputFile?
    /// Keeps both ends of an input that is read twice.
    private var spool: InputSpool?
    private let source: ByteSource
    /// Bytes there will be in all; 0 if nobody knows.
    let size: Int

    /// Opens the input of a command. Throws `input`.
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

    /// The form of records as they are kept: decoded, with the separator that the header decided for.
    var form: InputForm {
        var form = given
        (form.encoding, form.classField) = (nil, nil)
        if case .table(let reader) = reader { form.dialect = reader.dialect }
        return form
    }

    /// Reads an input for the first or, with `again`, the second time.
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

    /// Reads records that were kept.
    init(_ bytes: [UInt8], name: String, _ form: InputForm) {
        self.name = name
        given = form
        file = nil
        size = bytes.count
        source = ByteSource(bytes: bytes)
        reader = Self.reader(source, form, windowSize: bytes.count + 1)
    }

    /// Reads records that were kept.
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
            .json(.passRetained(JSONReader(source, layout: layout, windowSize: windowSize)))
        }
        switch form.format {
        case .ndjson, .changes: return json(.lines)
        case .json: return json(.array)
        case .csv, .tsv:
            let dialect = form.dialect
            return .table(DelimitedReader(source, dialect: dialect, windowSize: windowSize))
        }
    }

    deinit {
        if case .json(let reader) = reader { reader.release() }
    }

    /// The names in the header of a table; nil for JSON. `end` is a table without one.
    func readHeader() throws(RealmError) -> RecordEvent<[String]>? {
        guard case .table(let reader) = reader else { return nil }
        let event = try reader.readHeader()
        headerBytes = reader.recordBytes.bytes
        return event
    }

    /// Passes over the next record, as far as possible without a look at its values.
    @_optimize(speed)
    func skip() throws(RealmError) -> RecordEvent<Void> {
        switch reader {
        case .json(let reader): try reader.takeUnretainedValue().skip()
        case .table(let reader): try reader.next().map { _ in }
        }
    }

    /// Reads the next record and hands it to `json` or `table`, whichever it is.
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

    /// Records so far, refused ones too.
    @inline(__always) var recordNumber: Int {
        switch reader {
        case .json(let reader): reader._withUnsafeGuaranteedRef { $0.recordNumber }
        case .table(let reader): max(0, reader.recordNumber)
        }
    }

    /// The current record as written.
    @inline(__always) var recordBytes: ByteView {
        switch reader {
        case .json(let reader): reader._withUnsafeGuaranteedRef { $0.recordBytes }
        case .table(let reader): reader.recordBytes
        }
    }

    /// Where the current record begins.
    var position: TextPosition {
        switch reader {
        case .json(let reader): reader._withUnsafeGuaranteedRef { $0.position }
        case .table(let reader): reader.position
        }
    }

    /// Where the current record stands.
    @inline(__always) var place: RecordPlace {
        RecordPlace(record: recordNumber, position: recordStart)
    }

    /// As `position`, at little cost where each record has a line.
    @inline(__always) private var recordStart: TextPosition {
        switch reader {
        case .json(let reader): reader._withUnsafeGuaranteedRef { $0.recordStart }
        case .table(let reader): reader.position
        }
    }

    /// False while reading on might wait for input; waits up to `milliseconds` for that.
    @inline(__always)
    func isReady(within milliseconds: Int32) -> Bool {
        switch reader {
        case .json(let reader):
            reader._withUnsafeGuaranteedRef { $0.isReady(within: milliseconds) }
        case .table(let reader): reader.isReady(within: milliseconds)
        }
    }
}
