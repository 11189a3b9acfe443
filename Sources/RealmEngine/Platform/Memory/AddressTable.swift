/// A table from address ranges to pointers, for use in signal handlers.
///
/// Threads change it with a mutex held; handlers read it without. This is safe: while a thread
/// reads memory of a range, the slot of that range does not change, and changes of other slots do
/// not affect the lookup.
struct AddressTable: @unchecked Sendable {
    private struct Slot {
        var start: UInt = 0
        var end: UInt = 0
        /// Pointer that was registered with the address range from `start` to `end`; 0 in a free
        /// slot.
        var meaning: UInt = 0
    }

    private let slots: UnsafeMutablePointer<Slot>
    private let mutex = LockedValue(())
    private static let count = 64

    /// Allocates the slots. They are never freed.
    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(), count: Self.count)
    }

    /// Adds the address range of `capacity` bytes at `start`. `find` returns the pointer `meaning`
    /// for each address in the range. Returns the index of the range in the table, for `remove`; -1
    /// if the table is full.
    func add(_ start: UnsafeRawPointer, _ capacity: Int, _ meaning: UnsafeRawPointer) -> Int {
        mutex.withLock { _ in
            guard let i = (0..<Self.count).first(where: { slots[$0].meaning == 0 }) else {
                return -1
            }
            slots[i].start = UInt(bitPattern: start)
            slots[i].end = UInt(bitPattern: start) + UInt(capacity)
            slots[i].meaning = UInt(bitPattern: meaning)
            return i
        }
    }

    func remove(_ slot: Int) {
        if slot >= 0 { mutex.withLock { _ in slots[slot] = Slot() } }
    }

    /// Returns the pointer that was registered for the range with `address`, and the offset of
    /// `address` in the range; nil if no range contains it. May be called in a signal handler.
    func find(_ address: UInt) -> (meaning: UnsafeRawPointer, offset: Int)? {
        for i in 0..<Self.count where slots[i].start <= address && address < slots[i].end {
            guard let meaning = UnsafeRawPointer(bitPattern: slots[i].meaning) else { continue }
            return (meaning, Int(address - slots[i].start))
        }
        return nil
    }
}
