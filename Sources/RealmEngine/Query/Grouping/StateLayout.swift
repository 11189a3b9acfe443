/// Layout of the states of a group's aggregates, which are stored consecutively.
struct StateLayout: Sendable {
    struct Slot: Sendable {
        /// Operations of the aggregate function on its state; nil for the number of objects, which
        /// needs no state.
        let operation: AggregateOperation?
        /// Offset of the aggregate's state in bytes, from the start of the group's states.
        let offset: Int
    }

    /// Operation and state offset of each aggregate, in the order of the aggregates.
    let slots: [Slot]
    /// Size in bytes of the states of all aggregates for one group; a multiple of 16.
    let size: Int

    static let empty = StateLayout(slots: [], size: 0)

    private init(slots: [Slot], size: Int) { (self.slots, self.size) = (slots, size) }

    init(_ aggregates: [AggregateExpression], in table: TableInfo) {
        var end = 0
        slots = aggregates.map { aggregate in
            let element = aggregate.column(of: table)?.type
            let slot = Slot(
                operation: element.map { aggregate.function.operation(of: $0) }, offset: end)
            end += slot.operation?.size ?? 0
            return slot
        }
        size = end
    }

    /// Initializes the aggregate states of a group that has no objects yet.
    func start(_ states: UnsafeMutableRawPointer) {
        for slot in slots { slot.operation?.start(states + slot.offset) }
    }

    /// Adds the aggregate states `other` of the same group to `states`. The values of `other` must
    /// come after the values of `states` in the input.
    func merge(_ other: UnsafeRawPointer, into states: UnsafeMutableRawPointer) {
        for slot in slots {
            slot.operation?.merge(other + slot.offset, into: states + slot.offset)
        }
    }
}

/// The aggregate states of all groups in one array. The states of one group are adjacent. Grows one
/// group at a time.
final class StateTable {
    let layout: StateLayout
    private var base: UnsafeMutableRawPointer
    private var capacity = 8
    private var count = 0
    /// Initial aggregate states, which are copied for each new group.
    private let empty: UnsafeMutableRawPointer

    init(_ layout: StateLayout) {
        self.layout = layout
        base = .allocate(byteCount: max(1, capacity * layout.size), alignment: 16)
        empty = .allocate(byteCount: max(1, layout.size), alignment: 16)
        layout.start(empty)
    }

    deinit {
        base.deallocate()
        empty.deallocate()
    }

    func append() {
        if count == capacity { grow() }
        self[count].copyMemory(from: empty, byteCount: layout.size)
        count += 1
    }

    func removeAll() { count = 0 }

    /// Returns the states of the aggregates of a group, valid until the next group is appended.
    @inline(__always)
    subscript(group: Int) -> UnsafeMutableRawPointer { base + group &* layout.size }

    @inline(never)
    private func grow() {
        capacity *= 2
        let larger = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, capacity * layout.size), alignment: 16)
        larger.copyMemory(from: base, byteCount: count * layout.size)
        base.deallocate()
        base = larger
    }
}
