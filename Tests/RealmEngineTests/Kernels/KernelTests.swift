import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Kernels compared with simple loops, for every width, offset and odd length.
@Suite struct KernelTests {
    /// A packed array in memory of exactly its padded size.
    private final class PackedArray {
        let memory: UnsafeMutableRawPointer
        let node: NodeView
        let values: [Int64]

        init(_ values: [Int64], widthCode: UInt8) {
            let width = (1 << Int(widthCode)) >> 1
            let size = ((values.count * width + 7) / 8 + 7) & ~7
            memory = .allocate(byteCount: max(8, size), alignment: 8)
            memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: max(8, size))
            for (i, value) in values.enumerated() {
                for bit in 0..<width {
                    let place = i * width + bit
                    var byte = memory.load(fromByteOffset: place >> 3, as: UInt8.self)
                    let mask = UInt8(1 << (place & 7))
                    byte = value >> Int64(bit) & 1 != 0 ? byte | mask : byte & ~mask
                    memory.storeBytes(of: byte, toByteOffset: place >> 3, as: UInt8.self)
                }
            }
            self.values = values
            node = NodeView(payload: memory, count: values.count, flags: widthCode)
        }

        deinit { memory.deallocate() }
    }

    private func values(_ widthCode: UInt8, _ count: Int, _ random: inout SeededRandom)
        -> [Int64]
    {
        let width = Int64(1 << Int(widthCode)) >> 1
        return (0..<count).map { _ in
            if width == 0 { return 0 }
            if width < 8 { return Int64(random.next() >> 1) % (1 << width) }
            let shift = 64 - width
            // Small numbers, the ends of the range, and random numbers.
            switch random.below(4) {
            case 0: return Int64(random.below(5)) - 2
            case 1: return .max >> shift
            case 2: return .min >> shift
            default: return Int64(bitPattern: random.next()) >> shift
            }
        }
    }

    private func selected(_ count: Int, _ test: (Int) -> Bool) -> Selection {
        var rows = Selection.none
        for row in 0..<count where test(row) { rows.insert(row) }
        return rows
    }

    @Test(arguments: UInt8(0)...7)
    func integerRangesAgreeWithSingleComparisons(_ widthCode: UInt8) {
        let seed = UInt64.random(in: 1 ... .max)
        print("kernel seed \(seed), width code \(widthCode)")
        var random = SeededRandom(seed: seed)
        for round in 0..<300 {
            let first = random.below(2)
            let count = [0, 1, 15, 16, 17, 63, 64, 65, 255, 256, random.below(257)][round % 11]
            let array = PackedArray(values(widthCode, count + first, &random), widthCode: widthCode)
            var bounds = [Int64.min, .max, 0, Int64(random.below(20)) - 10]
            if let any = array.values.randomElement(using: &random) { bounds += [any, any &+ 1] }
            let low = bounds.randomElement(using: &random)!
            let high = bounds.randomElement(using: &random)!
            let range = IntegerRange(low: low, high: high)
            let found = IntegerKernels.rows(in: range, array.node, first: first, count: count)
            let expected = selected(count) {
                low <= array.values[first + $0] && array.values[first + $0] <= high
            }
            #expect(found == expected, "\(array.values) in \(low)...\(high) from \(first)")
            let number = IntegerKernels.count(in: range, array.node, first: first, count: count)
            #expect(number == expected.count, "\(array.values) in \(low)...\(high)")

            withUnsafeTemporaryAllocation(of: Int64.self, capacity: 256) { out in
                IntegerKernels.decode(
                    array.node, first: first, count: count, into: out.baseAddress!)
                #expect(Array(out[..<count]) == Array(array.values[first..<first + count]))
            }
        }
    }

    @Test func countsEqualTheSelectedRows() {
        var random = SeededRandom(seed: UInt64.random(in: 1 ... .max))
        for round in 0..<300 {
            func word() -> UInt64 { [0, .max, random.next(), 1, 1 << 63][random.below(5)] }
            let rows = Selection(word(), word(), word(), word())
            let chosen = (0..<256).filter { rows.contains($0) }
            #expect(rows.count == chosen.count)
            #expect(rows.leadingCount == (0..<256).first { !rows.contains($0) } ?? 256)
            let first = Selection(first: round)
            #expect(first.count == min(256, round) && first.leadingCount == min(256, round))
        }
    }

    @Test func numberRangesAgreeWithSingleComparisons() {
        var random = SeededRandom(seed: UInt64.random(in: 1 ... .max))
        let special: [Double] = [
            0, -0.0, 1, -1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
            Double(bitPattern: DoubleLeaf.nullBits),
        ]
        for round in 0..<300 {
            let count = [0, 1, 2, 15, 16, 17, 64, 255, 256][round % 9]
            let doubles = (0..<count).map { _ in special[random.below(special.count)] }
            let floats = doubles.map { Float($0) }
            let low = special[random.below(8)]
            let high = special[random.below(8)]
            doubles.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                let found = FloatKernels.rows(from: low, through: high, base, count: count)
                #expect(found == selected(count) { doubles[$0] >= low && doubles[$0] <= high })
                let nulls = FloatKernels.rows(equalTo: DoubleLeaf.nullBits, base, count: count)
                #expect(
                    nulls == selected(count) { doubles[$0].bitPattern == DoubleLeaf.nullBits })
            }
            floats.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                let (low, high) = (Float(low), Float(high))
                let found = FloatKernels.rows(from: low, through: high, base, count: count)
                #expect(found == selected(count) { floats[$0] >= low && floats[$0] <= high })
            }
        }
    }

    @Test func selectionsVisitTheirRowsInOrder() throws {
        for count in 0...256 {
            let rows = Selection(first: count)
            #expect(rows.count == count)
            #expect(rows.isEmpty == (count == 0))
            var visited: [Int] = []
            try rows.visit { visited.append($0) }
            #expect(visited == Array(0..<count))
            #expect(rows.prefix(count / 2) == Selection(first: count / 2))
            #expect(Selection.all.subtracting(rows).count == 256 - count)
        }
        let odd = try Selection.all.filter { $0 % 2 == 1 }
        #expect(odd.count == 128 && odd.contains(255) && !odd.contains(254))
        #expect((odd & Selection(first: 4)).count == 2)
        #expect((odd | Selection(first: 4)).count == 130)
    }
}
