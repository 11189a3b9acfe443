/// Owner of the memory of a `SlotStack`.
final class SlotStackCache {
    let stack = SlotStack()

    deinit { stack.deallocate() }
}

/// Stack that contains the slots of the node being copied and of all nodes above it. One stack is
/// used for all nodes. The handle is a pointer: a class reference would be retained for every node.
struct SlotStack {
    private let memory: UnsafeMutablePointer<Memory>

    private struct Memory {
        var slots: UnsafeMutablePointer<Int64>
        var count = 0
        var capacity: Int
    }

    fileprivate init() {
        let capacity = 1 << 12
        memory = .holding(Memory(slots: .allocate(capacity: capacity), capacity: capacity))
    }

    fileprivate func deallocate() {
        memory.pointee.slots.deallocate()
        memory.release()
    }

    /// Bytes of memory allocated for the stack's slots.
    var byteSize: Int { memory.pointee.capacity * MemoryLayout<Int64>.stride }

    /// Pushes the slots of a node and returns the stack index of the first slot.
    func push(_ node: NodeView) -> Int {
        let first = memory.pointee.count
        memory.pointee.count = first + node.count
        if first + node.count > memory.pointee.capacity { grow(keeping: first) }
        IntegerKernels.decode(
            node, first: 0, count: node.count, into: memory.pointee.slots + first)
        return first
    }

    private func grow(keeping count: Int) {
        let old = memory.pointee.slots
        memory.pointee.capacity = 2 * memory.pointee.count
        memory.pointee.slots = .allocate(capacity: memory.pointee.capacity)
        memory.pointee.slots.update(from: old, count: count)
        old.deallocate()
    }

    func pop(to first: Int) { memory.pointee.count = first }

    /// The slot at a stack index. Pushing a node may move the memory, so a pointer into it is only
    /// valid until the next push.
    @inline(__always)
    subscript(i: Int) -> UInt64 {
        get { UInt64(bitPattern: memory.pointee.slots[i]) }
        nonmutating set { memory.pointee.slots[i] = Int64(bitPattern: newValue) }
    }

    /// Slots from stack index `first` to the top; valid until the next push.
    @inline(__always)
    func values(from first: Int) -> UnsafeBufferPointer<Int64> {
        UnsafeBufferPointer(
            start: memory.pointee.slots + first, count: memory.pointee.count - first)
    }
}
