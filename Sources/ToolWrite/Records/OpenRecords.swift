import RealmEngine
import RealmRecords
import ToolKit

/// Copies of the records of the open batch. If a record is rejected after earlier records were
/// written, the batch is written again from the copies, without the rejected record. A few MiB are
/// in memory, the rest in a temporary file.
final class OpenRecords {
    private struct Entry {
        let place: RecordLocation
        let bytes: ByteView
    }

    private struct Memory {
        let entries: SpillBuffer
        let bytes: SpillBuffer
    }

    private let form: InputForm
    private let header: [UInt8]
    /// Positions and bytes of the copied records; nil before the first record.
    private var memory: Memory?
    private(set) var count = 0
    private var excluded: Set<Int> = []

    init(_ input: RecordInput) {
        form = input.form
        header = input.headerBytes
    }

    func removeAll() {
        memory = nil
        count = 0
        excluded.removeAll()
    }

    /// Adds a record. Throws `output` if the disk is full.
    func add(_ record: ByteView, _ place: RecordLocation) throws(RealmError) {
        let memory: Memory
        if let begun = self.memory {
            memory = begun
        } else {
            let directory = Terminal.temporaryDirectory
            memory = Memory(
                entries: try SpillBuffer(directory: directory, isConfidential: Secrecy.hasReadKey),
                bytes: try SpillBuffer(directory: directory, isConfidential: Secrecy.hasReadKey))
            self.memory = memory
        }
        let entry = Entry(place: place, bytes: try memory.bytes.add(record))
        try memory.entries.add(MemoryLayout<Entry>.stride)
            .initializeMemory(as: Entry.self, to: entry)
        count += 1
    }

    private func entry(_ index: Int) -> Entry {
        precondition(index >= 0 && index < count)
        return memory!.entries.base.assumingMemoryBound(to: Entry.self)[index]
    }

    func place(_ index: Int) -> RecordLocation { entry(index).place }

    /// Returns a record as written.
    func record(_ index: Int) -> ByteView { entry(index).bytes }

    func exclude(_ index: Int) { excluded.insert(index) }

    func isExcluded(_ index: Int) -> Bool { excluded.contains(index) }

    /// Returns the index of the record that has this number in the input; nil if it is not in the
    /// batch.
    func index(ofRecord record: Int) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if place(middle).record < record { low = middle + 1 } else { high = middle }
        }
        return low < count && place(low).record == record ? low : nil
    }

    /// Returns an input that consists of all records.
    func input(name: String) throws(RealmError) -> RecordInput {
        let input = RecordInput(Pieces(self), name: name, form)
        _ = try input.readHeader()
        return input
    }

    /// Supplies the bytes of the records one after the other, in the format of the input.
    private final class Pieces: ByteSupply {
        private let records: OpenRecords
        private let isArray: Bool
        private var index = 0
        /// Whether the next call of `next` returns the separator before the record at `index`, and
        /// not the record.
        private var isBetween = true
        private var start = ByteBuffer(capacity: 64)

        init(_ records: OpenRecords) {
            self.records = records
            isArray = records.form.format == .json
            if isArray { start.append("[") }
            if !records.header.isEmpty {
                start.append(records.header)
                start.append("\n")
            }
        }

        func next() -> ByteView? {
            defer { isBetween.toggle() }
            if isBetween { return between() }
            defer { index += 1 }
            return index < records.count ? records.record(index) : nil
        }

        private func between() -> ByteView {
            if index == 0 {
                let bytes = start.bytes
                return bytes.baseAddress.map { ByteView($0, count: bytes.count) } ?? .empty
            }
            if !isArray { return Self.view("\n") }
            return index < records.count ? Self.view(",") : Self.view("]")
        }

        private static func view(_ text: StaticString) -> ByteView {
            ByteView(UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount)
        }
    }
}
