import Testing

/// What the documents beside the engine say about files is so.
@Suite struct DocumentTests {
    private static let engine = packageRoot + "/Sources/RealmEngine"
    private static let names = [
        "RealmEngine", "FileFormat", "LockFile", "Commit", "Concurrency", "Growth",
        "QueryExecution", "Testing",
    ]

    private static func lines(_ name: String) -> [Substring] {
        let bytes = contents(of: "\(engine)/RealmEngine.docc/\(name).md") ?? []
        return String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test(arguments: names)
    func documentIsThere(_ name: String) {
        let lines = Self.lines(name)
        #expect(lines.first?.hasPrefix("# ") == true)
        #expect(lines.allSatisfy { !$0.contains("\t") })
    }

    /// Source files named in backquotes exist.
    @Test(arguments: names)
    func namedFilesExist(_ name: String) {
        for line in Self.lines(name) {
            for word in line.split(separator: "`") where word.hasSuffix(".swift") {
                #expect(contents(of: "\(Self.engine)/\(word)") != nil, "\(word)")
            }
        }
    }

    /// Lines of an offset and eight bytes, in the block behind `<!-- bytes of FILE -->`.
    @Test func workedExampleIsInTheFile() throws {
        let lines = Self.lines("FileFormat")
        let start = try #require(lines.firstIndex { $0.hasPrefix("<!-- bytes of ") })
        let path = try #require(lines[start].split(separator: " ").dropFirst(3).first)
        let file = try #require(contents(of: "\(packageRoot)/\(path)"))
        var compared = 0
        for line in lines[(start + 2)...] {
            if line == "```" { break }
            let words = line.split(separator: " ")
            guard words.count > 8, let offset = Int(words[0], radix: 16) else { continue }
            let shown = words[1...8].map { UInt8($0, radix: 16) }
            try #require(offset + 8 <= file.count)
            #expect(shown == file[offset..<offset + 8].map { $0 }, "\(line)")
            compared += 1
        }
        #expect(compared > 30)
    }
}
