import Testing

@testable import ToolSupport

/// Frequent questions of Realm users, the most frequent first. realm-tools(7) answers each of them
/// with a command or a sentence.
@Suite struct RequestTests {
    private static let answers: [(request: String, words: [String])] = [
        ("Why does the file grow, and what helps?", ["--analyze", "realm-compact app.realm"]),
        ("CSV and JSON that others read, with relations", ["-f csv -o", "--all -f csv"]),
        ("Look without an upgrade, at old formats and new ones", ["ever upgrades a file"]),
        ("What form has a key?", ["64 raw bytes", "128 hex digits", "88 base64 characters"]),
        ("Is it damaged, where, what can be saved?", ["--check", "--salvage"]),
        ("A command-line program that ends", ["exits when it is done", "Alpine"]),
        ("Why does decryption fail?", ["wrong-key", "not-encrypted", "block-damaged"]),
        ("Compaction without much memory", ["constant memory"]),
        ("A synced file opened locally", ["--local"]),
        ("Follow another process", ["--watch --initial"]),
        ("A file to ship with an app", ["realm-write --create --schema-file"]),
        ("Format and schema version without opening", ["-g format -g schema-version"]),
        ("Read beside an app, whatever its lock file", ["layout of its lock file"]),
        ("Read from where nothing can be written", ["--access immutable", "read-only media"]),
        ("Rename, drop, make optional", ["--rename", "--drop", "--optional", "--required"]),
        ("Which versions are alive, who holds them, live", ["can hold them", "--watch"]),
        ("A copy of an open file", ["-o copy.realm", "half a commit"]),
        ("Add, change, remove the key", ["--new-encryption-key-file", "--decrypt"]),
        ("Export of much data, and of cycles", ["cycles end", "streamed"]),
        ("Links, dates, nulls and types of CSV", ["--link owner=Person", "INPUT", "refused"]),
        ("Open without model classes", ["no model classes"]),
        ("How is a query written?", ["QUERIES", "BETWEEN", "SORT", "LIMIT"]),
        ("A full disk during compaction", ["too full, nothing is touched"]),
        ("Which process is in the way?", ["the message names them"]),
        ("One class, or what a filter finds", ["A predicate selects objects"]),
        ("JSON in a standard form", ["plain JSON"]),
        ("How much can be reclaimed, and only if it pays", ["--if-free", "prints an estimate"]),
        ("Large files, the first few rows", ["-L 100"]),
        ("Update and insert in bulk", ["--where", "--set", "echo"]),
        ("Import JSON", ["JSON and NDJSON in the same way"]),
        ("Back to an older format", ["--to-format 23"]),
        ("Programs for Linux that start", ["needs no library"]),
        ("Which class takes the space?", ["which class and property takes the space"]),
        ("Encrypted files in every tool", ["Every tool accepts"]),
        ("In which zone are times?", ["Dates are printed in UTC"]),
    ]

    private static let page: String = {
        let source = contents(of: packageRoot + "/man/realm-tools.7") ?? []
        let words = String(decoding: source, as: UTF8.self)
            .replacing("\\-", with: "-").replacing("\\&", with: "")
            .replacing(#/(?m)^\.[A-Z][a-z] /#, with: "").replacing("\\fB", with: "")
            .replacing("\\fP", with: "").replacing("\\fI", with: "")
        return words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }()

    @Test(arguments: answers.indices)
    func everyRequestHasAnAnswer(_ place: Int) {
        let (request, words) = Self.answers[place]
        for word in words {
            let isThere = Self.page.contains(word)
            #expect(isThere, "\(place + 1). \(request) \(word)")
        }
    }

    @Test func allRequestsAreListed() { #expect(Self.answers.count == 35) }
}
