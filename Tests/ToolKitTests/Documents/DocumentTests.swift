import Testing

@testable import ToolSupport

/// The pages of the engine's documentation agree with the sources.
@Suite struct DocumentTests {
    private static let engine = packageRoot + "/Sources/RealmEngine"
    private static let names = [
        "RealmEngine", "WhereThingsAre", "FileFormat", "Encryption", "LockFile", "Commit",
        "Editing", "Concurrency", "Instances", "Growth", "QueryExecution", "Upkeep", "Opening",
        "Testing", "Simulator",
        "Measuring", "Performance", "Legacy", "Salvaging", "Words",
    ]

    private static func lines(_ name: String) -> [Substring] {
        let bytes = contents(of: "\(engine)/RealmEngine.docc/\(name).md") ?? []
        return String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test(arguments: names)
    func everyDocumentExists(_ name: String) {
        let lines = Self.lines(name)
        #expect(lines.first?.hasPrefix("# ") == true)
        #expect(lines.allSatisfy { !$0.contains("\t") })
    }

    /// Source files in backquotes exist, in the engine or in the module with which the path begins.
    @Test(arguments: names)
    func namedFilesExist(_ name: String) {
        let modules = [
            "ToolKit/", "ToolQuery/", "ToolWrite/", "ToolFiles/", "ToolBench/", "Tools/",
            "realm-query/", "RealmRecords/", "RealmSwift/",
        ]
        for line in Self.lines(name) {
            for word in line.split(separator: "`") where word.hasSuffix(".swift") {
                let isElsewhere = modules.contains { word.hasPrefix($0) }
                let folder = isElsewhere ? packageRoot + "/Sources" : Self.engine
                #expect(contents(of: "\(folder)/\(word)") != nil, "\(word)")
            }
        }
    }

    /// The overview lists all folders and all other pages.
    @Test func overviewIsComplete() {
        let lines = Self.lines("RealmEngine")
        let cells = lines.filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|") }
        let text = cells.map { $0[0] + $0[1] }.joined()
        let listed = Set(text.matches(of: #/`(\w+(?:\/\w*)?)`/#).map(\.output.1))
        let found = ToolProcess.shell(
            "cd '\(Self.engine)' && find . -mindepth 1 -type d -not -name '*.docc'"
        ).text
        for folder in found.split(separator: "\n").map({ $0.dropFirst(2) }) {
            let parts = folder.split(separator: "/")
            let isListed =
                parts.count == 1
                ? listed.contains("\(folder)/")
                : listed.contains(folder) || listed.contains(parts[1])
            #expect(isListed, "\(folder)")
        }
        for name in Self.names.dropFirst() {
            #expect(lines.contains { $0 == "- <doc:\(name)>" }, "\(name)")
        }
        let pages = ToolProcess.shell("cd '\(Self.engine)/RealmEngine.docc' && ls *.md").text
        let there = pages.split(separator: "\n").map { $0.dropLast(3) }
        #expect(there.sorted() == Self.names.map { $0[...] }.sorted())
    }

    /// The page Concurrency explains each type that is `@unchecked Sendable`.
    @Test func uncheckedTypesAreExplained() {
        let found = ToolProcess.shell(
            "cd '\(Self.engine)' && grep -rh --include=*.swift '@unchecked Sendable' .")
        let types = found.text.matches(of: #/(?:struct|class|enum) (\w+)/#).map(\.output.1)
        #expect(types.count > 20)
        let text = Self.lines("Concurrency").joined(separator: "\n")
        for type in types { #expect(text.contains("`\(type)`"), "\(type)") }
    }

    /// Test suites that pages name exist.
    @Test func namedTestsExist() {
        let declared = ToolProcess.shell(
            "cd '\(packageRoot)/Tests' && ls && grep -rhoE '(struct|class|enum) [A-Za-z]+' .")
        let known = Set(declared.text.split { $0 == " " || $0 == "\n" })
        for name in Self.names {
            let text = Self.lines(name).joined(separator: "\n")
            for match in text.matches(of: #/`(\w+Tests)\b/#) {
                #expect(known.contains(match.output.1), "\(name): \(match.output.1)")
            }
        }
    }

    /// Members that pages name, such as `Commit.run`, are declared in a file of their type.
    @Test func namedMembersExist() throws {
        let files = ToolProcess.shell(
            "cd '\(packageRoot)' && find Sources Tests -name '*.swift' -not -path '*/.build/*'")
        var sources: [(types: Set<Substring>, names: Set<Substring>)] = []
        for path in files.text.split(separator: "\n") {
            let text = String(
                decoding: contents(of: "\(packageRoot)/\(path)") ?? [], as: UTF8.self)
            let types = text.matches(
                of: #/(?:struct|class|enum|actor|protocol|extension|typealias) (?:\w+\.)*(\w+)/#)
            let names = text.matches(of: #/(?:func|var|let|case|init|,) ?`?(\w+)/#)
            let hasInit: Set<Substring> = text.contains("init(") ? ["init"] : []
            sources.append(
                (Set(types.map(\.output.1)), Set(names.map(\.output.1)).union(hasInit)))
        }
        #expect(sources.count > 900)
        for name in Self.names {
            let text = Self.lines(name).joined(separator: "\n")
            for match in text.matches(of: #/`([A-Z]\w+)\.([a-z]\w*)/#) {
                let (_, type, member) = match.output
                if ["swift", "md", "realm"].contains(member) { continue }
                let isDeclared = sources.contains {
                    $0.types.contains(type) && $0.names.contains(member)
                }
                #expect(isDeclared, "\(name): \(type).\(member)")
            }
        }
    }

    /// The example in the page FileFormat has the bytes of its file. Its lines, after `<!-- bytes
    /// of FILE -->`, are an offset and eight bytes each.
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
