import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Components of the check, compared with naive implementations.
@Suite struct IntegrityPartsTests {
    @Test(arguments: [1, 2, 3, 4]) func extentMapEqualsTheNaiveImplementation(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let map = ExtentMap()
        let units = 3000
        // At a boundary between two blocks, where most errors would occur.
        let base: UInt64 = seed % 2 == 0 ? 0 : (4 << 20) - 8000
        var marked = [Bool](repeating: false, count: units)
        for _ in 0..<150 {
            let start = Int.random(in: 0..<units, using: &random)
            let end = min(units, start + Int.random(in: 1...40, using: &random))
            let wasFree = marked[start..<end].allSatisfy { !$0 }
            #expect(map.mark(base + UInt64(start) * 8, base + UInt64(end) * 8) == wasFree)
            for i in start..<end { marked[i] = true }
        }
        for _ in 0..<400 {
            let start = Int.random(in: 0..<units, using: &random)
            let end = Int.random(in: start...units, using: &random)
            for wanted in [true, false] {
                let expected = (start..<end).first { marked[$0] == wanted }
                let found = map.first(
                    marked: wanted, from: base + UInt64(start) * 8, before: base + UInt64(end) * 8)
                #expect(found == expected.map { base + UInt64($0) * 8 }, "seed \(seed)")
            }
            #expect(map.isMarked(base + UInt64(start) * 8) == marked[start])
        }
        #expect(map.first(marked: true, from: 1 << 40, before: 1 << 41) == nil)
        #expect(map.first(marked: false, from: 1 << 40, before: 1 << 41) == 1 << 40)
    }

    @Test func pairSumsDoNotDependOnOrder() {
        var (a, b) = (PairSum(), PairSum())
        for i in 0..<1000 as Range<UInt64> { a.add(i, i &* 7) }
        for i in (0..<1000 as Range<UInt64>).reversed() { b.add(i, i &* 7) }
        #expect(a == b)
        // Neither the halves of a pair nor pairs are interchangeable.
        var (c, d, e) = (PairSum(), PairSum(), PairSum())
        c.add(1, 2)
        c.add(3, 4)
        d.add(2, 1)
        d.add(4, 3)
        e.add(1, 4)
        e.add(3, 2)
        #expect(c != d && c != e)
        c.subtract(1, 2)
        c.subtract(3, 4)
        #expect(c == PairSum())
    }

    @Test(arguments: [1, 2, 3]) func pairDifferencesEqualTheNaiveImplementation(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func pairs() -> [[UInt64]] {
            (0..<5000).map { _ in
                [UInt64.random(in: 0..<100, using: &random), .random(in: 0..<100, using: &random)]
            }
        }
        let (left, right) = (pairs(), pairs())
        var expected: [[UInt64]: Int] = [:]
        for pair in left { expected[pair, default: 0] += 1 }
        for pair in right { expected[pair, default: 0] -= 1 }
        let difference = PairDifference()
        var found: [[UInt64]: Int] = [:]
        difference.run(
            visit: {
                for pair in left { difference.add(pair[0], pair[1], to: .left) }
                for pair in right { difference.add(pair[0], pair[1], to: .right) }
            }, report: { found[[$0, $1]] = $2 })
        #expect(found == expected.filter { $0.value != 0 }, "seed \(seed)")
    }
    /// A damaged list may announce one pair millions of times, which must not take memory for each.
    @Test func repeatedPairsTakeNoMemory() {
        let difference = PairDifference(foldedAt: 100)
        var found: [[UInt64]: Int] = [:]
        difference.run(
            visit: {
                for i in 0..<10_000 as Range<UInt64> {
                    difference.add(7, 8, to: .left)
                    difference.add(i % 300, 1, to: i < 5000 ? .left : .right)
                }
                difference.add(7, 8, to: .right)
            }, report: { found[[$0, $1]] = $2 })
        var expected: [[UInt64]: Int] = [[7, 8]: 9999]
        for i in 0..<10_000 as Range<UInt64> {
            expected[[i % 300, 1], default: 0] += i < 5000 ? 1 : -1
        }
        #expect(found == expected.filter { $0.value != 0 })
        #expect(difference.collectedCount < 1000)
    }
}
