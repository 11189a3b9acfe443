import Glibc
import Synchronization

/// Wakes the processes that wait for commits at the FIFO beside the database (storage format 6.11).
/// These are SDKs and programs of this engine. A process that waits creates the FIFO; if there is
/// no FIFO, no process waits.
final class CommitNotifier: Sendable {
    private let path: String
    /// Descriptor of the commit FIFO beside the database; negative if the FIFO was not found yet.
    private let descriptor: Atomic<Int32>
    /// Number of the session's participants when the commit FIFO was last searched.
    private let participants = Atomic<UInt32>(0)

    init(_ resolvedPath: DatabasePath) {
        path = resolvedPath.note
        descriptor = Atomic(Self.open(path))
    }

    deinit {
        let descriptor = descriptor.load(ordering: .relaxed)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Opens the commit FIFO at `path`; returns a negative number if there is none.
    static func open(_ path: String) -> Int32 {
        CompanionFile.descriptor(path, O_RDWR, S_IFIFO) ?? -1
    }

    /// Empties the FIFO, then writes one byte, so that listeners see it change from empty to
    /// readable.
    ///
    /// - Parameter participants: number of the session's participants. When it changes, the FIFO is
    ///   searched again, because a new participant may have created it.
    func notify(participants: UInt32) {
        guard let descriptor = found(participants) else { return }
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { bytes in
            for _ in 0..<16 {
                while retryingInterrupts({ read(descriptor, bytes.baseAddress, 512) }) > 0 {}
                bytes[0] = 0
                if retryingInterrupts({ write(descriptor, bytes.baseAddress, 1) }) == 1 { return }
            }
        }
    }

    private func found(_ count: UInt32) -> Int32? {
        let known = descriptor.load(ordering: .acquiring)
        if known >= 0 { return known }
        guard participants.exchange(count, ordering: .relaxed) != count else { return nil }
        let fresh = Self.open(path)
        guard fresh >= 0 else { return nil }
        let (isFirst, other) = descriptor.compareExchange(
            expected: -1, desired: fresh, ordering: .acquiringAndReleasing)
        if isFirst { return fresh }
        close(fresh)
        return other
    }
}

extension CompanionFile {
    /// Opens the FIFO at `path`, or creates it; returns nil if it cannot be opened.
    static func fifo(_ path: String, creating permissions: () -> FilePermissions) -> Int32? {
        if let found = descriptor(path, O_RDWR, S_IFIFO) { return found }
        guard errno == ENOENT else { return nil }
        let wanted = permissions().ofSideFile
        let isNew = mkfifo(path, wanted.atFirst) == 0
        guard let found = descriptor(path, O_RDWR, S_IFIFO) else { return nil }
        if isNew { wanted.complete(found) }
        return found
    }
}
