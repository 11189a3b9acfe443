import Glibc
import Synchronization

/// The names of unfinished output files, so that a signal handler can remove these files.
///
/// The list only grows: nodes and names are never freed, because a handler may be reading them at
/// any time. Nodes are reused, so there are only as many as there were unfinished files at the same
/// time.
package enum TemporaryFiles {
    /// An unfinished output file in the list, returned by `add` and passed to `remove`.
    package struct Entry: @unchecked Sendable {
        fileprivate let node: UnsafePointer<Node>
        fileprivate init(_ node: UnsafePointer<Node>) { self.node = node }
    }

    fileprivate struct Node: ~Copyable {
        let name: Atomic<UnsafeMutablePointer<CChar>?>
        let next: UnsafePointer<Node>?
    }

    /// Safe to share between threads, because the mutable fields of the list are atomic.
    nonisolated(unsafe) private static let head = Atomic<UnsafePointer<Node>?>(nil)
    /// Mutex that `add` holds while it changes the list. Signal handlers never lock it.
    private static let adding = Mutex(())

    /// Adds `path` to the list of unfinished files. It remains in the list until `remove` is called
    /// with the result.
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

    /// Removes a name from the list of unfinished files, because the file is finished or was
    /// removed.
    package static func remove(_ entry: Entry) {
        entry.node.pointee.name.store(nil, ordering: .sequentiallyConsistent)
    }

    /// Removes every unfinished file. May be called in a signal handler.
    package static func unlinkAll() {
        // A directory can only be removed when it is empty, so nested directories take one pass per
        // level.
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
