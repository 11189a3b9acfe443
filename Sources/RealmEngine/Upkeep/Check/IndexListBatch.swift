/// Batch of lists of object keys in a search index, and of index entries whose path has more than
/// two 4-byte chunks. Reads the objects of a batch in key order.
///
/// An index stores lists and entries in the order of values. Reading the objects in that order
/// would open each leaf of a table many times.
///
/// `capacity` limits the memory. Confined to one thread.
final class IndexListBatch {
    /// One list of an index, or one entry that references a single object.
    struct List {
        /// Ref of the node with the list's object keys; nil for an entry of one object.
        let ref: Ref?
        fileprivate let path: Range<Int>
        fileprivate let keys: Range<Int>
    }

    /// Maximum number of keys of a list that is added to a batch. The caller reads the objects of a
    /// longer list directly, in the order of the list. All objects of a long list usually have
    /// equal values, so its keys usually ascend. Therefore each leaf is opened only once in this
    /// case, too.
    static let maximumListLength = 1 << 14
    private static let capacity = 1 << 17
    private static let digit = 11

    private var lists: [List] = []
    private var paths: [Int32] = []
    private var keys: [Int64] = []
    /// For each element of `keys`, the index in `lists` of the list to which the key belongs.
    private var listOfKey: [UInt32] = []

    /// Whether the batch has no room for another list, of `count` keys.
    func isFull(for count: Int) -> Bool { keys.count + count > Self.capacity }

    func add(_ path: [Int32], _ keys: UnsafeBufferPointer<Int64>, _ ref: Ref?) {
        let start = (paths.count, self.keys.count)
        paths += path
        self.keys.append(contentsOf: keys)
        for _ in 0..<keys.count { listOfKey.append(UInt32(lists.count)) }
        lists.append(List(ref: ref, path: start.0..<paths.count, keys: start.1..<self.keys.count))
    }

    /// Visits all keys in the order of their objects, then all lists, and empties the batch.
    ///
    /// - Parameters:
    ///     - digest: returns a digest of the object's value, equal for equal values. Returns nil if
    ///       the object does not exist or an index would store its value at another path than
    ///       `path`.
    ///     - list: called once per list. `isUniform` is true if the values of all keys have the
    ///       same digest and the keys ascend.
    func take(
        digest: (_ key: Int64, _ path: ArraySlice<Int32>) -> UInt64?,
        list: (_ list: List, _ path: [Int32], _ keys: ArraySlice<Int64>, _ isUniform: Bool) -> Void
    ) {
        var digests = [UInt64](repeating: 0, count: keys.count)
        var isSound = [Bool](repeating: true, count: lists.count)
        for i in order() {
            let number = Int(listOfKey[Int(i)])
            if let found = digest(keys[Int(i)], paths[lists[number].path]) {
                digests[Int(i)] = found
            } else {
                isSound[number] = false
            }
        }
        for (number, entry) in lists.enumerated() {
            let isUniform =
                isSound[number]
                && entry.keys.dropFirst().allSatisfy {
                    digests[$0] == digests[$0 - 1] && keys[$0] > keys[$0 - 1]
                }
            list(entry, Array(paths[entry.path]), keys[entry.keys], isUniform)
        }
        lists.removeAll(keepingCapacity: true)
        paths.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        listOfKey.removeAll(keepingCapacity: true)
    }

    /// Returns indexes into `keys`, sorted by bits 8 to 29 of the object keys. This groups them by
    /// cluster leaf unless keys exceed 2^30.
    private func order() -> [UInt32] {
        var order = Array(0..<UInt32(keys.count))
        var other = order
        // Ignore the low eight bits of the object keys: they only distinguish objects of one leaf.
        for shift in [8, 8 + Self.digit] {
            let mask = (1 << Self.digit) - 1
            var ends = [Int](repeating: 0, count: mask + 2)
            for i in order { ends[Int(keys[Int(i)] >> shift) & mask + 1] += 1 }
            for i in 1...mask { ends[i] += ends[i - 1] }
            for i in order {
                let digit = Int(keys[Int(i)] >> shift) & mask
                other[ends[digit]] = i
                ends[digit] += 1
            }
            swap(&order, &other)
        }
        return order
    }
}
