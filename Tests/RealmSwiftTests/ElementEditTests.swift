import Foundation
import RealmSwift
import Testing

/// Reads and edits of elements in turn, over several transactions and through several accessors of
/// the same collection.
@Suite struct ElementEditTests {
    final class Box: Object {
        @Persisted var numbers: List<Int>
        @Persisted var optional: List<Int?>
        @Persisted var texts: List<String>
        @Persisted var map: Map<String, Int>
        @Persisted var count = 0
    }

    /// Expected content of a `Box`.
    private struct Content {
        var numbers: [Int] = []
        var optional: [Int?] = []
        var texts: [String] = []
        var map: [String: Int] = [:]
    }

    private let lab: RealmLab
    private let realm: Realm

    init() throws {
        lab = try RealmLab([Box.self])
        realm = try lab.open()
    }

    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func readsReturnEveryChange(_ seed: UInt64) throws {
        var random = Random(state: seed)
        let box = Box()
        try realm.write { realm.add(box) }
        let boxes = [box, try #require(realm.objects(Box.self).first)]
        let lists = boxes.map(\.numbers)
        var content = Content()
        for _ in 0..<12 {
            let before = content
            realm.beginWrite()
            for _ in 0..<400 {
                change(&content, boxes[Int.random(in: 0...1, using: &random)], lists, &random)
            }
            try check(content, boxes, lists)
            if Int.random(in: 0..<4, using: &random) == 0 {
                realm.cancelWrite()
                content = before
            } else {
                try realm.commitWrite()
            }
            try check(content, boxes, lists)
        }
    }

    private func change(
        _ content: inout Content, _ box: Box, _ lists: [List<Int>], _ random: inout Random
    ) {
        let number = Int.random(in: -70_000...70_000, using: &random)
        let list = lists[Int.random(in: 0...1, using: &random)]
        let action = Int.random(in: 0..<20, using: &random)
        switch action {
        case 0..<6:
            list.append(number)
            content.numbers.append(number)
        case 6..<11:
            guard let i = content.numbers.indices.randomElement(using: &random) else { return }
            #expect(list[i] == content.numbers[i])
            list[i] = number
            content.numbers[i] = number
            #expect(list[i] == number)
            let other = content.numbers.indices.randomElement(using: &random)!
            #expect(list[other] == content.numbers[other])
        case 11:
            guard let i = content.numbers.indices.randomElement(using: &random) else { return }
            list.remove(at: i)
            content.numbers.remove(at: i)
            #expect(list.count == content.numbers.count)
        case 12:
            let i = Int.random(in: 0...content.numbers.count, using: &random)
            list.insert(number, at: i)
            content.numbers.insert(number, at: i)
            #expect(list[i] == number)
        case 13:
            box.count = number
        case 14:
            let value = number % 3 == 0 ? nil : number
            box.optional.append(value)
            content.optional.append(value)
            #expect(box.optional[content.optional.count - 1] == value)
        case 15:
            let text = String(repeating: "t", count: abs(number) % 300)
            box.texts.append(text)
            content.texts.append(text)
            let i = content.texts.indices.randomElement(using: &random)!
            #expect(box.texts[i] == content.texts[i])
            box.texts[i] = "\(number)"
            content.texts[i] = "\(number)"
        default:
            let key = "key \(abs(number) % 300)"
            #expect(box.map[key] == content.map[key])
            if action == 16 {
                box.map[key] = nil
                content.map[key] = nil
            } else {
                box.map[key] = number
                content.map[key] = number
            }
            #expect(box.map[key] == content.map[key])
        }
    }

    private func check(_ content: Content, _ boxes: [Box], _ lists: [List<Int>]) throws {
        for (box, list) in zip(boxes, lists) {
            #expect(Array(list) == content.numbers)
            #expect(content.numbers.indices.allSatisfy { list[$0] == content.numbers[$0] })
            #expect(list.count == content.numbers.count)
            #expect(Array(box.optional) == content.optional)
            #expect(Array(box.texts) == content.texts)
            #expect(box.map.count == content.map.count)
            #expect(content.map.allSatisfy { box.map[$0.key] == $0.value })
        }
    }

    /// An accessor of a list can be used in later transactions, and shows changes made through
    /// another accessor. Changing a deleted list traps.
    @Test func collectionAccessorsOutlastTransactions() throws {
        let box = Box()
        try realm.write { realm.add(box) }
        let list = box.numbers
        try realm.write { list.append(1) }
        try realm.write {
            list.append(2)
            list[0] = 3
        }
        #expect(Array(list) == [3, 2])
        let other = try lab.open()
        try other.write { other.objects(Box.self).first!.numbers.append(4) }
        realm.refresh()
        try realm.write {
            #expect(list[2] == 4)
            list[2] = 5
            realm.delete(box)
        }
        #expect(list.isInvalidated)
    }
}
