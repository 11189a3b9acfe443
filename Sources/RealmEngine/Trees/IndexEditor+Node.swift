extension IndexEditor {
    /// What a chunk leads to: an object, something stored, or something loaded.
    ///
    /// One word, so that inserting into a node moves little memory. The two lowest bits above bit 0
    /// are free in refs and in object addresses alike and tell the loaded kinds apart.
    struct Slot {
        let raw: UInt64

        private static let nodeBit: UInt64 = 2
        private static let listBit: UInt64 = 4

        @inline(__always) init(raw: UInt64) { self.raw = raw }
        @inline(__always) init(_ ref: Ref) { raw = ref.raw }
        /// The object with `key` and no other.
        @inline(__always) init(literal key: Int64) { raw = UInt64(bitPattern: key) << 1 | 1 }

        /// Owns the node until the slot is released.
        init(_ node: Node) {
            raw = UInt64(UInt(bitPattern: Unmanaged.passRetained(node).toOpaque())) | Self.nodeBit
        }

        /// Owns the list until the slot is released.
        init(_ list: KeyList) {
            raw = UInt64(UInt(bitPattern: Unmanaged.passRetained(list).toOpaque())) | Self.listBit
        }

        @inline(__always) var isLiteral: Bool { raw & 1 != 0 }
        @inline(__always) var isStored: Bool { raw & 7 == 0 }
        @inline(__always) var isNode: Bool { raw & 3 == Self.nodeBit }
        @inline(__always) var isList: Bool { raw & 5 == Self.listBit }

        @inline(__always) var key: Int64 { Int64(bitPattern: raw >> 1) }
        @inline(__always) var ref: Ref { Ref(raw) }
        @inline(__always) var node: Node { unmanagedNode.takeUnretainedValue() }
        @inline(__always) var list: KeyList { unmanagedList.takeUnretainedValue() }

        @inline(__always) var unmanagedNode: Unmanaged<Node> { .fromOpaque(address) }
        private var unmanagedList: Unmanaged<KeyList> { .fromOpaque(address) }
        private var address: UnsafeRawPointer {
            UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: raw & ~7))!
        }

        /// What a stored node holds here; loaded things must have been written.
        var encoded: UInt64 {
            isLiteral || isStored ? raw : isNode ? node.origin.raw : list.origin.raw
        }

        func release() {
            if isLiteral || isStored { return }
            if isNode { unmanagedNode.release() } else { unmanagedList.release() }
        }
    }

    /// A node taken apart for editing: ascending chunks, and what each leads to (object format 5.4).
    final class Node {
        /// Where the node is stored; none when it is new or changed.
        var origin: Ref
        var isDirty: Bool
        /// The slots lead to nodes of the same level of the trie.
        let isInner: Bool
        private(set) var count = 0
        private var capacity = 0
        private(set) var chunks: UnsafeMutablePointer<Int32>
        private var slots: UnsafeMutablePointer<Slot>

        /// A new node is dirty: nothing stores it yet.
        init(isInner: Bool, origin: Ref = .none, capacity: Int = 8) {
            self.isInner = isInner
            self.origin = origin
            isDirty = origin.isNone
            self.capacity = capacity
            chunks = .allocate(capacity: capacity)
            slots = .allocate(capacity: capacity)
        }

        deinit {
            removeAll()
            chunks.deallocate()
            slots.deallocate()
        }

        @inline(__always)
        func slot(_ i: Int) -> Slot {
            assert(i >= 0 && i < count)
            return slots[i]
        }

        /// Key of the node in its parent; the node is not empty.
        @inline(__always) var lastChunk: Int32 { chunks[count - 1] }

        /// Index of the first chunk that is not below `chunk`.
        @inline(__always)
        func lowerBound(_ chunk: Int32) -> Int {
            var low = 0
            var left = count
            while left > 0 {
                let half = left >> 1
                let isBelow = chunks[low &+ half] < chunk
                low = isBelow ? low &+ half &+ 1 : low
                left = isBelow ? left &- half &- 1 : half
            }
            return low
        }

        func insert(_ chunk: Int32, _ slot: Slot, at i: Int) {
            assert(i >= 0 && i <= count)
            if count == capacity { grow() }
            let tail = count - i
            (chunks + i + 1).update(from: chunks + i, count: tail)
            (slots + i + 1).update(from: slots + i, count: tail)
            chunks[i] = chunk
            slots[i] = slot
            count += 1
        }

        /// Adds objects under new chunks, given in their order in the upper halves of `pairs`, as long
        /// as they are new, no more than `room` and, unless the leaf is the last of its level, below
        /// its last chunk; answers how many.
        func merge(
            _ pairs: UnsafeBufferPointer<NumberPair>, room: Int, isLast: Bool
        ) -> Int {
            var taken = 0
            var i = 0
            let end = min(room, pairs.count)
            while taken < end {
                let chunk = Int32(truncatingIfNeeded: pairs[taken].number >> 32)
                while i < count, chunks[i] < chunk { i += 1 }
                if i == count ? !isLast : chunks[i] == chunk { break }
                if taken > 0, pairs[taken].number >> 32 == pairs[taken - 1].number >> 32 { break }
                taken += 1
            }
            if taken == 0 { return 0 }
            while count + taken > capacity { grow() }
            // From behind, so that each is moved once.
            var old = count - 1
            var new = taken - 1
            var at = count + taken - 1
            while new >= 0 {
                let chunk = Int32(truncatingIfNeeded: pairs[new].number >> 32)
                if old >= 0, chunks[old] > chunk {
                    chunks[at] = chunks[old]
                    slots[at] = slots[old]
                    old -= 1
                } else {
                    chunks[at] = chunk
                    slots[at] = Slot(literal: pairs[new].payload)
                    new -= 1
                }
                at -= 1
            }
            count += taken
            return taken
        }

        func append(_ chunk: Int32, _ slot: Slot) { insert(chunk, slot, at: count) }

        private func grow() {
            let room = max(8, capacity * 2)
            let (oldChunks, oldSlots) = (chunks, slots)
            chunks = .allocate(capacity: room)
            slots = .allocate(capacity: room)
            chunks.update(from: oldChunks, count: count)
            slots.update(from: oldSlots, count: count)
            oldChunks.deallocate()
            oldSlots.deallocate()
            capacity = room
        }

        @inline(__always)
        func setChunk(_ i: Int, _ chunk: Int32) {
            assert(i >= 0 && i < count)
            chunks[i] = chunk
        }

        /// Puts `slot` in the place of what was there, which it returns, still owned.
        func exchange(_ i: Int, _ slot: Slot) -> Slot {
            assert(i >= 0 && i < count)
            let old = slots[i]
            slots[i] = slot
            return old
        }

        func set(_ i: Int, _ slot: Slot) { exchange(i, slot).release() }

        func remove(at i: Int) {
            assert(i >= 0 && i < count)
            slots[i].release()
            count -= 1
            (chunks + i).update(from: chunks + i + 1, count: count - i)
            (slots + i).update(from: slots + i + 1, count: count - i)
        }

        func removeAll() {
            for i in 0..<count { slots[i].release() }
            count = 0
        }

        /// Moves everything from `i` on into a new node.
        func split(at i: Int) -> Node {
            let tail = Node(isInner: isInner, capacity: max(8, count - i))
            tail.count = count - i
            tail.chunks.update(from: chunks + i, count: count - i)
            tail.slots.update(from: slots + i, count: count - i)
            count = i
            return tail
        }

        /// Lets go of what is loaded below; all of it must have been written.
        func unload() {
            for i in 0..<count where !(slots[i].isLiteral || slots[i].isStored) {
                set(i, Slot(raw: slots[i].encoded))
            }
        }

        /// Writes the node to the slab: the chunks, 32 bits each in every case, and the slots.
        func encode(_ context: EditContext) throws(RealmError) -> Ref {
            let keyWidth: UInt8 = 6
            let (keys, payload) = try context.slab.node(flags: keyWidth, count: count)
            payload.copyMemory(from: chunks, byteCount: count * 4)
            let numbers = UnsafeMutableBufferPointer<Int64>.allocate(capacity: count + 1)
            defer { numbers.deallocate() }
            numbers[0] = Int64(bitPattern: keys.raw)
            for i in 0..<count { numbers[i + 1] = Int64(bitPattern: slots[i].encoded) }
            return try context.encoder.integers(
                UnsafeBufferPointer(numbers),
                flags: NodeView.hasRefsFlag | NodeView.contextFlag
                    | (isInner ? NodeView.innerFlag : 0))
        }
    }
}
