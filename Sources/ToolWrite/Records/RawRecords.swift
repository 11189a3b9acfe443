import RealmEngine
import RealmRecords
import ToolKit

/// Copies of consecutive records as they are in the input.
struct RawRecords: ~Copyable {
    private let form: InputForm
    private var bytes = ByteBuffer(capacity: 4096)
    private(set) var places: [RecordLocation] = []
    private var ranges: [Range<Int>] = []

    init(_ input: RecordInput) {
        form = input.form
        if form.format == .json { bytes.append("[") }
        if !input.headerBytes.isEmpty {
            bytes.append(input.headerBytes)
            bytes.append("\n")
        }
    }

    mutating func add(_ record: ByteView, _ place: RecordLocation) {
        if form.format == .json, !places.isEmpty { bytes.append(",") }
        ranges.append(bytes.count..<bytes.count + record.count)
        bytes.append(record)
        bytes.append("\n")
        places.append(place)
    }

    /// Appends these records to `records`, the copies of all records of the open transaction.
    func add(to records: OpenRecords) throws(RealmError) {
        for index in places.indices { try records.add(record(index), places[index]) }
    }

    /// Approximate memory of the records in bytes.
    var byteCount: Int { bytes.count + 40 * places.count }

    /// Returns the bytes of a record as they are in the input; valid until the next record is
    /// added.
    func record(_ index: Int) -> ByteView {
        ByteView(bytes.bytes.baseAddress! + ranges[index].lowerBound, count: ranges[index].count)
    }

    /// Returns an input from which the copied records can be read.
    func input(name: String) throws(RealmError) -> RecordInput {
        var copy = Array(bytes.bytes)
        if form.format == .json { copy.append(UInt8(ascii: "]")) }
        let input = RecordInput(copy, name: name, form)
        _ = try input.readHeader()
        return input
    }
}
