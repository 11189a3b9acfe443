import RealmEngine
import ToolKit

/// One made-up person. The texts are valid until the next person is made.
struct Person {
    var id: Int64 = 0
    var name = ByteView.empty
    var email = ByteView.empty
    var city = ByteView.empty
    /// Random bytes of the size asked for; nil for none.
    var photo: ByteView?
    var age: Int64 = 0
    var score = 0.0
    var isActive = false
    var created = Timestamp(seconds: 0, nanoseconds: 0)
    /// Null in one of four.
    var visits: Int64?
    /// Position of a dog; null in one of ten.
    var best: Int?
    /// In one of eight, the one dog of the list.
    var dog: Int?

    /// Bytes of the values themselves: what one would have to write if writing cost nothing.
    var logicalSize: Int {
        let texts = name.count + email.count + city.count + (photo?.count ?? 0)
        let numbers = 8 + 8 + 8 + 1 + 12 + (visits == nil ? 0 : 8)
        return texts + numbers + (best == nil ? 0 : 8) + (dog == nil ? 0 : 8)
    }
}

/// Makes people up: every property type and distribution that matters for speed, the same for the
/// same seed on every machine.
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
    /// Holds the texts of the present person; large enough never to move while it is filled.
    private var text: ByteBuffer
    private let photoSize: Int

    init(seed: UInt64, photoSize: Int) {
        random = SplitMix64(seed: seed)
        self.photoSize = photoSize
        text = ByteBuffer(capacity: 512 + photoSize)
    }

    /// The next person, with that primary key.
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
