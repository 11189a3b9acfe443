import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Returns a view of a literal, which is valid for the lifetime of the program.
private func view(_ text: StaticString) -> ByteView {
    ByteView(UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount)
}

private func decimal(_ text: String) -> Decimal128 { withView(text) { Decimal128(text: $0)! } }

private let collection = CollectionView(root: .none, element: .mixed)

@Suite struct ValueOrderTests {
    /// Groups of equal values of all kinds, in ascending order.
    private static let groups: [[Value]] = [
        [.null], [.bool(false)], [.bool(true)],
        [.double(.nan)],
        [.double(-.infinity), .float(-.infinity), .decimal(-.infinity)],
        [.decimal(decimal("-1E+400"))], [.int(.min), .double(-0x1p63)], [.int(.min + 1)],
        [.int(-1), .float(-1), .double(-1), .decimal(decimal("-1.0"))],
        [.double(-5e-300)],
        [.int(0), .float(0), .float(-0.0), .double(-0.0), .decimal(-.zero), .decimal(.zero)],
        [.double(5e-300)], [.decimal(decimal("0.25")), .double(0.25), .float(0.25)],
        [.int(1), .float(1), .double(1), .decimal(decimal("1.00"))], [.double(1.5)],
        [.int(9_007_199_254_740_991)], [.int(9_007_199_254_740_992), .double(0x1p53)],
        [.int(9_007_199_254_740_993)], [.int(9_007_199_254_740_994), .double(0x1p53 + 2)],
        [.int(.max - 1)], [.int(.max)], [.double(0x1p63), .float(0x1p63)],
        [.decimal(decimal("1E+400"))],
        [.float(.infinity), .double(.infinity), .decimal(.infinity)],
        [.string(view(""))], [.string(view("\0"))], [.string(view("Z"))], [.string(view("a"))],
        [.string(view("ab"))], [.string(view("b"))], [.string(view("é"))],
        [.binary(view(""))], [.binary(view("a"))], [.binary(view("ab"))], [.binary(view("b"))],
        [.timestamp(Timestamp(seconds: -1, nanoseconds: -5))],
        [.timestamp(Timestamp(seconds: -1, nanoseconds: 0))],
        [.timestamp(Timestamp(seconds: 0, nanoseconds: -1))],
        [.timestamp(Timestamp(seconds: 0, nanoseconds: 0))],
        [.timestamp(Timestamp(seconds: 1, nanoseconds: 999))],
        [.objectID(ObjectID(high: 1, low: 0))], [.objectID(ObjectID(high: 1, low: 0x8000_0000))],
        [.objectID(ObjectID(high: 1 << 63, low: 0))],
        [.uuid(UUIDValue(high: 0, low: .max))], [.uuid(UUIDValue(high: 1 << 63, low: 0))],
        [.link(ObjectLink(table: TableKey(1), key: ObjectKey(7)))],
        [.link(ObjectLink(table: TableKey(2), key: ObjectKey(-1)))],
        [.link(ObjectLink(table: TableKey(2), key: ObjectKey(0)))],
        [.link(ObjectLink(table: TableKey(0xFFFF_0000), key: ObjectKey(0)))],
        [.list(collection), .list(collection)], [.set(collection)], [.dictionary(collection)],
    ]

    @Test func comparisonFollowsTheExpectedOrder() {
        // Doubles of more than 15 digits and decimals are not ordered transitively, so these are
        // not compared with each other.
        func isTooFine(_ a: Value, _ b: Value) -> Bool {
            guard case .decimal = a, case .double(let x) = b else { return false }
            return x.magnitude > 1e15 && x.isFinite
        }
        for (i, left) in Self.groups.enumerated() {
            for (j, right) in Self.groups.enumerated() {
                for a in left {
                    for b in right where !isTooFine(a, b) && !isTooFine(b, a) {
                        let order = ValueOrder.compare(a, b)
                        #expect(order.signum() == (i - j).signum(), "\(a) \(b)")
                        #expect(ValueOrder.areEqual(a, b) == (i == j))
                    }
                }
            }
        }
    }

    @Test func decimalsCompareWithDoublesAtFifteenDigits() {
        func compare(_ a: Value, _ b: String) -> Int {
            let order = ValueOrder.compare(a, .decimal(decimal(b)))
            #expect(ValueOrder.compare(.decimal(decimal(b)), a).signum() == -order.signum())
            return order.signum()
        }
        #expect(compare(.double(0.1), "0.1") == 0 && compare(.float(0.1), "0.1") == 0)
        #expect(ValueOrder.compare(.double(0.1), .float(0.1)) < 0)
        #expect(compare(.double(0x1p53), "9007199254740990") == 0)
        #expect(compare(.double(0x1p53), "9007199254740992") < 0)
        #expect(compare(.int(1 << 53 + 1), "9007199254740993") == 0)
        #expect(compare(.int(1 << 53), "9007199254740992.5") < 0)
        #expect(compare(.float(16_777_216), "16777220") == 0)
        #expect(compare(.double(1e300), "1E+300") == 0 && compare(.double(1e-300), "1E-300") == 0)
        #expect(compare(.double(.greatestFiniteMagnitude), "1.79769313486232E+308") == 0)
    }

    @Test func nansAreOrderedByPayload() {
        let quiet = Double.nan
        let payload = Double(bitPattern: 0x7FF8_0000_0000_0001)
        let smallPayload = Float(bitPattern: 0x7FC0_0001)
        #expect(ValueOrder.compare(.double(quiet), .double(payload)) < 0)
        #expect(ValueOrder.compare(.double(payload), .double(-quiet)) < 0)
        #expect(ValueOrder.compare(.float(.nan), .double(quiet)) == 0)
        #expect(ValueOrder.compare(.float(smallPayload), .double(payload)) > 0)
        #expect(ValueOrder.compare(.float(smallPayload), .float(.nan)) > 0)
        #expect(ValueOrder.compare(.decimal(.nan), .double(quiet)) == 0)
        #expect(ValueOrder.compare(.decimal(.nan), .float(.nan)) == 0)
        for low in [Value.int(.min), .double(-.infinity), .decimal(-.infinity), .float(-1)] {
            for nan in [Value.double(quiet), .float(.nan), .decimal(.nan)] {
                #expect(ValueOrder.compare(nan, low) < 0 && ValueOrder.compare(low, nan) > 0)
                #expect(ValueOrder.compare(nan, .bool(true)) > 0)
            }
        }
    }

    /// An integer compared with a double near it, exactly in 128 bits.
    @Test func integersCompareExactlyWithDoubles() {
        var random = SeededRandom.fresh("integers against doubles")
        for _ in 0..<20_000 {
            let shift = UInt64.random(in: 0..<64, using: &random)
            let a = Int64(bitPattern: random.next()) >> Int64(shift)
            var b = Double(a) + Double(Int.random(in: -3...3, using: &random)) / 2
            if Bool.random(using: &random) {
                b = Bool.random(using: &random) ? b.nextUp : b.nextDown
            }
            let floor = Int128(b.rounded(.down))
            let isWhole = b == b.rounded(.down)
            let expected = a == floor && isWhole ? 0 : Int128(a) <= floor ? -1 : 1
            #expect(ValueOrder.compare(a, b) == expected, "\(a) \(b)")
            #expect(ValueOrder.compare(.double(b), .int(a)) == -expected)
        }
    }
}
