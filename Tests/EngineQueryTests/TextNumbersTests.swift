import Testing

@testable import EngineSupport
@testable import RealmEngine

/// The caches that map short texts to their value numbers, compared with a dictionary.
@Suite struct TextNumbersTests {
    @Test func textsThatDifferInRelatedWordsHaveTheirOwnNumbers() {
        var random = SeededRandom.fresh("related words")
        for _ in 0..<4000 {
            let numbers = WordNumbers()
            let (first, second) = (random.next(), random.next())
            numbers.insert(first, second, 0, 7)
            // The second word has the bits in which the first words differ.
            let other = first ^ UInt64(1 + random.below(255))
            #expect(numbers.table.number(first, second, 0) == 7)
            #expect(
                numbers.table.number(other, (first ^ other) | second, 0) == WordNumbers.unknown)
        }
    }

    @Test func wordsHaveTheNumbersOfADictionary() {
        var random = SeededRandom.fresh("words")
        for _ in 0..<40 {
            let numbers = WordNumbers()
            var known: [[UInt64]: UInt32] = [:]
            for number in 0..<UInt32(1 + random.below(400)) {
                let words = (0..<3).map { _ in UInt64(random.below(9)) }
                if known[words] != nil { continue }
                known[words] = number
                numbers.insert(words[0], words[1], words[2], number)
            }
            var found = 0
            for first in 0..<UInt64(9) {
                for second in 0..<UInt64(81) {
                    let words = [first, second / 9, second % 9]
                    let number = numbers.table.number(words[0], words[1], words[2])
                    if number == WordNumbers.unknown { continue }
                    #expect(number == known[words])
                    found += 1
                }
            }
            // Only a text whose entries are all in use is not cached.
            #expect(found * 10 >= known.count * 9)
        }
    }

    @Test func cellsHaveTheNumbersOfADictionary() {
        var random = SeededRandom.fresh("cells")
        let cells = UnsafeMutablePointer<UInt64>.allocate(capacity: 512)
        let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
        defer {
            cells.deallocate()
            numbers.deallocate()
        }
        for _ in 0..<60 {
            let cache = CellNumbers(width: 16)
            var known: [[UInt64]: UInt32] = [:]
            var all = (0..<1 + random.below(40)).map { _ in
                [UInt64(random.below(5)), UInt64(random.below(9)) << 56 | UInt64(random.below(3))]
            }
            all += [[0, .max], [1, 0], [0, 0], [.max, .max]].prefix(random.below(5))
            for _ in 0..<8 {
                let count = 1 + random.below(256)
                let leaf = (0..<count).map { _ in all[random.below(all.count)] }
                for (row, cell) in leaf.enumerated() {
                    (cells[2 * row], cells[2 * row + 1]) = (cell[0], cell[1])
                }
                let rows = Selection(first: count)
                if cache.hasAll(cells, rows) { #expect(leaf.allSatisfy { known[$0] != nil }) }
                let hasOthers = cache.find(cells, rows, numbers)
                #expect(hasOthers == leaf.indices.contains { numbers[$0] == CellNumbers.unknown })
                for (row, cell) in leaf.enumerated() {
                    if numbers[row] != CellNumbers.unknown {
                        #expect(numbers[row] == known[cell])
                        continue
                    }
                    let number = known[cell] ?? UInt32(known.count)
                    known[cell] = number
                    cache.insert(cells, row, number)
                }
            }
        }
    }
}
