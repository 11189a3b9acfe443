import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolKit
@testable import ToolSupport
@testable import ToolWrite

/// Links that wait for their targets, in memory and in a temporary file.
@Suite struct PendingLinksTests {
    private let links = PendingLinks(directory: Terminal.temporaryDirectory, isConfidential: false)

    private func object(_ key: Int) -> ObjectLink {
        ObjectLink(table: TableKey(UInt32(key % 3)), key: ObjectKey(Int64(key)))
    }

    /// A value of each case, with texts of many lengths.
    private func value(_ i: Int, _ arena: ScratchArena) -> StagedValue {
        let text = Value.string(view(String(repeating: "é", count: i % 50) + "\(i)", arena))
        let key = ObjectReference(table: TableKey(7), name: .primaryKey(text))
        switch i % 6 {
        case 0: return .value(text)
        case 1: return .reference(key)
        case 2:
            return .reference(
                ObjectReference(table: TableKey(8), name: .objectKey(ObjectKey(Int64(i)))))
        case 3: return .list([.value(.int(Int64(i))), .reference(key), .list([])])
        case 4: return .dictionary([(key: text, value: .value(.bool(true)))])
        default:
            return .object(
                StagedObject(
                    table: TableKey(9),
                    fields: [(column: 3, value: .value(text)), (column: 4, value: .list([]))]))
        }
    }

    private func view(_ text: String, _ arena: ScratchArena) -> ByteView {
        var text = text
        return text.withUTF8 { bytes in
            let copy = arena.allocate(bytes.count)
            copy.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
            return ByteView(copy, count: bytes.count)
        }
    }

    @Test(arguments: [1, 63, 600, 40_000])
    func linksAreVisitedOnceInOrder(count: Int) throws {
        let arena = ScratchArena()
        for i in 0..<count {
            let place = RecordLocation(record: i, position: TextPosition(line: i + 1))
            try links.add(object(i / 2), column: i % 2, value(i, arena), place)
        }
        #expect(links.count == count)
        var gone: Set<Int> = []
        for i in stride(from: 0, to: count, by: 7) {
            links.removeItems(object(i / 2), column: i % 2)
            gone.insert(i)
        }
        for i in stride(from: 4, to: count / 2, by: 1001) {
            links.removeItems(object(i))
            gone.formUnion([2 * i, 2 * i + 1])
        }
        links.removeItems(object(count))
        var seen: [Int] = []
        try links.visit { (item, stored) throws(RealmError) in
            let i = item.place.record
            seen.append(i)
            #expect(item.object == object(i / 2) && item.column == i % 2)
            #expect(item.place.line == i + 1)
            #expect(describe(stored) == describe(value(i, arena)))
        }
        #expect(seen == (0..<count).filter { !gone.contains($0) })
    }

    @Test func linksAddedDuringAVisitAreVisited() throws {
        let arena = ScratchArena()
        let place = RecordLocation(record: 0, position: TextPosition())
        try links.add(object(0), column: 0, value(0, arena), place)
        var count = 0
        try links.visit { (item, _) throws(RealmError) in
            count += 1
            guard count < 30_000 else { return }
            try links.add(object(count), column: 0, value(count, arena), place)
        }
        #expect(count == 30_000)
    }

    private func describe(_ value: StagedValue) -> String {
        switch value {
        case .value(let value): return describe(value)
        case .reference(let reference):
            switch reference.name {
            case .objectKey(let key): return "#\(reference.table.raw)/\(key.raw)"
            case .primaryKey(let key): return "@\(reference.table.raw)/\(describe(key))"
            }
        case .list(let elements): return "[\(elements.map(describe).joined(separator: ","))]"
        case .dictionary(let entries):
            let texts = entries.map { "\(describe($0.key)):\(describe($0.value))" }
            return "{\(texts.joined(separator: ","))}"
        case .object(let object):
            let texts = object.fields.map { "\($0.column)=\(describe($0.value))" }
            return "<\(object.table.raw) \(texts.joined(separator: ","))>"
        }
    }

    private func describe(_ value: Value) -> String {
        guard case .string(let text) = value else { return "\(value)" }
        return text.string
    }
}
