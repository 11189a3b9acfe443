import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolQuery
@testable import ToolSupport

/// Damaged files: the tool always prints a result or an error with a message.
@Suite struct HostileExportTests {
    private let scratch = ScratchDirectory()

    private struct Random {
        var state: UInt64

        mutating func next(below limit: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
            return Int((z ^ z >> 31) % UInt64(limit))
        }
    }

    /// Requests that read the whole database in different ways.
    private static let requests: [[String]] = [
        [], ["-a"], ["-a", "--types=extended", "-fjson"], ["-a", "--backlinks"], ["--digest"],
        ["-a", "-ftable", "-q"], ["-S"],
    ]

    @Test(arguments: ["query/social.realm", "query/anyval.realm", "query/bags.realm"])
    func damagedFilesAreExportedSafely(name: String) throws {
        let original = contents(of: QueryRun.fixture(name)) ?? []
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Random(state: seed)
        for round in 0..<60 {
            var bytes = original
            for _ in 0...random.next(below: 4) {
                let place = 24 + random.next(below: bytes.count - 24)
                bytes[place] = UInt8(truncatingIfNeeded: random.next(below: 256))
            }
            let path = scratch.write("damaged.realm", bytes)
            for request in Self.requests {
                let kind = try outcome(request + ["--force", "-o", scratch.file("out"), path])
                #expect(
                    kind == nil || kind == .corrupt || kind == .input || kind == .incompatible,
                    "\(name) round \(round) of seed \(seed): \(request)")
            }
            let expanded = ["-x", "friends,boss,address.landlord", "--force", "-o"]
            _ = try outcome(expanded + [scratch.file("out"), path, "Person"])
        }
    }

    /// Runs the tool and returns the kind of its error; nil if it succeeded.
    private func outcome(_ arguments: [String]) throws -> RealmError.Kind? {
        let command = try OptionParser.parse(
            QueryTable.table, arguments[...], posixlyCorrect: false)
        do throws(RealmError) {
            _ = try QueryTool.run(command)
            return nil
        } catch {
            #expect(!error.message.isEmpty)
            return error.kind
        }
    }

    @Test func theCacheOfLinksFindsOnlyKeysThatItHas() {
        let cache = LinkCache()
        defer { cache.free() }
        var out = ByteBuffer()
        for key in -3...5000 as ClosedRange<Int64> {
            let found = cache.append(ObjectKey(key), to: &out)
            #expect(!found)
        }
        out.append("text")
        for key in [-1, 0, 2047] as [Int64] {
            cache.store(ObjectKey(key), out, from: 0)
            let found = cache.append(ObjectKey(key), to: &out)
            let count = out.count
            #expect(found && count == 8)
            out.removeAll()
            out.append("text")
        }
    }

    @Test func nestedObjectsHaveAMaximumDepth() throws {
        for depth in [50, 150, 250] {
            let path = scratch.file("nested-\(depth).realm")
            try makeNested(path, depth: depth)
            for request in [["-a"], ["-a", "-fcsv", "--output-dir", scratch.path], ["--digest"]] {
                let output = request.contains("-fcsv") ? [] : ["-o", scratch.file("out")]
                let kind = try outcome(request + ["--force"] + output + [path])
                #expect(kind == (depth > JSONRenderer.maximumDepth ? .corrupt : nil))
            }
        }
    }

    /// Makes an object with a chain of embedded objects of the given depth.
    private func makeNested(_ path: String, depth: Int) throws {
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        let inner = try transaction.createClass("Inner", kind: .embedded)
        var link = PropertySpec("inner", .link)
        link.target = inner
        try transaction.addProperty(inner, link)
        let outer = try transaction.createClass("Outer")
        try transaction.addProperty(outer, link)
        var (table, key) = (outer, try transaction.create(in: outer))
        for _ in 0..<depth {
            key = try transaction.createEmbedded(table, key, 0)
            table = inner
        }
        try transaction.commit()
    }
}
