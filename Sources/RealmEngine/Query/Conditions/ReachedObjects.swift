/// What it means that a path reaches an object more than once.
enum PathMultiplicity {
    /// Each time counts, in order.
    case kept
    /// The number of times counts.
    case counted
    /// Nothing: what some, all or none of the objects are does not depend on it.
    case dropped
}

/// Keys of the objects a path reaches, in order, or once each with the number of times.
final class KeyBuffer {
    private(set) var keys = ReusedBuffer<ObjectKey>()
    /// The keys before the last hop.
    private(set) var spare = ReusedBuffer<ObjectKey>()
    /// How often each of the keys was reached; nothing while that is once each. Saturates.
    private var times = ReusedBuffer<Int64>()
    private var spareTimes = ReusedBuffer<Int64>()
    private var scratch: [(key: Int64, times: Int64)] = []

    /// Fewer keys cost less than finding the equal ones.
    private static let worthMerging = 64
    /// Fewer are added up one by one, so that sums of fractions round as such.
    private static let worthCounting = 1024

    func removeAll() {
        keys.removeAll()
        times.removeAll()
    }

    func times(_ i: Int) -> Int64 { times.count == 0 ? 1 : times[i] }

    /// The keys become the starting points of a further hop.
    func exchange() {
        swap(&keys, &spare)
        swap(&times, &spareTimes)
        removeAll()
    }

    /// Keys added since were reached as often as the starting point `i` of the hop.
    func inherit(_ i: Int) {
        if spareTimes.count == 0 { return }
        while times.count < keys.count { times.append(spareTimes[i]) }
    }

    /// Makes equal keys one, as far as they are too many and what they are asked for allows it: so a
    /// further hop starts from no more objects than there are.
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

    /// Brings the keys into their order, each with its times.
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
    /// Sum of two numbers that are not negative; stays at the largest.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// Product of two numbers that are not negative; stays at the largest.
    func multipliedSaturated(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
