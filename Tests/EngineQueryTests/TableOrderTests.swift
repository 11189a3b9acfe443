import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Keys are visited once each in table order, and found by their index in it.
@Suite struct TableOrderTests {
    private func expect(_ keys: [ObjectKey], _ slice: Range<Int>, _ context: String) throws {
        let wanted = Array(keys[slice])
        let order = TableOrder(RowKeys(keys)[slice])
        var visited: [ObjectKey] = []
        try order.visit { visited.append($0) }
        let sorted = Set(wanted).sorted {
            UInt64(bitPattern: $0.raw) < UInt64(bitPattern: $1.raw)
        }
        #expect(visited == sorted && order.count == sorted.count, "\(context)")
        var ranges: [ObjectKey] = []
        try order.visitRanges { (first, count) in
            ranges += (0..<Int64(count)).map { ObjectKey(first.raw + $0) }
        }
        #expect(ranges == sorted, "\(context)")
        var found: [ObjectKey] = []
        #expect(
            try order.visitPositions {
                found.append(visited[$0])
                return true
            })
        #expect(found == wanted, "\(context)")
        if wanted.isEmpty { return }
        var calls = 0
        #expect(
            try !order.visitPositions { _ in
                calls += 1
                return false
            })
        #expect(calls == 1)
    }

    @Test func keysAreVisitedInTableOrderAndFoundByPosition() throws {
        var random = SeededRandom.fresh("table order")
        for count in [0, 1, 2, 63, 64, 65, 500, 3000] {
            for spread in [1, 3, 31, 33, 1 << 20, 1 << 50] {
                let start = random.below(2) == 0 ? 0 : Int64(random.below(1 << 40))
                let keys = (0..<count).map { _ in
                    ObjectKey(start + Int64(random.below(max(1, count) * spread)))
                }
                try expect(keys, 0..<count, "\(count) of \(spread)")
                let all = (0..<count).map { ObjectKey(start + Int64($0)) }
                try expect(all.shuffled(), 0..<count, "all \(count)")
                let first = random.below(count + 1)
                try expect(keys, first..<count, "\(count) of \(spread) from \(first)")
            }
        }
    }

    /// Keys are the same whether they are gathered as a range, one by one or in a temporary file.
    @Test func gatheredKeysAreTheSameInEveryForm() throws {
        var random = SeededRandom.fresh("gathered keys")
        let file = try RandomColumnsFile(rows: 20, random)
        for limit in [1, 1 << 20] {
            var options = QueryOptions()
            options.memoryLimit = limit
            for length in [0, 1, 2, 50, 300] {
                for gap in [0, length, length / 2] {
                    let start = Int64(random.below(1000))
                    let keys = (0..<length).map { ObjectKey(start + Int64($0 < gap ? $0 : $0 + 1)) }
                    var gatherer = KeyGatherer(QueryMemoryLimit(options, file.snapshot))
                    for key in keys { try gatherer.append(key) }
                    #expect(gatherer.count == length)
                    let all = try gatherer.finish()
                    #expect(Array(all) == keys && all.array == keys)
                    #expect(Array(all.first(7)) == Array(keys.prefix(7)))
                    let order = (0..<UInt32(length)).shuffled()
                    #expect(Array(all.reordered(order)) == order.map { keys[Int($0)] })
                }
            }
        }
    }
}
