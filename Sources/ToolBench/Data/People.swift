import RealmEngine
import ToolKit

/// A generated person. Its texts are valid until the next person is generated.
struct Person {
    var id: Int64 = 0
    var name = ByteView.empty
    var email = ByteView.empty
    var city = ByteView.empty
    /// Random bytes of the requested size; nil for size 0.
    var photo: ByteView?
    var age: Int64 = 0
    var score = 0.0
    var isActive = false
    var created = Timestamp(seconds: 0, nanoseconds: 0)
    /// Number of visits; nil for one of four persons.
    var visits: Int64?
    /// Position of the dog to which `best` links; nil for one of ten persons.
    var best: Int?
    /// Position of the only dog in the list `dogs`, for one of eight persons; nil for an empty
    /// list.
    var dog: Int?

    /// Size of the values in bytes, without any overhead of storage.
    var logicalSize: Int {
        let texts = name.count + email.count + city.count + (photo?.count ?? 0)
        let numbers = 8 + 8 + 8 + 1 + 12 + (visits == nil ? 0 : 8)
        return texts + numbers + (best == nil ? 0 : 8) + (dog == nil ? 0 : 8)
    }
}

/// Generates persons. They have all property types, and the distributions of values that affect
/// speed. The result depends only on the seed.
struct PeopleSource: ~Copyable {
    static let dogs = 1000

    private static let firsts = [
        "Ada", "Alan", "Grace", "Edsger", "Barbara", "Donald", "Leslie", "Tony", "Frances", "John",
        "Ken", "Dennis", "Radia", "Margaret", "Niklaus", "Robin",
    ]
    private static let lasts = [
        "Lovelace", "Turing", "Hopper", "Dijkstra", "Liskov", "Knuth", "Lamport", "Hoare", "Allen",
        "Backus", "Thompson", "Ritchie", "Perlman", "Hamilton", "Wirth", "Milner",
    ]
    private static let cities = [
        "Amsterdam", "Berlin", "Copenhagen", "Dublin", "Edinburgh", "Florence", "Geneva",
        "Helsinki", "Istanbul", "Jakarta",
    ]

    private var random: SplitMix64
    /// Texts of the current person. Its capacity suffices for all texts, so that it is never
    /// reallocated while it is filled.
    private var text: ByteBuffer
    private let photoSize: Int

    init(seed: UInt64, photoSize: Int) {
        random = SplitMix64(seed: seed)
        self.photoSize = photoSize
        text = ByteBuffer(capacity: 512 + photoSize)
    }

    /// Generates the next person, with the given primary key.
    @_optimize(speed)
    mutating func next(id: Int64) -> Person {
        text.removeAll()
        let first = Self.firsts[random.below(16)]
        let last = Self.lasts[random.below(16)]
        text.append(first)
        text.append(" ")
        text.append(last)
        let nameEnd = text.count
        text.append(first)
        text.append(".")
        text.append(last)
        text.append(number: id)
        text.append("@example.org")
        let emailEnd = text.count
        text.append(Self.cities[random.below(10)])
        let cityEnd = text.count
        appendPhoto()
        var person = Person()
        person.id = id
        person.name = view(0..<nameEnd)
        person.email = view(nameEnd..<emailEnd)
        person.city = view(emailEnd..<cityEnd)
        if photoSize > 0 { person.photo = view(cityEnd..<text.count) }
        fillNumbers(&person)
        return person
    }

    private mutating func fillNumbers(_ person: inout Person) {
        person.age = Int64(random.below(100))
        person.score = Double(random.below(100_000)) / 100
        person.isActive = random.below(2) == 1
        person.created = Timestamp(
            seconds: 1_600_000_000 + Int64(random.below(100_000_000)), nanoseconds: 0)
        if random.below(4) != 0 { person.visits = Int64(random.below(1_000_000)) }
        let best = random.below(Self.dogs)
        if best < Self.dogs * 9 / 10 { person.best = best }
        if random.below(8) == 0 { person.dog = random.below(Self.dogs) }
    }

    private mutating func appendPhoto() {
        var left = photoSize
        while left > 0 {
            let size = min(8, left)
            text.reserve(8).storeBytes(of: random.next().littleEndian, as: UInt64.self)
            text.advance(by: size)
            left -= size
        }
    }

    private func view(_ range: Range<Int>) -> ByteView {
        ByteView(text.bytes.baseAddress! + range.lowerBound, count: range.count)
    }
}
