import Foundation
import RealmSwift
import Testing

/// Elements of lists and sets are read by position, in order and in aggregates, over several
/// leaves.
@Suite struct ElementReadingTests {
    final class Box: Object {
        @Persisted var numbers: List<Int>
        @Persisted var small: List<Int8>
        @Persisted var optional: List<Int?>
        @Persisted var doubles: List<Double>
        @Persisted var texts: List<String>
        @Persisted var members: MutableSet<Int>
        @Persisted var others: MutableSet<Int>
    }

    private let lab: RealmLab
    private let realm: Realm
    private let box: Box
    private let count = 2500

    init() throws {
        lab = try RealmLab([Box.self])
        realm = try lab.open()
        box = Box()
        try realm.write { [realm, box, count] in
            realm.add(box)
            for i in 0..<count {
                box.numbers.append((i * 7919) % 100_003 - 50_000)
                box.small.append(Int8(truncatingIfNeeded: i))
                box.optional.append(i % 3 == 0 ? nil : i)
                box.doubles.append(Double(i) / 4)
                box.texts.append("text \(i)")
                box.members.insert(i * 2)
            }
        }
    }

    private var numbers: [Int] { (0..<count).map { ($0 * 7919) % 100_003 - 50_000 } }

    @Test func aggregatesCoverAllElements() throws {
        #expect(box.numbers.sum() == numbers.reduce(0, +))
        #expect(box.numbers.min() == numbers.min())
        #expect(box.numbers.max() == numbers.max())
        #expect(box.numbers.average() == Double(numbers.reduce(0, +)) / Double(count))
        #expect(box.small.min() == Int8.min)
        #expect(box.optional.max() == (0..<count).last { $0 % 3 != 0 })
        #expect(box.doubles.sum() == Double(count * (count - 1) / 2) / 4)
        #expect(box.members.sum() == count * (count - 1))
    }

    @Test func elementsAreFoundAndReadByPosition() throws {
        let all = numbers
        #expect(box.numbers.index(of: all[1800]) == all.firstIndex(of: all[1800]))
        #expect(box.numbers.index(of: 77_777) == nil)
        #expect(box.small.index(of: -1) == 255)
        #expect(box.optional.index(of: nil) == 0)
        #expect(box.optional.index(of: 2000) == 2000)
        #expect(box.texts.index(of: "text 1999") == 1999)
        #expect(box.doubles.index(of: -1) == nil)
        for i in stride(from: 0, to: count, by: 13) {
            #expect(box.numbers[i] == all[i])
            #expect(box.numbers[count - 1 - i] == all[count - 1 - i])
            #expect(box.texts[i] == "text \(i)")
            #expect(box.members[i] == i * 2)
        }
    }

    @Test func changesAreReadImmediately() throws {
        let list = box.numbers
        #expect(list[0] == -50_000)
        try realm.write {
            #expect(list[1] == numbers[1])
            list[1] = 7
            #expect(list[1] == 7)
            list.insert(8, at: 0)
            #expect(list[0] == 8)
            #expect(list[2] == 7)
            #expect(list.count == count + 1)
            list.removeAll()
            #expect(list.count == 0)
            list.append(9)
            #expect(list[0] == 9)
            #expect(list.sum() == 9)
        }
        #expect(list[0] == 9)
        try realm.write { list[0] = 10 }
        #expect(list[0] == 10)
        realm.beginWrite()
        list[0] = 11
        #expect(list[0] == 11)
        realm.cancelWrite()
        #expect(list[0] == 10)
        try lab.check()
    }

    /// An iteration covers the elements that the list had when it began.
    @Test func iterationCoversTheListAsItBegan() throws {
        var seen: [Int] = []
        for number in box.numbers {
            if seen.count == 10 { try realm.write { box.numbers.removeAll() } }
            seen.append(number)
        }
        #expect(seen == numbers)
        #expect(Array(box.numbers) == [])
        try realm.write {
            box.numbers.append(objectsIn: [1, 2, 3])
            var met: [Int] = []
            for number in box.numbers {
                box.numbers.removeAll()
                met.append(number)
            }
            #expect(met == [1, 2, 3])
        }
        #expect(Array(box.optional.prefix(4)) == [nil, 1, 2, nil])
        #expect(Array(box.small) == (0..<count).map { Int8(truncatingIfNeeded: $0) })
        #expect(Array(box.texts) == (0..<count).map { "text \($0)" })
        #expect(Array(box.members) == (0..<count).map { $0 * 2 })
        #expect(Array(box.numbers.freeze()) == [])
        #expect(Array(box.doubles.freeze()).count == count)
    }

    @Test func setsOfOneRealmFollowSetAlgebra() throws {
        try realm.write {
            box.others.insert(objectsIn: [0, 2, 4, 5])
            #expect(!box.others.isSubset(of: box.members))
            #expect(box.others.intersects(box.members))
            box.others.formIntersection(box.members)
            #expect(Array(box.others) == [0, 2, 4])
            #expect(box.others.isSubset(of: box.members))
            box.others.formUnion(box.members)
            #expect(box.others.count == count)
            box.others.subtract(box.members)
            #expect(box.others.count == 0)
        }
        try lab.check()
    }
}
