import CRealmSystem
import Glibc
import Synchronization

/// A condition variable in memory that several processes map. This engine only signals it.
///
/// Waiting for the condition is not safe, because a waiter may be killed. The C library counts
/// waiters in the condition. If a waiter was killed and there is another waiter, `broadcast` waits
/// for ever for the killed waiter and keeps the condition's internal lock. Therefore
/// `ConditionSignaller` broadcasts on a thread that may hang, and `release` ends a hanging
/// broadcast.
struct SharedCondition {
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init(_ address: UnsafeMutableRawPointer) {
        condition = address.assumingMemoryBound(to: pthread_cond_t.self)
    }

    static let size = MemoryLayout<pthread_cond_t>.size

    func initialize(isShared: Bool) {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        if isShared { pthread_condattr_setpshared(&attributes, Int32(PTHREAD_PROCESS_SHARED)) }
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    /// Wakes all waiters. Waits for ever for a waiter that was killed.
    func broadcast() { pthread_cond_broadcast(condition) }

    private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        (UnsafeMutableRawPointer(condition) + 4 * index).assumingMemoryBound(
            to: Atomic<UInt32>.self)
    }

    private func value(_ index: Int) -> UInt32 { word(index).pointee.load(ordering: .acquiring) }

    /// Whether threads wait, or were killed while they waited. If false, `broadcast` has no effect.
    var mayHaveWaiters: Bool {
        Self.waiterWord.map { value($0) >> Self.waiterFlags != 0 } ?? true
    }

    /// Index of the 32-bit word of a `pthread_cond_t` that contains the number of waiters; its
    /// lowest bits are flags. Determined from a newly initialised condition variable: the only
    /// non-zero word is this one, whose lowest bit is set because processes share the variable. Nil
    /// if the C library has another layout.
    private static let waiterWord: Int? = {
        var bytes = [UInt32](repeating: 0, count: size / 4)
        return bytes.withUnsafeMutableBytes { bytes in
            let condition = SharedCondition(bytes.baseAddress!)
            condition.initialize(isShared: true)
            let words = (0..<size / 4).filter { condition.value($0) != 0 }
            return words.count == 1 && condition.value(words[0]) == 1 ? words[0] : nil
        }
    }()
    private static let waiterFlags: UInt32 = 3
}

extension SharedCondition {
    /// State of a condition variable while a thread is inside `broadcast`. Read the state twice,
    /// and between the two give waiters time to wake up and leave. If both states are equal, a
    /// waiter or the broadcasting thread was killed.
    struct Blockage: Equatable {
        fileprivate let sequence: UInt32
        /// One word for each of the condition's two groups of waiters. The C library wakes one
        /// group while new waiters join the other. A word is twice the number of waiters in the
        /// group, plus 1 if a thread inside `broadcast` waits until the group is empty.
        fileprivate let references: [UInt32]
        /// Word of the condition variable whose two lowest bits are the variable's internal lock.
        fileprivate let lock: UInt32

        /// Index, 0 or 1, of the group of waiters that must leave before the broadcast can return.
        /// The C library divides the waiters into two groups.
        fileprivate var group: Int { Int(sequence & 1) ^ 1 }
    }

    /// Indexes of the 32-bit words of a `pthread_cond_t` in versions 2.25 to 2.40 of the C library.
    /// In later versions, `broadcast` does not wait for waiters.
    private enum Word {
        static let sequence = 0
        static let references = 4
        static let lock = 8
    }

    private static let waitsForWaiters: Bool = {
        let parts = String(cString: realm_c_library_version()).split(separator: ".")
        guard parts.count >= 2, parts[0] == "2", let minor = Int(parts[1]) else { return false }
        return (25...40).contains(minor) && waiterWord == 9
    }()

    /// State of the condition variable while a thread is inside `broadcast`; nil if no thread is.
    var blockage: Blockage? {
        guard Self.waitsForWaiters, value(Word.lock) & 3 != 0 else { return nil }
        return Blockage(
            sequence: value(Word.sequence),
            references: [value(Word.references), value(Word.references + 1)],
            lock: value(Word.lock))
    }

    /// Ends a broadcast that waits for killed waiters, by setting the number of waiters to 0. If
    /// the broadcasting thread waits for no waiter, the thread itself was killed. In that case,
    /// unlocks the condition's internal lock.
    ///
    /// If a waiter is alive after all, for example stopped by a debugger, the number of waiters is
    /// wrong once that waiter leaves. The next broadcast then hangs too, until it is detected and
    /// released in turn. Waiters for the write mutex check the mutex again after half a second in
    /// any case.
    func release(_ blockage: Blockage) {
        let group = Word.references + blockage.group
        let references = blockage.references[blockage.group]
        if references >> 1 > 0 {
            exchange(group, references, references & 1)
        } else {
            exchange(Word.lock, blockage.lock, blockage.lock & ~3)
        }
    }

    private func exchange(_ index: Int, _ old: UInt32, _ new: UInt32) {
        guard
            word(index).pointee.compareExchange(
                expected: old, desired: new, ordering: .acquiringAndReleasing
            ).exchanged
        else { return }
        realm_wake_all(word(index))
    }
}
