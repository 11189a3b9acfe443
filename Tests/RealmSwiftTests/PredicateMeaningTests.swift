import Foundation
import RealmSwift
import Testing

/// Differences between the meaning of `NSPredicate` and the query language.
@Suite struct PredicateMeaningTests {
    private let lab: RealmLab
    private let realm: Realm
    private let shelves: Results<Shelf>

    /// Creates three shelves. The ranks of their items are 1 and 9, 4, and none.
    init() throws {
        (lab, realm) = try Shelf.lab(ranks: [[1, 9], [4], []])
        shelves = realm.objects(Shelf.self)
    }

    private func ids(_ format: String, _ arguments: Any...) -> [Int] {
        shelves.filter(NSPredicate(format: format, argumentArray: arguments)).map(\.id)
    }

    // MARK: BETWEEN

    @Test(arguments: [
        "items.rank", "itemSet.rank", "itemMap.rank", "ints", "intSet", "intMap",
        "intMap.@allValues", "items.scores", "doubles", "items.price",
    ])
    func betweenNeedsOneElementInsideTheRange(_ path: String) {
        #expect(ids("ANY \(path) BETWEEN {3, 5}") == [1])
        #expect(ids("SOME \(path) BETWEEN %@", [3, 5]) == [1])
        #expect(ids("NONE \(path) BETWEEN {3, 5}") == [0, 2])
        #expect(ids("NOT ANY \(path) BETWEEN {3, 5}") == [0, 2])
        #expect(ids("NOT NONE \(path) BETWEEN {3, 5}") == [1])
        #expect(ids("ANY \(path) BETWEEN {1, 9}") == [0, 1])
        #expect(ids("ANY \(path) BETWEEN {9, 1}") == [])
        #expect(ids("ANY \(path) BETWEEN {3, 5} AND id > 0") == [1])
    }

    @Test func containsNeedsOneElementInsideTheRange() {
        #expect(shelves.where { $0.items.rank.contains(3...5) }.map(\.id) == [1])
        #expect(shelves.where { !$0.items.rank.contains(3...5) }.map(\.id) == [0, 2])
        #expect(shelves.where { $0.items.price.contains(3.0...5.0) }.map(\.id) == [1])
        #expect(shelves.where { $0.best.rank.contains(3...5) }.map(\.id) == [1])
        let times = Date(timeIntervalSince1970: 3)...Date(timeIntervalSince1970: 5)
        #expect(shelves.where { $0.items.made.contains(times) }.map(\.id) == [1])
        // A collection of values is in a range if all its elements are (API specification 2.15).
        #expect(shelves.where { $0.ints.contains(1...9) }.map(\.id) == [0, 1])
        #expect(shelves.where { $0.ints.contains(3...5) }.map(\.id) == [1])
    }

    @Test func betweenAppliesThroughBacklinksAndSubqueries() {
        let items = realm.objects(Item.self)
        func ranks(_ format: String) -> [Int] { items.filter(format).map(\.rank) }
        #expect(ranks("ANY shelves.id BETWEEN {1, 5}") == [4])
        #expect(ranks("ANY shelves.items.rank BETWEEN {3, 5}") == [4])
        #expect(ids("SUBQUERY(items, $x, ANY $x.scores BETWEEN {3, 5}).@count > 0") == [1])
    }

    /// The key paths lead through two collections of links (`shelves.items`). There are enough
    /// objects for the engine to evaluate the condition with its index of sets of objects.
    @Test func betweenAppliesToManyObjects() throws {
        try realm.write {
            for id in 10..<600 {
                let shelf = realm.create(Shelf.self, value: ["id": id])
                for rank in [0, id] {
                    shelf.items.append(
                        realm.create(Item.self, value: ["rank": rank, "price": Double(rank)]))
                }
            }
        }
        #expect(ids("ANY items.rank BETWEEN {100, 103}") == [100, 101, 102, 103])
        #expect(ids("ANY items.price BETWEEN {100, 103}") == [100, 101, 102, 103])
        #expect(ids("NONE items.rank BETWEEN {1, 598}") == [2, 599])
        #expect(ids("ANY items.shelves.items.rank BETWEEN {100, 101}") == [100, 101])
        try lab.check()
    }

    // MARK: ANY, ALL, NONE

    @Test func noneNegatesAny() {
        // Shelf 0 has two items: one with a score above 5, and one without.
        #expect(ids("ANY items.scores > 5") == [0])
        #expect(ids("NONE items.scores > 5") == [1, 2])
        #expect(ids("NONE items.scores > 5") == ids("NOT ANY items.scores > 5"))
    }

    @Test func anyIsImplied() {
        #expect(ids("ints IN {4, 7}") == [1])
        #expect(ids("ANY ints IN %@", [4, 7]) == [1])
        #expect(ids("ANY ints IN %@", [Int]()) == [])
        #expect(ids("NOT ANY ints IN %@", [Int]()) == [0, 1, 2])
    }

    // MARK: Operands, types, texts

    @Test func constantsMayBeOnTheLeft() throws {
        try realm.write { shelves[1].name = "b" }
        #expect(ids("'c' > name") == ids("name < 'c'"))
        #expect(ids("4 IN ints") == [1])
        #expect(ids("2 <= best.rank") == [0, 1])
    }

    @Test func numbersInListsConvertToTheType() throws {
        try realm.write {
            shelves[0].weight = 1
            shelves[1].weight = 2.5
            shelves[0].small = 1
        }
        let numbers: [NSNumber] = [1, 2.5]
        #expect(ids("weight IN %@", numbers) == [0, 1])
        #expect(ids("weight IN {1, 2.5}") == [0, 1])
        #expect(ids("small IN {1}") == [0])
    }

    @Test func listsAreCaseSensitiveUnlessModified() throws {
        try realm.write {
            shelves[0].name = "Ada"
            shelves[0].words.append("Bob")
        }
        #expect(ids("name IN {'ada'}") == [])
        #expect(ids("name IN[c] {'ada', 'x'}") == [0])
        #expect(ids("ANY words IN[c] {'bob'}") == [0])
    }

    @Test func anEmptyTextIsContainedInNoText() throws {
        try realm.write {
            for shelf in shelves {
                shelf.name = "abc"
                shelf.words.append("abc")
            }
            shelves[0].other = "b"
            shelves[1].other = ""
        }
        for word in ["BEGINSWITH", "ENDSWITH", "CONTAINS", "CONTAINS[c]", "CONTAINS[d]"] {
            #expect(ids("name \(word) ''") == [])
            #expect(ids("name \(word) %@", NSNull()) == [])
            #expect(ids("ANY words \(word) ''") == [])
            #expect(ids("NOT name \(word) ''") == [0, 1, 2])
        }
        #expect(ids("name CONTAINS other") == [0])
        #expect(shelves.where { $0.name.contains("") }.isEmpty)
        #expect(ids("name LIKE '*'") == [0, 1, 2])
    }

    @Test func textConditionsMatchMixedTextsAndBytes() throws {
        try realm.write {
            shelves[0].any = .string("abc")
            shelves[1].any = .data(Data("abc".utf8))
            shelves[2].any = .int(3)
            shelves[0].anything.append(.data(Data("abc".utf8)))
        }
        #expect(ids("#any == 'abc'") == [0, 1])
        #expect(ids("#any != 'abc'") == [2])
        #expect(ids("#any BEGINSWITH 'ab'") == [0, 1])
        #expect(ids("#any ==[c] 'ABC'") == [0, 1])
        #expect(ids("#any IN {'abc', 3}") == [0, 1, 2])
        #expect(ids("#any CONTAINS %@", Data("bc".utf8)) == [0, 1])
        #expect(ids("#any == %@", Data("abc".utf8)) == [1])
        #expect(ids("ANY anything == 'abc'") == [0])
    }

    @Test func emptyCompoundsAreTrueOrFalse() {
        #expect(shelves.filter(NSCompoundPredicate(andPredicateWithSubpredicates: [])).count == 3)
        #expect(shelves.filter(NSCompoundPredicate(orPredicateWithSubpredicates: [])).isEmpty)
    }
}
