import Testing

@testable import EngineSupport
@testable import RealmEngine

/// BEGINSWITH and ENDSWITH with long lists of constants.
@Suite struct SortedAffixesTests {
    private func value(_ bytes: [UInt8], isText: Bool = true) -> Value {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, bytes.count), alignment: 8)
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                memory.copyMemory(from: start, byteCount: source.count)
            }
        }
        let view = ByteView(memory, count: bytes.count)
        return isText ? .string(view) : .binary(view)
    }

    private func isExpected(_ text: [UInt8], _ part: [UInt8], _ relation: QueryRelation) -> Bool {
        relation == .beginsWith
            ? text.starts(with: part) : text.reversed().starts(with: part.reversed())
    }

    @Test(arguments: [QueryRelation.beginsWith, .endsWith], [1, 2, 3])
    func affixesMatchLikeSingleComparisons(relation: QueryRelation, seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        func bytes(_ most: Int) -> [UInt8] {
            (0..<random.below(most + 1)).map { _ in UInt8(97 + random.below(3)) }
        }
        for _ in 0..<50 {
            let parts = (0..<8 + random.below(40)).map { _ in bytes(6) }.filter {
                seed == 1 || !$0.isEmpty
            }
            let constants = parts.map { value($0) }
            guard let affixes = SortedAffixes(relation, constants) else { continue }
            for _ in 0..<50 {
                let text = bytes(9)
                let expected = parts.contains { isExpected(text, $0, relation) }
                #expect(affixes.match(value(text)) == expected)
            }
        }
    }

    @Test func affixesMatchOnlyTheirOwnType() throws {
        let constants = (0..<20).map { value([UInt8($0)], isText: $0 < 10) } + [.null]
        let affixes = try #require(SortedAffixes(.beginsWith, constants))
        #expect(affixes.match(value([5, 1])))
        #expect(!affixes.match(value([15, 1])))
        #expect(affixes.match(value([15, 1], isText: false)))
        #expect(!affixes.match(.null))
        #expect(!affixes.match(.int(5)))
        #expect(SortedAffixes(.contains, constants) == nil)
        #expect(SortedAffixes(.beginsWith, Array(constants.prefix(3))) == nil)
    }
}
