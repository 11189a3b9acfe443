@testable import RealmEngine

/// Random values with many edge cases of every encoding.
final class RandomValues {
    var random: SeededRandom
    /// Usual limit of a collection's elements.
    var elements = 12
    /// Usual limit of the length of strings and binaries, in bytes.
    var longest = 220

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func below(_ n: Int) -> Int { n <= 1 ? 0 : Int(random.next() % UInt64(n)) }
    func chance(_ percent: Int) -> Bool { below(100) < percent }
    func pick<T>(_ all: [T]) -> T { all[below(all.count)] }

    private static let integers: [Int64] = [
        0, 1, -1, 2, 3, 4, 7, 8, 14, 15, 16, 126, 127, 128, -127, -128, -129, 255, 256, 32766,
        32767, 32768, -32768, -32769, 65535, 65536, 0x7FFF_FFFE, 0x7FFF_FFFF, 0x8000_0000,
        -0x8000_0000, -0x8000_0001, .max, .min, .max - 1,
    ]

    func integer() -> Int64 {
        if chance(50) { return pick(Self.integers) }
        return Int64(bitPattern: random.next()) >> Int64(below(64))
    }

    private static let lengths = [
        0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 14, 15, 16, 17, 31, 32, 61, 62, 63, 64, 65, 100, 199,
        200, 203, 204, 205, 230, 400,
    ]

    func bytes() -> [UInt8] {
        var count = min(pick(Self.lengths), longest)
        if below(300) == 0 { count = pick([1000, 3000, 9000]) }
        switch below(4) {
        case 0: return [UInt8](repeating: UInt8(ascii: "a"), count: count)
        case 1:
            var bytes = [UInt8](repeating: UInt8(ascii: "b"), count: count)
            if count > 0 { bytes[count - 1] = UInt8(below(256)) }
            return bytes
        default:
            var state = random.next()
            return (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            }
        }
    }

    /// Returns well-formed text, with repeated words and Latin-1 letters.
    func text() -> [UInt8] {
        if chance(30) {
            let words = ["hello", "World", "été", "STRASSE", "a1", "x", "Ærø", "the", "of"]
            return Array(
                (0..<below(6)).map { _ in pick(words) }.joined(separator: " ").utf8)
        }
        var bytes = self.bytes().map { $0 & 0x7F }
        if bytes.count > 3, chance(20) { bytes.replaceSubrange(0..<2, with: [0xC3, 0x86]) }
        return bytes
    }

    func key() -> [UInt8] {
        if chance(70) { return Array("k\(below(40))".utf8) }
        var key = text().prefix(70).map { $0 == UInt8(ascii: ".") ? UInt8(ascii: "_") : $0 }
        // Truncation may have split a character.
        while let last = key.last, last & 0xC0 == 0x80 || last >= 0xC0 { key.removeLast() }
        if key.first == UInt8(ascii: "$") { key[0] = UInt8(ascii: "S") }
        return key
    }

    private static let doubles: [Double] = [
        0, -0.0, 1, -1, 1.5, -2.25, 1e300, -1e300, .leastNonzeroMagnitude, 123_456_789, 0.1,
        .infinity,
        -.infinity, .nan,
    ]

    func double() -> Double {
        if chance(60) { return pick(Self.doubles) }
        return Double(integer()) / Double(1 + below(1000))
    }

    private static let decimals: [Decimal128] =
        [
            .zero, .nan, .infinity, -.zero, Decimal128(high: 0x3040 << 48, low: 1),
            Decimal128(high: 0xB040 << 48, low: 1), Decimal128(high: 0x303E << 48, low: 15),
            Decimal128(high: 0x3040 << 48, low: 8_388_607),
            Decimal128(high: 0x3040 << 48, low: 8_388_608),
            Decimal128(high: 0x3040 << 48, low: 9_007_199_254_740_991),
            Decimal128(high: 0x3040 << 48, low: 9_007_199_254_740_992),
        ]
        + [90, 91, -90, -91, 369, 370, -369, -370, 6111, -6176].map {
            Decimal128(isNegative: false, coefficient: 1, exponent: $0)
        }

    func decimal() -> Decimal128 {
        if chance(70) { return pick(Self.decimals) }
        return Decimal128(
            isNegative: chance(50), coefficient: UInt128(random.next() >> UInt64(below(64))),
            exponent: below(9) - 4)
    }

    private static let seconds: [Int64] = [
        0, 1, 5, 127, 128, 1_700_000_000, 4_102_444_800, .max, 32767, 0x7FFF_FFFF,
    ]

    func timestamp() -> Timestamp {
        let seconds = pick(Self.seconds)
        let nanoseconds = Int32(chance(40) ? 0 : chance(30) ? 999_999_999 : below(1_000_000_000))
        return chance(30)
            ? Timestamp(seconds: -seconds, nanoseconds: -nanoseconds)
            : Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }

    func word() -> UInt64 { chance(20) ? 0 : chance(20) ? 0xDEAD : random.next() }

    /// Returns a random value of a type other than link and mixed. Replaces NaN by 0 for sets,
    /// because the format does not define the order of NaN in a set.
    func scalar(_ type: ColumnType, inSet: Bool = false) -> PlainValue {
        switch type {
        case .int: return .int(integer())
        case .bool: return .bool(chance(50))
        case .string: return .string(text())
        case .binary: return .binary(bytes())
        case .float:
            let value = Float(double())
            return .float(inSet && value.isNaN ? 0 : value.bitPattern)
        case .double:
            let value = double()
            return .double(inSet && value.isNaN ? 0 : value.bitPattern)
        case .timestamp: return .timestamp(timestamp())
        case .decimal: return .decimal(decimal())
        case .objectID: return .objectID(ObjectID(high: word(), low: UInt32(below(1 << 32))))
        case .uuid: return .uuid(UUIDValue(high: word(), low: word()))
        case .mixed, .link, .backlink, .typedLink: return .null
        }
    }

    static let scalarTypes: [ColumnType] = [
        .int, .bool, .string, .binary, .float, .double, .timestamp, .decimal, .objectID, .uuid,
    ]

    /// Returns a value for a mixed property or element; `link` makes a random link, `depth` limits
    /// nesting.
    func mixed(
        depth: Int, inSet: Bool = false, link: () -> ObjectLink?
    ) -> PlainValue {
        if chance(15) { return .null }
        if chance(25), let link = link() { return .link(link) }
        if depth > 0, !inSet, chance(30) {
            let count = below(elements)
            if chance(50) {
                return .list((0..<count).map { _ in mixed(depth: depth - 1, link: link) })
            }
            return .dictionary(
                entries(count) { mixed(depth: depth - 1, link: link) })
        }
        let type = pick(Self.scalarTypes)
        // In a set, comparisons between decimals, floats and doubles are not transitive. Such a
        // number is therefore replaced by a double without a fraction.
        if inSet, type == .decimal || type == .float || type == .double {
            return .double(Double(below(100) - 50).bitPattern)
        }
        return scalar(type, inSet: inSet)
    }

    func entries(
        _ count: Int, _ value: () -> PlainValue
    ) -> [PlainEntry] {
        let keys = Set((0..<count).map { _ in key() })
        return keys.sorted { $0.lexicographicallyPrecedes($1) }
            .map { PlainEntry(key: $0, value: value()) }
    }
}
