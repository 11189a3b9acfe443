import Dispatch
import Foundation
import RealmSwift
import Testing

/// Observers of sorted values of a collection, and of values without duplicates.
@Suite struct ArrangedValueTests {
    @Test func changesHaveIndexesOfTheSortedResults() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let (dog, things) = try realm.write {
            (
                realm.create(Dog.self, value: ["id": 1, "tags": ["b", "a", "b"]]),
                realm.create(Things.self, value: ["names": ["x": "n", "y": "m"]])
            )
        }
        let (news, configuration) = (News(), lab.configuration)
        let queue = DispatchQueue(label: "observer")
        let held = queue.sync { () -> News.Tokens in
            let realm = try! Realm(configuration: configuration, queue: queue)
            let (tags, names) = (
                realm.objects(Dog.self)[0].tags, realm.objects(Things.self)[0].names
            )
            return News.Tokens([
                realm, news.token(tags.sorted(ascending: true), "sorted"),
                news.token(tags.distinct(), "distinct"),
                news.token(AnyRealmCollection(tags.sorted(ascending: false)), "any"),
                news.token(names.sorted(ascending: true), "names"),
                news.token(realm.objects(Owner.self), "end"),
            ])
        }
        news.wait { $0.filter { $0.hasSuffix("initial") }.count == 5 }
        func notes(_ body: () -> Void) throws -> Set<String> {
            let before = news.all.count
            try realm.write(body)
            let owners = realm.objects(Owner.self).count
            try realm.write { realm.add(Owner()) }
            news.wait { $0.contains { $0.hasPrefix("end -[] +[\(owners)]") } }
            return Set(news.all[before...].filter { !$0.hasPrefix("end") })
        }
        #expect(
            try notes {
                dog.tags.append("0")
                things.names["y"] = "o"
            } == [
                "sorted -[] +[0] *[]", "distinct -[] +[2] *[]", "any -[] +[3] *[]",
                "names -[0] +[1] *[]",
            ])
        #expect(
            try notes {
                realm.delete(dog)
                realm.delete(things)
            } == [
                "sorted -[0, 1, 2, 3] +[] *[]", "distinct -[0, 1, 2] +[] *[]",
                "any -[0, 1, 2, 3] +[] *[]", "names -[0, 1] +[] *[]",
            ])
        queue.sync { withExtendedLifetime(held) {} }
        try lab.check()
    }
}
