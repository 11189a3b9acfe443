extension IndexEditor {
    /// The keys of several objects that share one place of the index: a B+tree of integers.
    ///
    /// A list of one leaf, by far the most frequent, is a plain array; a longer one is edited leaf by
    /// leaf.
    final class KeyList {
        /// Where the list is stored; none when it is new or changed.
        private(set) var origin: Ref
        private let context: EditContext
        private var isDirty: Bool
        private var keys: [Int64] = []
        private var tree: SequenceEditor?

        /// The value of every object in the list, if they are known to be equal since the flush
        /// numbered `sharedSince`.
        private var shared: Value?
        private var sharedSince = 0
        /// The bytes it points to: those of the column move with every edit.
        private var sharedBytes: UnsafeMutableRawPointer?

        private static let element = ElementType(type: .int, isNullable: false)

        /// A new list.
        init(_ context: EditContext, _ keys: [Int64]) throws(RealmError) {
            self.context = context
            self.keys = keys
            origin = .none
            isDirty = true
            if keys.count > context.fanout.tree { try becomeTree() }
        }

        /// Opens the list at `ref`.
        init(_ context: EditContext, at ref: Ref) throws(RealmError) {
            self.context = context
            origin = ref
            isDirty = false
            if try context.space.node(ref).isInner {
                tree = try SequenceEditor(context, root: ref, element: Self.element)
                return
            }
            let leaf = try context.space.integers(ref, "index list")
            keys.reserveCapacity(leaf.count + 1)
            context.editedBytes &+= 8 &* leaf.count &+ 96
            for i in 0..<leaf.count { keys.append(leaf.integer(i)) }
        }

        var count: Int { tree?.count ?? keys.count }

        func key(_ i: Int) throws(RealmError) -> Int64 {
            guard let tree else { return keys[i] }
            guard case .int(let key) = try tree.value(at: i) else { return -1 }
            return key
        }

        /// Index of the first key that `isBelow` does not hold for; it holds for a prefix.
        func firstIndex(
            after isBelow: (Int64) throws(RealmError) -> Bool
        ) throws(RealmError) -> Int {
            var low = 0
            var high = count
            while low < high {
                let middle = (low + high) / 2
                if try isBelow(key(middle)) { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// Index of the first key that is not below `key` in a list sorted by key.
        func lowerBound(_ key: Int64) throws(RealmError) -> Int {
            let n = count
            // New objects have the highest keys.
            if n == 0 { return 0 }
            if try self.key(n - 1) < key { return n }
            return try firstIndex { (other) throws(RealmError) in other < key }
        }

        /// True when `key` is at `i`.
        func matches(_ key: Int64, at i: Int) throws(RealmError) -> Bool {
            guard i < count else { return false }
            return try self.key(i) == key
        }

        func insert(_ key: Int64, at i: Int) throws(RealmError) {
            try touch()
            if let tree { return try tree.insert(.int(key), at: i) }
            keys.insert(key, at: i)
            if keys.count > context.fanout.tree { try becomeTree() }
        }

        func remove(at i: Int) throws(RealmError) {
            try touch()
            if let tree { try tree.remove(at: i) } else { keys.remove(at: i) }
        }

        private func touch() throws(RealmError) {
            if isDirty { return }
            isDirty = true
            if tree == nil { try context.free(origin) }
            origin = .none
        }

        private func becomeTree() throws(RealmError) {
            let editor = try SequenceEditor(context, root: .none, element: Self.element)
            for key in keys { try editor.append(.int(key)) }
            tree = editor
            keys = []
        }

        /// Writes the list if it changed.
        func flush() throws(RealmError) {
            guard isDirty else { return }
            if let tree {
                origin = try tree.finish()
            } else {
                origin = try context.encoder.integers(keys)
            }
            isDirty = false
        }

        deinit { sharedBytes?.deallocate() }

        /// The value all objects in the list have, if that is known. It is remembered until the next
        /// flush only, and points to memory of the list.
        func sharedValue(flushes: Int) -> Value? { sharedSince == flushes ? shared : nil }

        func setShared(_ value: Value?, flushes: Int) {
            sharedSince = flushes
            switch value {
            case .string(let text)?:
                if text.base != sharedBytes.map(UnsafeRawPointer.init) {
                    shared = .string(kept(text))
                }
            case .binary(let bytes)?:
                if bytes.base != sharedBytes.map(UnsafeRawPointer.init) {
                    shared = .binary(kept(bytes))
                }
            case .list?, .set?, .dictionary?: shared = nil
            default: shared = value
            }
        }

        private func kept(_ bytes: ByteView) -> ByteView {
            let copy = UnsafeMutableRawPointer.allocate(
                byteCount: max(1, bytes.count), alignment: 8)
            copy.copyMemory(from: bytes.base, byteCount: bytes.count)
            sharedBytes?.deallocate()
            sharedBytes = copy
            context.editedBytes &+= bytes.count
            return ByteView(copy, count: bytes.count)
        }
    }
}
