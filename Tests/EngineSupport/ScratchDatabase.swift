import Foundation

@testable import RealmEngine

/// A temporary database file that is deleted when the last reference to this object is released.
final class ScratchDatabase {
    let path = FileManager.default.temporaryDirectory.path + "/c-\(UUID().uuidString).realm"

    deinit {
        for suffix in ["", ".lock", ".note", ".management"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Writes the newest version of `database`, compacted, to this file.
    @discardableResult
    func compact(
        _ database: Database, _ options: Compactor.Options = .init()
    ) throws -> Compactor.Result {
        let fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        defer { close(fd) }
        return try Compactor.write(database.snapshot(), to: fd, path: path, options: options)
    }

    /// Returns a copy of `source` in which each string property that allows it is enumerated: its
    /// leaves store indexes into a list of its distinct values.
    static func enumerated(_ source: Database) throws -> ScratchDatabase {
        let properties = source.schema.tables.flatMap { info in
            info.columns.indices.filter { DistinctValues.obstacle(info, $0) == nil }.map {
                Enumeration.Property(className: info.className, name: info.columns[$0].name)
            }
        }
        let copy = ScratchDatabase()
        var options = Compactor.Options()
        options.enumeration = .properties(properties)
        let result = try copy.compact(source, options)
        precondition(result.enumerated > 0)
        return copy
    }

    static func digests(_ database: Database) throws -> [UInt64] {
        let snapshot = database.snapshot()
        return try snapshot.schema.tables.map { try ContentDigest(snapshot).digest($0) }
    }

    /// Runs the integrity check and counts its findings by code, except those about the use of
    /// space.
    static func complaints(_ path: String) throws -> [IntegrityReport.Code: Int] {
        let space: Set<IntegrityReport.Code> = [.fileSize, .staleSlot, .leakedSpace]
        return try IntegrityCheck.run(path: path).counts.filter { !space.contains($0.key) }
    }
}
