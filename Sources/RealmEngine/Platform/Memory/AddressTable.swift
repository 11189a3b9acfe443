/// Stretches of addresses and what stands for each: what a signal handler asks when it is told of an
/// address.
///
/// Changed with a mutex held. Read by handlers without: whoever faults has its stretch in use, so that
/// its slot stays as it is, and what others say meanwhile does not concern it.
struct AddressTable: @unchecked Sendable {
    private struct Slot {
        var start: UInt = 0
        var end: UInt = 0
        /// 0 in a free slot.
        var meaning: UInt = 0
    }

    private let slots: UnsafeMutablePointer<Slot>
    private let mutex = LockedValue(())
    private static let count = 64

    /// Never given back.
    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(), count: Self.count)
    }

    /// The slot of `capacity` bytes at `start`, which stand for `meaning`; -1 when none is left.
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

    /// What the stretch with `address` stands for, and how far into it that is. For handlers.
    func find(_ address: UInt) -> (meaning: UnsafeRawPointer, offset: Int)? {
        for i in 0..<Self.count where slots[i].start <= address && address < slots[i].end {
            guard let meaning = UnsafeRawPointer(bitPattern: slots[i].meaning) else { continue }
            return (meaning, Int(address - slots[i].start))
        }
        return nil
    }
}
