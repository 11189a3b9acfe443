import Glibc
import Synchronization

/// The names of unfinished output files, kept so that a signal handler can remove them.
///
/// A list that only grows: nodes and names are never freed, because a handler may be reading them
/// at any instant. A process makes one node per file that is unfinished at the same time.
package enum TemporaryFiles {
    /// What `add` returns and `remove` takes back.
    package struct Entry: @unchecked Sendable {
        fileprivate let node: UnsafePointer<Node>
        fileprivate init(_ node: UnsafePointer<Node>) { self.node = node }
    }

    fileprivate struct Node: ~Copyable {
        let name: Atomic<UnsafeMutablePointer<CChar>?>
        let next: UnsafePointer<Node>?
    }

    /// Atomic, and what it leads to is atomic or constant.
    nonisolated(unsafe) private static let head = Atomic<UnsafePointer<Node>?>(nil)
    /// Held by threads that add; a handler never takes it.
    private static let adding = Mutex(())

    /// Remembers `path` until it is given back.
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

    /// The file is finished or gone.
    package static func remove(_ entry: Entry) {
        entry.node.pointee.name.store(nil, ordering: .sequentiallyConsistent)
    }

    /// Removes every unfinished file. Safe in a signal handler.
    package static func unlinkAll() {
        // Directories become empty before they go, one in another.
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
