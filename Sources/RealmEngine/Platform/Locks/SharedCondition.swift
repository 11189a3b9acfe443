import CRealmSystem
import Glibc
import Synchronization

/// A condition variable in memory that several processes map: this engine only signals.
///
/// Waiting at one is not safe against dying. The C library counts waiters in the condition; for a
/// waiter that was killed, `broadcast` waits without end as soon as there is another waiter, and keeps
/// the condition's own lock meanwhile. `ConditionSignaller` broadcasts where that does no harm, and
/// `release` ends it.
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

    /// Wakes all waiters. May wait for ever for one that was killed.
    func broadcast() { pthread_cond_broadcast(condition) }

    private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        (UnsafeMutableRawPointer(condition) + 4 * index).assumingMemoryBound(
            to: Atomic<UInt32>.self)
    }

    private func value(_ index: Int) -> UInt32 { word(index).pointee.load(ordering: .acquiring) }

    /// Whether threads wait, or were killed while they did: without any, `broadcast` does nothing.
    var mayHaveWaiters: Bool {
        Self.waiterWord.map { value($0) >> Self.waiterFlags != 0 } ?? true
    }

    /// The word that counts waiters: the only one of a new condition that is not 0, since its lowest bit
    /// says that processes share the condition. Nil where the C library does otherwise.
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
    /// State of a condition while a thread is inside `broadcast`. If two states that were read further
    /// apart than a waiter needs to leave are equal, a waiter or the broadcaster was killed.
    struct Blockage: Equatable {
        fileprivate let sequence: UInt32
        /// The two groups of waiters: how many have not left yet, times 2, and whether a broadcaster
        /// waits for that.
        fileprivate let references: [UInt32]
        /// The condition's own lock, in the two lowest bits.
        fileprivate let lock: UInt32

        /// The group that a broadcaster waits for.
        fileprivate var group: Int { Int(sequence & 1) ^ 1 }
    }

    /// Words of the condition in C libraries from 2.25 to 2.40. Newer ones do not wait for waiters.
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

    /// Counts the waiters as gone that a broadcaster waits for, or, where it waits for none, was killed
    /// itself, opens its lock.
    ///
    /// Should one of them live after all, stopped by a debugger for example, the count is wrong when it
    /// leaves; then another broadcaster waits, until that is found and released in turn. Waiters for the
    /// writer's turn look again after half a second in any case.
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
