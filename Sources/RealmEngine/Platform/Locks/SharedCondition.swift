import CRealmSystem
import Glibc
import Synchronization

/// A condition variable in memory that several processes map. This engine only signals it.
///
/// Waiting is not safe against the death of the waiter. The C library counts waiters in the
/// condition; if a waiter was killed and there is another one, `broadcast` waits for ever for the
/// first and keeps the condition's internal lock. `ConditionSignaller` broadcasts where that does
/// no harm, and `release` ends such a wait.
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

    /// Whether threads wait, or were killed while they waited. Without any, `broadcast` does
    /// nothing.
    var mayHaveWaiters: Bool {
        Self.waiterWord.map { value($0) >> Self.waiterFlags != 0 } ?? true
    }

    /// Index of the word that counts waiters: the only non-zero word of a new condition, since its
    /// lowest bit is set for conditions that processes share. Nil if the C library has another
    /// layout.
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
    /// State of a condition while a thread is inside `broadcast`. If two states, read more than the
    /// time apart that a waiter needs to leave, are equal, a waiter or the broadcaster was killed.
    struct Blockage: Equatable {
        fileprivate let sequence: UInt32
        /// One word for each of the two groups of waiters: twice the number of waiters that have
        /// not left, plus 1 if a broadcaster waits for these.
        fileprivate let references: [UInt32]
        /// The word with the condition's internal lock in its two lowest bits.
        fileprivate let lock: UInt32

        /// Index of the group that a broadcaster waits for.
        fileprivate var group: Int { Int(sequence & 1) ^ 1 }
    }

    /// Indices of the condition's words in C libraries from 2.25 to 2.40. Newer ones do not wait
    /// for waiters.
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

    /// Nil while no thread is inside `broadcast`.
    var blockage: Blockage? {
        guard Self.waitsForWaiters, value(Word.lock) & 3 != 0 else { return nil }
        return Blockage(
            sequence: value(Word.sequence),
            references: [value(Word.references), value(Word.references + 1)],
            lock: value(Word.lock))
    }

    /// Sets the number of waiters that a broadcaster waits for to 0; if it waits for none and was
    /// therefore killed itself, unlocks the internal lock.
    ///
    /// If such a waiter is alive after all, stopped by a debugger for example, the count is wrong
    /// once it leaves. Then another broadcaster waits, until that state is detected and released in
    /// turn. Waiters for the writer's turn check again after half a second in any case.
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
