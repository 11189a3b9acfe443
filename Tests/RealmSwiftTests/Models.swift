import Foundation
import RealmSwift

enum Mood: String, PersistableEnum { case calm, wild }

final class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = "Rex"
    @Persisted var age: Int?
    @Persisted var weight: Double
    @Persisted var born: Date?
    @Persisted var photo: Data
    @Persisted var mood: Mood
    @Persisted var tags: List<String>
    @Persisted var friends: List<Dog>
    @Persisted var owner: Owner?
    @Persisted var collar: Collar?
    @Persisted var chip: UUID?
    @Persisted var price: Decimal128
}

final class Owner: Object {
    @Persisted var _id: ObjectId
    @Persisted var name: String
    @Persisted(originProperty: "owner") var dogs: LinkingObjects<Dog>
}

final class Collar: EmbeddedObject {
    @Persisted var color: String
    @Persisted var length: Float
}

final class Things: Object {
    @Persisted var any: AnyRealmValue
    @Persisted var anything: List<AnyRealmValue>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var names: Map<String, String?>
    @Persisted var dogs: Map<String, Dog?>
    @Persisted var set: MutableSet<Dog>
    @Persisted var collars: List<Collar>
}
