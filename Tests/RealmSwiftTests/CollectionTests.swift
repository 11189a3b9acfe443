import Foundation
import RealmSwift
import Testing

/// Lists, sets, maps and mixed values of unmanaged and of managed objects.
@Suite struct CollectionTests {
    private static let types: [ObjectBase.Type] = RealmTests.types + [Things.self]

    /// Runs `body`, then `check`: with an unmanaged object, with a managed one, and with an object
    /// that is added to the realm after `body`.
    private func everywhere(_ body: (Things) throws -> Void, _ check: (Things) throws -> Void)
        throws
    {
        let plain = Things()
        try body(plain)
        try check(plain)
        let lab = try RealmLab(Self.types)
        let realm = try lab.open()
        try realm.write { realm.add(plain) }
        try check(plain)
        let stored = Things()
        try realm.write {
            realm.add(stored)
            try body(stored)
        }
        try check(stored)
        try check(stored.freeze())
        #expect(stored.freeze().isFrozen)
        try lab.check()
    }

    @Test func listsBehaveTheSameInAndOutsideOfRealms() throws {
        try everywhere { things in
            let list = things.anything
            list.append(objectsIn: [.int(1), .string("a"), .none])
            list.insert(.double(0.5), at: 1)
            list.remove(at: 2)
            list.append(.bool(true))
            list.move(from: 0, to: 3)
            list.swapAt(0, 1)
            list[2] = .data(Data([7]))
        } _: { things in
            #expect(Array(things.anything) == [.none, .double(0.5), .data(Data([7])), .int(1)])
            #expect(things.anything.index(of: .int(1)) == 3)
        }
    }

    @Test func setsAndMapsBehaveTheSameInAndOutsideOfRealms() throws {
        try everywhere { things in
            things.numbers.insert(objectsIn: [3, 1, 3, 2])
            things.numbers.remove(1)
            things.names["a"] = "one"
            things.names["b"] = .some(nil)
            things.names["c"] = "three"
            things.names.removeObject(for: "c")
        } _: { things in
            #expect(Set(things.numbers) == [2, 3])
            #expect(things.numbers.contains(3) && !things.numbers.contains(1))
            #expect(things.names.count == 2 && things.names["a"] == "one")
            #expect(things.names["b"] == .some(nil) && things.names["c"] == nil)
            #expect(Set(things.names.keys) == ["a", "b"])
        }
    }

    @Test func objectsInCollectionsBehaveTheSameEverywhere() throws {
        try everywhere { things in
            let dog = Dog(value: ["id": Int.random(in: 1..<1 << 40), "name": "Rex"])
            things.any = .object(dog)
            things.dogs["rex"] = dog
            things.dogs["none"] = .some(nil)
            things.set.insert(dog)
            things.collars.append(Collar(value: ["color": "red", "length": 2 as Float]))
        } _: { things in
            #expect(things.any.object(Dog.self)?.name == "Rex")
            #expect(things.dogs["rex"]??.name == "Rex" && things.dogs["none"] == .some(nil))
            #expect(things.set.count == 1 && things.set[0].name == "Rex")
            #expect(things.collars[0].color == "red" && things.collars[0].length == 2)
        }
    }

    @Test func nestedCollectionsBehaveTheSameEverywhere() throws {
        try everywhere { things in
            things.any = .fromDictionary([
                "list": .fromArray([.int(1), .fromArray([.string("deep")])]), "flag": .bool(true),
            ])
        } _: { things in
            let map = try #require(things.any.dictionaryValue)
            #expect(map["flag"] == .bool(true))
            let list = try #require(map["list"]?.listValue)
            #expect(list[0] == .int(1) && list[1].listValue?[0] == .string("deep"))
        }
    }
}
