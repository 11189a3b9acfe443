import Foundation
import RealmSwift

final class Shelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var items: List<Item>
    @Persisted var itemSet: MutableSet<Item>
    @Persisted var itemMap: Map<String, Item?>
    @Persisted var best: Item?
    @Persisted var ints: List<Int>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var intMap: Map<String, Int>
    @Persisted var doubles: List<Double>
    @Persisted var words: List<String>
    @Persisted var any: AnyRealmValue
    @Persisted var anything: List<AnyRealmValue>
    @Persisted var name: String?
    @Persisted var other: String?
    @Persisted var weight: Double
    @Persisted var small: Float
}

final class Item: Object {
    @Persisted var rank: Int
    @Persisted var price: Double
    @Persisted var made: Date?
    @Persisted var scores: List<Int>
    @Persisted var inner: List<Item>
    @Persisted(originProperty: "items") var shelves: LinkingObjects<Shelf>
}

extension Shelf {
    /// Creates a realm with a shelf for each list of ranks. The shelf has an item for each rank,
    /// and the ranks as numbers in its other collections.
    static func lab(ranks: [[Int]]) throws -> (RealmLab, Realm) {
        let lab = try RealmLab([Shelf.self, Item.self])
        let realm = try lab.open()
        try realm.write {
            for (id, ranks) in ranks.enumerated() {
                let shelf = realm.create(Shelf.self, value: ["id": id])
                for rank in ranks {
                    let item = realm.create(
                        Item.self,
                        value: [
                            "rank": rank, "price": Double(rank) + 0.5,
                            "made": Date(timeIntervalSince1970: Double(rank)), "scores": [rank],
                        ] as [String: Any])
                    shelf.items.append(item)
                    shelf.itemSet.insert(item)
                    shelf.itemMap["\(rank)"] = item
                    shelf.best = item
                    shelf.intMap["\(rank)"] = rank
                }
                shelf.ints.append(objectsIn: ranks)
                shelf.intSet.insert(objectsIn: ranks)
                shelf.doubles.append(objectsIn: ranks.map(Double.init))
            }
        }
        return (lab, realm)
    }
}
