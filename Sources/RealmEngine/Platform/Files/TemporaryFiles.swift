import Glibc
import Synchronization

/// The names of unfinished output files, so that a signal handler can remove the files.
///
/// A list that only grows: nodes and names are never freed, because a handler may be reading them
/// at any instant. It has as many nodes as there ever were unfinished files at a time.
package enum TemporaryFiles {
    /// A listed name, returned by `add` and passed to `remove`.
    package struct Entry: @unchecked Sendable {
        fileprivate let node: UnsafePointer<Node>
        fileprivate init(_ node: UnsafePointer<Node>) { self.node = node }
    }

    fileprivate struct Node: ~Copyable {
        let name: Atomic<UnsafeMutablePointer<CChar>?>
        let next: UnsafePointer<Node>?
    }

    /// Safe to share: the list's mutable fields are atomic.
    nonisolated(unsafe) private static let head = Atomic<UnsafePointer<Node>?>(nil)
    /// Locked by threads that add names; a handler never locks it.
    private static let adding = Mutex(())

    /// Lists `path` until `remove` is called with the result.
    package static func add(_ path: String) -> Entry {
        adding.withLock { _ in
            let name = strdup(path)
            var node = head.load(ordering: .acquiring)
            while let current = node {
                let (isFree, _) = current.pointee.name.compareExchange(
                    expected: nil, desired: name, ordering: .sequentiallyConsistent)
                if isFree { return Entry(current) }
                node = current.pointee.next
            }
            let fresh = UnsafeMutablePointer<Node>.allocate(capacity: 1)
            fresh.initialize(
                to: Node(name: Atomic(name), next: head.load(ordering: .relaxed)))
            head.store(UnsafePointer(fresh), ordering: .releasing)
            return Entry(UnsafePointer(fresh))
        }
    }

    /// Removes a name from the list: the file is finished or has been removed.
    package static func remove(_ entry: Entry) {
        entry.node.pointee.name.store(nil, ordering: .sequentiallyConsistent)
    }

    /// Removes every unfinished file. Safe in a signal handler.
    package static func unlinkAll() {
        // Nested directories are removed one level at a time, once they are empty.
        for _ in 0..<3 { unlinkOnce() }
    }

    private static func unlinkOnce() {
        var node = head.load(ordering: .acquiring)
        while let current = node {
            if let name = current.pointee.name.load(ordering: .sequentiallyConsistent) {
                if unlink(name) != 0 { rmdir(name) }
            }
            node = current.pointee.next
        }
    }
}
