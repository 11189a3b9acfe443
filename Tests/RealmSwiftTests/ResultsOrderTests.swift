import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// Results sorted or made distinct by key paths of the engine that the SDK does not accept, such as
/// paths through collections.
@Suite struct ResultsOrderTests {
    private let lab: RealmLab
    private let realm: Realm
    private let shelves: Results<Shelf>

    /// Creates four shelves. The ranks of their items are 1 and 9 (shelf 0), 4 (shelf 1), none
    /// (shelf 2), and 2, 3 and 4 (shelf 3). Shelves 1 and 3 share the item with rank 4.
    init() throws {
        (lab, realm) = try Shelf.lab(ranks: [[1, 9], [4], [], [2, 3]])
        try realm.write { [realm] in
            let shared = realm.objects(Item.self).where { $0.rank == 4 }[0]
            realm.object(ofType: Shelf.self, forPrimaryKey: 3)!.items.append(shared)
        }
        shelves = realm.objects(Shelf.self)
    }

    private func reason(_ body: () -> Void) -> String {
        RealmTesting.catchMisuse(body)?.reason ?? ""
    }

    @Test func resultsAreSortedByCounts() throws {
        #expect(shelves.sorted(byKeyPath: "items.@count").map(\.id) == [2, 1, 0, 3])
        #expect(
            shelves.sorted(byKeyPath: "items.@count", ascending: false).map(\.id) == [3, 0, 1, 2])
        for path in ["intMap.@count", "intSet.@count"] {
            #expect(shelves.sorted(byKeyPath: path).map(\.id) == [2, 1, 0, 3], "\(path)")
        }
        let both = [
            SortDescriptor(keyPath: "intSet.@count"), SortDescriptor(keyPath: "id").reversed(),
        ]
        #expect(shelves.sorted(by: both).map(\.id) == [2, 1, 3, 0])
        #expect(shelves.distinct(by: ["intSet.@count"]).map(\.id) == [0, 1, 2])
        try lab.check()
    }

    @Test func resultsAreSortedByAggregates() {
        #expect(shelves.sorted(byKeyPath: "items.@max.rank").map(\.id) == [2, 1, 3, 0])
        #expect(shelves.sorted(byKeyPath: "intSet.@sum").map(\.id) == [2, 1, 3, 0])
    }

    /// An object is sorted by the first of the objects that link to it.
    @Test func resultsAreSortedByIncomingLinks() throws {
        let items = realm.objects(Item.self)
        #expect(
            items.sorted(byKeyPath: "shelves.id", ascending: false).map(\.rank) == [2, 3, 4, 1, 9])
        #expect(items.sorted(byKeyPath: "shelves.@count").map(\.rank) == [1, 9, 2, 3, 4])
        #expect(
            shelves.sorted(byKeyPath: "best.shelves.@count", ascending: false).first?.id == 2)
        try realm.write { realm.create(Item.self, value: ["rank": 7]) }
        #expect(items.sorted(byKeyPath: "shelves.id").last?.rank == 7)
        try lab.check()
    }

    @Test func changesOfSortValuesReorderResults() throws {
        let sorted = shelves.sorted(byKeyPath: "items.@count")
        #expect(sorted.map(\.id) == [2, 1, 0, 3])
        let items = realm.objects(Item.self).sorted(byKeyPath: "shelves.@count")
        #expect(items.last?.rank == 4)
        try realm.write {
            shelves[3].items.removeAll()
            shelves[0].items.append(shelves[0].items[1])
        }
        #expect(sorted.map(\.id) == [2, 3, 1, 0])
        #expect(items.last?.rank == 9)
    }

    @Test func sortingByACollectionIsRefused() {
        #expect(
            reason { _ = shelves.sorted(byKeyPath: "items.rank") }
                == "Cannot sort on key path 'items.rank': property 'Shelf.items' is a collection.")
        #expect(reason { _ = shelves.sorted(byKeyPath: "items") }.contains("is a collection"))
        #expect(reason { _ = shelves.distinct(by: ["items.rank"]) }.contains("is a collection"))
        #expect(!reason { _ = shelves.sorted(byKeyPath: "id.@count") }.isEmpty)
        #expect(!reason { _ = shelves.sorted(byKeyPath: "items.@most") }.isEmpty)
    }

    @Test func predicatesAcceptClauses() {
        #expect(shelves.filter("id >= 1 LIMIT(2)").map(\.id) == [1, 2])
        #expect(shelves.filter("id >= %@ SORT(id DESC) LIMIT(2)", 1).map(\.id) == [3, 2])
        #expect(shelves.filter("TRUEPREDICATE LIMIT(3)").sorted(byKeyPath: "id").count == 3)
        #expect(
            reason { _ = shelves.filter("id >= 0 LIMIT(2)").filter("id > 1") }
                == "Filtering a Results with a limit is not supported")
    }
}
