import Foundation
import RealmSwift

final class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

final class Dog: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}

/// Writes; nobody else uses its realm.
actor Kennel {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func adopt(_ name: String, by id: Int) async throws {
        try await realm.asyncWrite {
            realm.object(ofType: Person.self, forPrimaryKey: id)?.dogs
                .append(Dog(value: ["name": name, "age": 1]))
        }
    }
}

let file = FileManager.default.temporaryDirectory.appendingPathComponent("kennel.realm")
let configuration = Realm.Configuration(fileURL: file, objectTypes: [Person.self, Dog.self])
_ = try Realm.deleteFiles(for: configuration)

let realm = try Realm(configuration: configuration)
try realm.write {
    realm.create(Person.self, value: ["id": 1, "name": "Ann", "dogs": [["Rex", 12], ["Bo", 3]]])
}
let old = realm.objects(Dog.self).where { $0.age > 10 && $0.owners.name == "Ann" }
print("old dogs of Ann:", Array(old.map(\.name)))

let before = realm.objects(Dog.self).freeze()
try await Kennel(configuration).adopt("Ivy", by: 1)
await realm.asyncRefresh()
let after = realm.objects(Dog.self).sorted(byKeyPath: "name")
print("now:", Array(after.map(\.name)), "then:", Array(before.map(\.name)))
