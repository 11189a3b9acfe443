import Foundation
import RealmSwift
import Testing

final class OddNames: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: Int
    @Persisted var null: Int
    @Persisted var obj: Int
    @Persisted var nan: Int
    @Persisted var not: Int
    @Persisted var first: Int
    @Persisted var `true`: Bool
    @Persisted var next: OddNames?
    @Persisted var all: List<OddNames>
    @Persisted var none: List<Int>
}

/// Properties whose names are words of the query language or of predicates.
@Suite struct PropertyNameTests {
    private let lab: RealmLab
    private let objects: Results<OddNames>

    /// Creates three objects with the `id` 0 to 2, in which every number is 7, 8 or 9.
    init() throws {
        lab = try RealmLab([OddNames.self])
        let realm = try lab.open()
        objects = realm.objects(OddNames.self)
        try realm.write {
            var last: OddNames?
            for id in 0..<3 {
                let object = realm.create(OddNames.self, value: ["id": id])
                (object.any, object.null, object.obj) = (7 + id, 7 + id, 7 + id)
                (object.nan, object.not, object.first) = (7 + id, 7 + id, 7 + id)
                object.true = id == 1
                object.next = last
                object.none.append(7 + id)
                if let last { object.all.append(last) }
                last = object
            }
        }
    }

    private func ids(_ results: Results<OddNames>) -> [Int] { results.map(\.id) }

    @Test func closuresAcceptReservedNames() throws {
        #expect(ids(objects.where { $0.obj == 7 }) == [0])
        #expect(ids(objects.where { $0.any == 8 && $0.null == 8 }) == [1])
        #expect(ids(objects.where { $0.nan > 7 && $0.not < 9 && $0.first == 8 }) == [1])
        #expect(ids(objects.where { $0.true }) == [1])
        #expect(ids(objects.where { !$0.true }) == [0, 2])
        #expect(ids(objects.where { $0.next.obj == 7 }) == [1])
        #expect(ids(objects.where { $0.next.any.in([7, 8]) }) == [1, 2])
        #expect(ids(objects.where { $0.all.any == 7 }) == [1])
        #expect(ids(objects.where { $0.all.count == 0 }) == [0])
        #expect(ids(objects.where { $0.none.contains(9) }) == [2])
        #expect(ids(objects.where { $0.none.sum == 8 }) == [1])
        #expect(ids(objects.where { ($0.all.obj == 8).count > 0 }) == [2])
        try lab.check()
    }

    @Test func predicatesAcceptReservedNames() {
        #expect(ids(objects.filter("obj == 7")) == [0])
        #expect(ids(objects.filter("#obj == 7 AND #any == 7 && #null == 7")) == [0])
        #expect(ids(objects.filter("next.any == 7 OR next.#null == 8")) == [1, 2])
        #expect(ids(objects.filter("ANY next.all.obj == 7")) == [2])
        #expect(ids(objects.filter("ANY #all.obj == 7")) == [1])
        for name in ["any", "null", "obj", "nan", "not", "first"] {
            #expect(ids(objects.filter("%K == 7", name)) == [0], "\(name)")
            #expect(ids(objects.filter("%K == 7", "next." + name)) == [1], "\(name)")
            #expect(ids(objects.filter("next.%K IN {8}", name)) == [2], "\(name)")
            #expect(ids(objects.filter("#\(name) BETWEEN {8, 9}")) == [1, 2], "\(name)")
        }
        #expect(ids(objects.filter("%@ IN %K", 9, "none")) == [2])
    }

    @Test func sortingAcceptsReservedNames() {
        for name in ["any", "null", "obj", "nan", "not"] {
            #expect(ids(objects.sorted(byKeyPath: name, ascending: false)) == [2, 1, 0], "\(name)")
            #expect(ids(objects.distinct(by: [name])).count == 3, "\(name)")
            #expect(objects.sum(ofProperty: name) == 24, "\(name)")
        }
        #expect(ids(objects.sorted(by: \.obj, ascending: false)) == [2, 1, 0])
        #expect(ids(objects.sorted(byKeyPath: "next.obj", ascending: false)).count == 3)
    }
}
