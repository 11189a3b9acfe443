import Glibc
import Synchronization

/// An array of words, initially zero. Only pages that are accessed use memory.
final class ZeroedWords: Sendable {
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>

    init(_ count: Int) throws(RealmError) {
        guard let memory = calloc(max(1, count), 8) else {
            throw systemError("calloc", nil, errno: ENOMEM)
        }
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    }

    deinit { free(words) }

    @inline(__always)
    func load(_ i: Int) -> UInt64 { words[i].load(ordering: .relaxed) }

    /// Loads a word with acquire ordering: everything stored before the matching `publish` is
    /// visible afterwards.
    @inline(__always)
    func loadPublished(_ i: Int) -> UInt64 { words[i].load(ordering: .acquiring) }

    func store(_ word: UInt64, _ i: Int) { words[i].store(word, ordering: .relaxed) }

    func publish(_ word: UInt64, _ i: Int) { words[i].store(word, ordering: .releasing) }
}
