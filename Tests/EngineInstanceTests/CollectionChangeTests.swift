import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct CollectionChangeTests {
    /// Applies a change to a copy of the older sequence, as an observer would.
    private func replay(_ change: CollectionChange, _ old: [Int], _ new: [Int]) -> [Int] {
        var copy = old
        for (from, to) in zip(change.modifications, change.newModifications) {
            copy[from] = new[to]
        }
        for index in change.deletions.reversed() { copy.remove(at: index) }
        for index in change.insertions { copy.insert(new[index], at: index) }
        return copy
    }

    @Test(arguments: [false, true]) func changesTurnTheOldSequenceIntoTheNewOne(_ replaces: Bool) {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        for round in 0..<3000 {
            let range = 0...(round % 30)
            let old = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                Int.random(in: range, using: &random)
            }
            var new = old
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where !new.isEmpty:
                    new.remove(at: Int.random(in: new.indices, using: &random))
                case 1:
                    new.insert(
                        Int.random(in: range, using: &random),
                        at: Int.random(in: 0...new.count, using: &random))
                case 2 where !new.isEmpty:
                    let element = new.remove(at: Int.random(in: new.indices, using: &random))
                    new.insert(element, at: Int.random(in: 0...new.count, using: &random))
                default: new = new.map { $0 }
                }
            }
            let change = CollectionChange(from: old, to: new, replaces: replaces) { _ in false }
            #expect(replay(change, old, new) == new, "seed \(seed): \(old) to \(new): \(change)")
            #expect(change.deletions == change.deletions.sorted())
            #expect(change.insertions == change.insertions.sorted())
            #expect(change.isEmpty == (old == new))
            for move in change.moves {
                #expect(old[move.from] == new[move.to])
            }
        }
    }

    @Test func movesAsFewElementsAsPossible() {
        let change = CollectionChange(from: [1, 2, 3, 4, 5], to: [5, 1, 2, 3, 4]) { $0 == 2 }
        #expect(change.deletions == [4])
        #expect(change.insertions == [0])
        #expect(change.moves == [CollectionChange.Move(from: 4, to: 0)])
        #expect(change.modifications == [1])
        #expect(change.newModifications == [2])
    }

    @Test func anAssignedListElementIsModified() {
        let list = CollectionChange(from: [1, 2, 3], to: [1, 9, 3], replaces: true) { _ in false }
        #expect(list.modifications == [1] && list.deletions == [] && list.insertions == [])
        let results = CollectionChange(from: [1, 2, 3], to: [1, 9, 3]) { _ in false }
        #expect(results.deletions == [1] && results.insertions == [1])
    }
}
