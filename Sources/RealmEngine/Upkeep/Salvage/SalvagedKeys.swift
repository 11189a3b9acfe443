/// Map from the old object keys of a class to the new ones, in memory that spills to a file.
///
/// All keys of one class must be added before the keys of the next class. Confined to one thread.
final class SalvagedKeys {
    private struct Pair {
        let old: Int64
        let new: Int64
    }

    private let memory: SpillBuffer
    /// Offset in bytes in `memory` at which the pairs of old and new keys of the current class
    /// begin.
    private var start = 0
    private var count = 0
    /// Whether `pairs` is ordered by old key. It is if the damaged table could be read in the order
    /// of its keys; otherwise the next lookup sorts `pairs`.
    private var isSorted = true

    init(_ memory: SpillBuffer) { self.memory = memory }

    private var pairs: UnsafeMutableBufferPointer<Pair> {
        UnsafeMutableBufferPointer(
            start: (memory.base + start).assumingMemoryBound(to: Pair.self), count: count)
    }

    /// Adds a pair of old and new key. Throws `output` when the disk is full.
    func add(_ old: ObjectKey, _ new: ObjectKey) throws(RealmError) {
        let pair = Pair(old: old.raw, new: new.raw)
        let place = try memory.add(MemoryLayout<Pair>.size)
        place.initializeMemory(as: Pair.self, to: pair)
        if count == 0 { start = memory.base.distance(to: place) }
        count += 1
        if count > 1, pairs[count - 2].old > pair.old { isSorted = false }
    }

    /// Returns the new key of the object with the old key `old`; nil if it was not added.
    func new(_ old: ObjectKey) -> ObjectKey? {
        if !isSorted {
            var unsorted = pairs
            unsorted.sort { $0.old < $1.old }
            isSorted = true
        }
        let i = pairs.partitionPoint { $0.old >= old.raw }
        return i < count && pairs[i].old == old.raw ? ObjectKey(pairs[i].new) : nil
    }
}
