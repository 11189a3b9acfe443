import Glibc

@testable import RealmEngine
@testable import ToolSupport

/// A scratch directory with a database that is half free space.
final class CompactLab {
    let scratch = ScratchDirectory()

    /// Creates `app.realm` in several commits: 4000 notes, of which 2000 are deleted again.
    init() throws {
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = false
        let session = try WriteSession(path: path("app.realm"), options: options)
        var transaction = try session.begin()
        let note = try transaction.createClass("Note", primaryKey: PropertySpec("id", .int))
        try transaction.addProperty(note, PropertySpec("text", .string))
        try transaction.addProperty(note, PropertySpec("kind", .string))
        for i in 0..<4000 {
            let key = try transaction.create(in: note, primaryKey: .int(Int64(i)))
            try Self.set(transaction, note, key, 1, "note number \(i) of very many that there are")
            try Self.set(transaction, note, key, 2, ["letter", "list", "sketch"][i % 3])
            if i % 1000 == 999 {
                try transaction.commit()
                transaction = try session.begin()
            }
        }
        for i in 0..<2000 {
            let key = try transaction.find(in: note, primaryKey: .int(Int64(2 * i)))!
            try transaction.remove(note, key)
        }
        try transaction.commit()
    }

    private static func set(
        _ transaction: WriteTransaction, _ table: TableKey, _ key: ObjectKey, _ column: Int,
        _ text: String
    ) throws {
        try Array(text.utf8).withUnsafeBytes { bytes in
            let view = ByteView(bytes.baseAddress!, count: bytes.count)
            try transaction.set(table, key, column, .string(view))
        }
    }

    func path(_ name: String) -> String { scratch.file(name) }

    func size(_ name: String) -> Int {
        var status = stat()
        return stat(path(name), &status) == 0 ? Int(status.st_size) : -1
    }

    /// Runs a script in the directory; `$C`, `$Q` and `$W` are the tools.
    func shell(_ script: String) -> ToolProcess {
        ToolProcess.shell(
            "C=$TOOL; Q=${TOOL%compact}query; W=${TOOL%compact}write; cd '\(scratch.path)'; "
                + script, tool: "realm-compact")
    }

    /// Returns the digests of a database's classes.
    func digest(_ name: String) -> String { shell("$Q --digest \(name)").text }

    /// Whether no temporary file is left.
    var hasNoTemporaryFiles: Bool { !scratch.entries.contains { $0.hasSuffix(".tmp") } }

    /// Writes a byte into a file.
    func damage(_ name: String, at offset: Int, _ byte: UInt8) {
        let descriptor = open(path(name), O_WRONLY)
        defer { close(descriptor) }
        _ = [byte].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, 1, off_t(offset)) }
    }
}
