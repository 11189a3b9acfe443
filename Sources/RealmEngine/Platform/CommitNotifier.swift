import Glibc

/// Wakes the SDK processes that wait for commits at the FIFO beside the database (storage format
/// 6.11). They make the FIFO; where there is none, nobody waits.
final class CommitNotifier: Sendable {
    private let descriptor: Int32

    init(_ place: DatabasePlace) {
        descriptor = SideFile.descriptor(place.note, O_RDWR, S_IFIFO) ?? -1
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Drains, then writes one byte: listeners see the edge from empty to readable.
    func notify() {
        guard descriptor >= 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { bytes in
            for _ in 0..<16 {
                while retryingInterrupts({ read(descriptor, bytes.baseAddress, 512) }) > 0 {}
                bytes[0] = 0
                if retryingInterrupts({ write(descriptor, bytes.baseAddress, 1) }) == 1 { return }
            }
        }
    }
}
