/// Treatment of an object that a path reaches several times, through different links.
enum PathMultiplicity {
    /// The path's result contains an object once per occurrence, in the order in which the path
    /// reaches them.
    case kept
    /// The path's result contains an object once, with the number of its occurrences, but without
    /// their order.
    case counted
    /// The path's result contains each object once, without the number of its occurrences, which
    /// ANY, ALL and NONE do not need.
    case dropped
}

/// Keys of the objects that a path reaches. The buffer contains either all keys in the order in
/// which the path reaches them, or each distinct key once with the number of its occurrences.
final class KeyBuffer {
    private(set) var keys = ReusedBuffer<ObjectKey>()
    /// Keys of the objects that the path had reached before the link that is being followed.
    private(set) var spare = ReusedBuffer<ObjectKey>()
    /// Number of times that the path reaches each key of `keys` (its multiplicity); empty if every
    /// key counts once. A number beyond 64 bits stays at the maximum.
    private var times = ReusedBuffer<Int64>()
    private var spareTimes = ReusedBuffer<Int64>()
    private var scratch: [(key: Int64, times: Int64)] = []

    /// Minimum number of collected keys for which merging duplicates saves time.
    private static let worthMerging = 64
    /// Minimum number of collected keys for which duplicates are merged into one key with a count.
    /// With fewer keys, each occurrence of a key is stored separately. An aggregate then adds the
    /// value of the object once per occurrence, so sums of fractions are rounded after each
    /// addition.
    private static let worthCounting = 1024

    func removeAll() {
        keys.removeAll()
        times.removeAll()
    }

    func times(_ i: Int) -> Int64 { times.count == 0 ? 1 : times[i] }

    /// Prepares for following the next link of the path: moves the collected keys to `spare`, from
    /// which that link starts, and leaves `keys` empty.
    func exchange() {
        swap(&keys, &spare)
        swap(&times, &spareTimes)
        removeAll()
    }

    /// Stores how often the path reached the keys that were added last. All of them were reached
    /// from the object with key `i` in `spare`, from which the last link starts. Each of them gets
    /// the number of times that the path reached that object.
    func inherit(_ i: Int) {
        if spareTimes.count == 0 { return }
        while times.count < keys.count { times.append(spareTimes[i]) }
    }

    /// Merges duplicates among the collected keys, so that the next link is followed from each
    /// object once. Does nothing if there are few keys, or if `repeats` requires every occurrence
    /// in order.
    func merge(_ repeats: PathMultiplicity) {
        let areCounted = repeats == .counted
        let areFew =
            keys.count <= (areCounted && times.count == 0 ? Self.worthCounting : Self.worthMerging)
        if repeats == .kept || areFew { return }
        while areCounted, times.count < keys.count { times.append(1) }
        sort()
        var end = 0
        for i in 0..<keys.count {
            if end > 0, keys[end - 1] == keys[i] {
                if areCounted { times[end - 1] = times[end - 1].addingSaturated(times[i]) }
                continue
            }
            keys[end] = keys[i]
            if areCounted { times[end] = times[i] }
            end += 1
        }
        keys.truncate(to: end)
        times.truncate(to: end)
    }

    /// Sorts the collected keys, and their multiplicities with them.
    func sort() {
        guard times.count > 0 else {
            var all = keys.mutable
            all.sort()
            return
        }
        scratch.removeAll(keepingCapacity: true)
        for i in 0..<keys.count { scratch.append((keys[i].raw, times[i])) }
        scratch.sort { $0.key < $1.key }
        for (i, (key, count)) in scratch.enumerated() {
            keys[i] = ObjectKey(key)
            times[i] = count
        }
    }
}

extension Int64 {
    /// Returns the sum of two non-negative numbers, or the maximum on overflow.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// Returns the product of two non-negative numbers, or the maximum on overflow.
    func multipliedSaturated(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
