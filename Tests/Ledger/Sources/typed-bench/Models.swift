import RealmSwift

/// A class with ten properties, a typical number.
final class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var email: String
    @Persisted var score: Double
    @Persisted var active: Bool
    @Persisted var city: String
    @Persisted var visits: Int?
    @Persisted var note: String?
    @Persisted var boss: Person?
}

final class Pair: Object {
    @Persisted var first: Int
    @Persisted var second: Int
}

/// An object with collections of integers.
final class Numbers: Object {
    @Persisted var list: List<Int>
    @Persisted var set: MutableSet<Int>
    @Persisted var other: MutableSet<Int>
    @Persisted var map: Map<String, Int>
}

final class Ticket: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var holder: String
}

/// An object with as many bytes as an accessor of `Pair`, to measure the cost of memory alone.
final class Bytes {
    var words = (0, 0, 0, 0, 0, 0, 0, 0, 0)

    init(_ first: Int) { words.0 = first }
}
