import Testing

@testable import EngineSupport
@testable import RealmEngine

struct IndexStringTests {
    private func chunks(_ value: Value, _ count: Int) -> [UInt32] {
        let string = IndexString(value)
        return (0..<count).map { UInt32(bitPattern: string.chunk(at: $0 * 4)) }
    }

    @Test func stringsEndWithAMark() throws {
        let lab = try EditLab()
        #expect(chunks(.null, 3) == [0, 0, 0])
        #expect(chunks(lab.string(""), 2) == [0x5800_0000, 0])
        #expect(chunks(lab.string("a"), 2) == [0x6158_0000, 0])
        #expect(chunks(lab.string("abc"), 2) == [0x6162_6358, 0])
        #expect(chunks(lab.string("abcd"), 3) == [0x6162_6364, 0x5800_0000, 0])
        #expect(chunks(lab.string("abcde"), 3) == [0x6162_6364, 0x6558_0000, 0])
        #expect(chunks(.int(0), 4) == [0, 0, 0x5800_0000, 0])
    }

    @Test func everyTypeHasAnIndexString() throws {
        let lab = try EditLab()
        #expect(chunks(.int(0x0102_0304_0506_0708), 2) == [0x0807_0605, 0x0403_0201])
        #expect(chunks(.bool(true), 3) == [0x0100_0000, 0, 0x5800_0000])
        let time = Timestamp(seconds: -2, nanoseconds: -1)
        #expect(
            chunks(.timestamp(time), 4) == [0xFEFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x5800_0000])
        let id = ObjectID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C)
        #expect(
            chunks(.objectID(id), 4) == [0x0102_0304, 0x0506_0708, 0x090A_0B0C, 0x5800_0000])
        let uuid = UUIDValue(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
        #expect(
            chunks(.uuid(uuid), 5)
                == [0x0102_0304, 0x0506_0708, 0x090A_0B0C, 0x0D0E_0F10, 0x5800_0000])
        let link = ObjectLink(table: TableKey(0x0102_0304), key: ObjectKey(0x0506_0708_090A_0B0C))
        #expect(
            chunks(.link(link), 4) == [0x0403_0201, 0x0C0B_0A09, 0x0807_0605, 0x5800_0000])
        let gone = ObjectLink(table: TableKey(1), key: ObjectKey(-7))
        #expect(IndexString(.link(gone)) == .null)
        let list = CollectionView(root: .none, element: .mixed)
        #expect(IndexString(.list(list)) == IndexString(lab.string("__List__")))
        #expect(IndexString(.dictionary(list)) == IndexString(lab.string("__Dictionary__")))
    }

    @Test func equalNumbersHaveEqualIndexStrings() {
        func isSame(_ a: Value, _ b: Value) -> Bool { IndexString(a) == IndexString(b) }
        let half = Decimal128(isNegative: false, coefficient: 15, exponent: -1)
        #expect(isSame(.float(-3), .int(-3)))
        #expect(isSame(.double(2_147_483_647), .int(2_147_483_647)))
        #expect(!isSame(.double(2_147_483_648), .int(2_147_483_648)))
        #expect(!isSame(.float(1.5), .double(1.5)))
        #expect(isSame(.double(-0.0), .int(0)))
        #expect(isSame(.decimal(half), .int(1)))
        #expect(isSame(.decimal(-half), .int(-1)))
        #expect(chunks(.decimal(.nan), 5) == [0, 0, 0, 0x7C, 0x5800_0000])
    }

    private func words(_ text: String) throws -> [String] {
        var words: [String] = []
        try withView(text) { view in
            try WordSet(.string(view)).visit { (word) in words.append(word.string) }
        }
        return words
    }

    @Test func textIsSplitIntoWords() throws {
        #expect(try words("") == [])
        #expect(try words("The quick, the QUICK") == ["quick", "the"])
        #expect(try words("a_b-c 4x") == ["4x", "a", "b", "c"])
        #expect(try words("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ") == ["aaaaaåæceeeeiiii"])
        #expect(try words("ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß") == ["ðnoooooøuuuuyþß"])
        #expect(try words("àáâãäåæçèéêëìíîï") == ["aaaaaåæceeeeiiii"])
        #expect(try words("ðñòóôõö÷øùúûüýþÿ") == ["ðnoooooøuuuuyþ"])
        #expect(try words("日本x語") == ["x"])
        #expect(try words("x×y × z") == ["", "xy", "z"])
        #expect(try words(String(repeating: "a", count: 70)) == [String(repeating: "a", count: 64)])
        try withView([0x61, 0xC3]) { view in
            try WordSet(.string(view)).visit { (word) in #expect(word.bytes == [0x61, 0x61]) }
        }
    }
}
