import Synchronization

/// A table of all pins that programs of this engine hold, in the companion file
/// `<database>.management/readers`. It names processes and threads, where the lock file only counts
/// pins.
///
/// The table is for information only. If it cannot be opened, is full or was deleted, pins work as
/// usual.
///
/// A process claims a row by storing its id and start time in it, and then only this process writes
/// the row, so no lock is needed. Rows of ended processes can be claimed again.
package final class ReaderTable: Sendable {
    private let memory: SharedFileMemory
    private let owner: UInt64
    private let generation = ForkGeneration.current
    private let rows = LockedValue(Rows())

    /// All rows of the reader table that this participant has claimed for its pins, and the claimed
    /// rows without a pin.
    private struct Rows {
        var claimed: [Int32] = []
        var idle: [Int32] = []
    }

    /// Opens the reader table of the database at `path`; returns nil if it cannot be used.
    init?(databasePath path: String, creates: Bool) {
        guard
            let memory = SharedFileMemory(
                Self.name, directory: path + ".management",
                creating: creates ? { FilePermissions(of: path) ?? .ofNewDatabase } : nil,
                capacity: Layout.largestSize)
        else { return nil }
        self.memory = memory
        owner = Layout.owner(.current)
        guard memory.size > 0 || (creates && memory.grow()) else { return nil }
        guard Layout.adopt(memory.base) else { return nil }
        clearStale()
    }

    deinit {
        // In a forked process, the rows still belong to its parent.
        guard generation == ForkGeneration.current else { return }
        rows.withLock { rows in
            for row in rows.claimed {
                kind(row).pointee.store(0, ordering: .releasing)
                word(row, Layout.ownerOffset).pointee.store(0, ordering: .releasing)
            }
        }
    }

    private static let name = "readers"

    /// Stores a pin in a row of the reader table and returns the index of the row; nil if no row is
    /// free.
    ///
    /// - Parameter idle: row of this participant that `clear` emptied; nil to choose any free row.
    func take(
        _ kind: ReaderRow.Kind, version: UInt64, label: ReaderLabel, row idle: Int32? = nil
    ) -> Int32? {
        guard generation == ForkGeneration.current, let row = idle ?? idleRow() else { return nil }
        word(row, Layout.versionOffset).pointee.store(version, ordering: .relaxed)
        word(row, Layout.sinceOffset).pointee.store(
            UInt64(bitPattern: WallClock.coarseNanoseconds), ordering: .relaxed)
        word(row, Layout.threadOffset).pointee.store(
            UInt64(ThreadNumber.current), ordering: .relaxed)
        label.store { i, part in
            word(row, Layout.labelOffset + 8 * i).pointee.store(part, ordering: .relaxed)
        }
        self.kind(row).pointee.store(kind.rawValue, ordering: .releasing)
        return row
    }

    /// Empties a row of the reader table. The row stays reserved for the caller's next pin.
    func clear(_ row: Int32) {
        guard generation == ForkGeneration.current else { return }
        kind(row).pointee.store(0, ordering: .releasing)
    }

    /// Empties a row of the reader table and makes it available for other pins of this participant.
    func give(_ row: Int32) {
        guard generation == ForkGeneration.current else { return }
        clear(row)
        rows.withLock { $0.idle.append(row) }
    }

    // MARK: Claiming

    private func idleRow() -> Int32? {
        rows.withLock { rows in
            if let row = rows.idle.popLast() { return row }
            guard let row = claim() else { return nil }
            rows.claimed.append(row)
            return row
        }
    }

    private func claim() -> Int32? {
        if let row = freeRow() { return row }
        clearStale()
        if let row = freeRow() { return row }
        return memory.grow() ? freeRow() : nil
    }

    private var count: Int32 { Int32((memory.size - Layout.headerSize) / Layout.rowSize) }

    private func freeRow() -> Int32? {
        (0..<count).first { take(over: $0, from: 0) }
    }

    private func take(over row: Int32, from old: UInt64) -> Bool {
        let word = word(row, Layout.ownerOffset)
        guard word.pointee.load(ordering: .relaxed) == old else { return false }
        return word.pointee.compareExchange(
            expected: old, desired: owner, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Frees rows of the reader table whose process ended without freeing them.
    private func clearStale() {
        var runs: [UInt64: Bool] = [:]
        for row in 0..<count {
            let other = word(row, Layout.ownerOffset).pointee.load(ordering: .acquiring)
            if other == 0 || other == owner { continue }
            let isAlive = runs[other] ?? Layout.process(other).isRunning
            runs[other] = isAlive
            // Claims the row first, so that no other process can claim it before it is cleared.
            guard !isAlive, take(over: row, from: other) else { continue }
            kind(row).pointee.store(0, ordering: .releasing)
            word(row, Layout.ownerOffset).pointee.store(0, ordering: .releasing)
        }
    }

    private func word(_ row: Int32, _ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (memory.base + Layout.headerSize + Layout.rowSize * Int(row) + offset)
            .assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private func kind(_ row: Int32) -> UnsafeMutablePointer<Atomic<UInt64>> {
        word(row, Layout.kindOffset)
    }
}

extension ReaderTable {
    /// Reads all rows in use from the reader table's file. Rows of ended processes have `isStale`
    /// set. Neither opens the database at `path` nor writes anything. Returns an empty array if
    /// there is no table.
    package static func read(_ path: String) -> [ReaderRow] {
        let directory = DatabasePath(path).management
        guard
            let bytes = CompanionFile.beginning(of: name, in: directory, limit: Layout.largestSize),
            bytes.count >= Layout.headerSize
        else { return [] }
        return bytes.withUnsafeBytes { bytes in
            guard Layout.isKnown(bytes.baseAddress!) else { return [] }
            var runs: [ProcessIdentity: Bool] = [:]
            return (0..<(bytes.count - Layout.headerSize) / Layout.rowSize).compactMap { i in
                Layout.row(bytes.baseAddress! + Layout.headerSize + Layout.rowSize * i) { process in
                    if let known = runs[process] { return known }
                    let isRunning = process.isRunning
                    runs[process] = isRunning
                    return isRunning
                }
            }
        }
    }
}
