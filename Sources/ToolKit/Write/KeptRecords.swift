import RealmEngine

/// The records of the open batch, kept so that it can be written again without those that turn out
/// to be refused when others have been written already.
struct KeptRecords: ~Copyable {
    private let format: WriteRequest.InputFormat
    private let header: [UInt8]
    private var bytes = ByteBuffer(capacity: 4096)
    private(set) var places: [RecordPlace] = []
    private var ranges: [Range<Int>] = []
    private var excluded: Set<Int> = []

    init(_ input: RecordInput) {
        format = input.format
        header = input.headerBytes
        removeAll()
    }

    var isEmpty: Bool { places.isEmpty }

    mutating func removeAll() {
        places.removeAll(keepingCapacity: true)
        ranges.removeAll(keepingCapacity: true)
        excluded.removeAll()
        bytes.removeAll()
        if format == .json { bytes.append("[") }
        if !header.isEmpty {
            bytes.append(header)
            bytes.append("\n")
        }
    }

    mutating func add(_ record: ByteView, _ place: RecordPlace) {
        if format == .json, !places.isEmpty { bytes.append(",") }
        ranges.append(bytes.count..<bytes.count + record.count)
        bytes.append(record)
        bytes.append("\n")
        places.append(place)
    }

    /// Takes over the records of another input of the same kind.
    mutating func add(_ other: borrowing KeptRecords) {
        for index in other.places.indices {
            add(other.view(index), other.places[index])
        }
    }

    mutating func exclude(_ index: Int) { excluded.insert(index) }

    func isExcluded(_ index: Int) -> Bool { excluded.contains(index) }

    /// Index of the record with that number in the input.
    func index(ofRecord record: Int) -> Int? {
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle].record < record { low = middle + 1 } else { high = middle }
        }
        return low < places.count && places[low].record == record ? low : nil
    }

    /// Bytes of memory they take, about.
    var byteCount: Int { bytes.count + 40 * places.count }

    private func view(_ index: Int) -> ByteView {
        ByteView(bytes.bytes.baseAddress! + ranges[index].lowerBound, count: ranges[index].count)
    }

    /// A record as written.
    func record(_ index: Int) -> [UInt8] { Array(bytes.bytes[ranges[index]]) }

    /// An input of all of them.
    func input(name: String) throws(RealmError) -> RecordInput {
        var copy = Array(bytes.bytes)
        if format == .json { copy.append(UInt8(ascii: "]")) }
        let input = RecordInput(copy, name: name, format)
        _ = try input.readHeader()
        return input
    }
}
