import Foundation
import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Targets of the tools and folders of modules use only targets and folders of lower layers.
@Suite struct ToolLayerTests {
    /// Modules that the sources of each target may import.
    private static let imports: [String: Set<String>] = [
        "RealmRecords": ["Glibc", "RealmEngine"],
        "ToolKit": ["Glibc", "Synchronization", "RealmEngine", "RealmRecords"],
        "ToolQuery": ["Glibc", "Synchronization", "RealmEngine", "RealmRecords", "ToolKit"],
        "ToolWrite": ["Glibc", "Synchronization", "RealmEngine", "RealmRecords", "ToolKit"],
        "ToolFiles": ["Glibc", "Synchronization", "RealmEngine", "RealmRecords", "ToolKit"],
        "ToolBench": [
            "Glibc", "Synchronization", "RealmEngine", "RealmRecords", "ToolKit", "ToolQuery",
            "ToolWrite",
        ],
        "ToolVersion": [], "DescribeVersion": ["Foundation", "PackagePlugin"],
        "Tools": [
            "RealmEngine", "ToolKit", "ToolQuery", "ToolWrite", "ToolFiles", "ToolBench",
            "ToolVersion",
        ],
        "CoreTasks": [
            "Glibc", "Synchronization", "RealmEngine", "RealmRecords", "ToolKit", "ToolBench",
            "ToolVersion",
        ],
        "RealmActors": ["CRealmSystem", "RealmEngine"],
        "RealmSwift": [
            "CRealmSystem", "Dispatch", "Foundation", "Observation", "RealmActors", "RealmEngine",
            "RealmRecords", "Swift",
            "Synchronization",
        ],
        "core-bench": ["Glibc", "CoreTasks"],
        "realm-query": ["Glibc", "Tools"], "realm-write": ["Glibc", "Tools"],
        "realm-compact": ["Glibc", "Tools"],
        "realm-versions": ["Glibc", "Tools"], "realm-bench": ["Glibc", "Tools"],
    ]

    /// Folders of a module by rank, lowest first. A folder may use folders of the same and lower
    /// ranks. Files outside of folders have the highest rank.
    private static let folders: [String: [[String]]] = [
        "RealmRecords": [["Input"], ["Values"], ["JSON", "Tables"], ["Objects"], ["Classes"]],
        "ToolKit": [
            ["Text"], ["Terminal"], ["Exit"], ["Output"], ["Input"], ["Schema"], ["Drawing"],
            ["Keys"], ["Options"], ["Completion"], ["Manual"], ["Export"], ["Databases"],
        ],
        "ToolQuery": [["Models", "Page"], ["Changes", "Query", "Remnants"]],
        "ToolWrite": [["Request"], ["Streams"], ["Records", "Schema"], ["Load"]],
        "ToolFiles": [["Versions"], ["Compact"]],
        "ToolBench": [
            ["Measuring"], ["Data"], ["Workloads"], ["Comparison", "Peer", "Reports"],
            ["Options"], ["Scaling"],
        ],
        // Public types of the SDK's API reference each other in cycles, so their folders have the
        // same rank.
        "RealmSwift": [
            ["Values", "Model", "Objects", "Realm", "Collections", "Queries"], ["Projections"],
            ["Sections"], ["Threads"], ["Notifications"], ["Testing"],
        ],
    ]

    /// Permitted uses of a type of a higher folder, because a type of the SDK's API returns or
    /// recognises it.
    private static let exceptions = [
        "Collections/RealmCollection.swift": "SectionedResults",
        "Objects/DynamicObject.swift": "ThreadTransferable",
    ]

    private static let root = packageRoot + "/Sources"

    private struct Source {
        let name: String
        let text: String

        /// The source without comments and string literals.
        var code: String {
            text.replacing(#/\/\/.*/#, with: "")
                .replacing(#/"""(?:.|\n)*?"""/#, with: "")
                .replacing(#/"(?:\\.|[^"\\\n])*"/#, with: "")
        }
    }

    private static func sources(in folder: String) throws -> [Source] {
        let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.allObjects ?? []
        return try names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map {
            Source(
                name: $0,
                text: try String(contentsOfFile: "\(root)/\(folder)/\($0)", encoding: .utf8))
        }
    }

    /// Each of these would link a part of the runtime that programs do not need otherwise: regular
    /// expressions are 1 MB, tasks 0.7 MB.
    @Test(arguments: ["replacing(\"", "firstMatch(of", "Regex", "ContinuousClock", "Task {"])
    func largeRuntimeLibrariesAreNotUsed(_ word: String) throws {
        for target in Self.imports.keys.filter({ $0.contains("Tool") })
            + ["RealmEngine", "RealmRecords"]
        {
            for source in try Self.sources(in: target) where source.text.contains(word) {
                Issue.record("\(target)/\(source.name) uses \(word)")
            }
        }
    }

    @Test(arguments: imports.keys.sorted())
    func targetsImportOnlyLowerTargets(target: String) throws {
        let sources = try Self.sources(in: target)
        #expect(!sources.isEmpty)
        for source in sources {
            for match in source.text.matches(of: #/(?m)^(?:@\S+ )*import (?:\w+ )?(\w+)/#) {
                let module = String(match.output.1)
                #expect(Self.imports[target]!.contains(module), "\(target)/\(source.name)")
            }
        }
    }

    @Test func everyTargetIsListed() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.root)
        #expect(
            Set(folders).subtracting(["RealmEngine", "CRealmCrypto", "CRealmSystem"])
                == Set(Self.imports.keys))
    }

    @Test(arguments: folders.keys.sorted())
    func foldersUseOnlyEarlierFolders(module: String) throws {
        let ranks = Self.folders[module]!
        let sources = try Self.sources(in: module)
        func rank(_ source: Source) -> Int {
            let parts = source.name.split(separator: "/").map(String.init)
            if parts.count == 1 { return ranks.count }
            return ranks.firstIndex { $0.contains(parts[0]) } ?? -1
        }
        var declared: [Substring: Int] = [:]
        for source in sources {
            #expect(rank(source) >= 0, "\(source.name)")
            for match in source.code.matches(
                of:
                    #/(?m)^(?:public |package |open |final |indirect )*(?:struct|class|enum|protocol|typealias) (\w+)/#
            ) {
                declared[match.output.1] = rank(source)
            }
        }
        for source in sources {
            for match in source.code.matches(of: #/\b[A-Z]\w+/#) {
                guard let other = declared[match.output], other > rank(source),
                    Self.exceptions[source.name] != String(match.output)
                else { continue }
                Issue.record("\(module)/\(source.name) uses \(match.output)")
            }
        }
    }

    /// No folder contains more files than a reader can survey.
    @Test(arguments: folders.keys.sorted())
    func foldersHaveFewFiles(module: String) throws {
        var counts: [Substring: Int] = [:]
        for source in try Self.sources(in: module) {
            counts[
                source.name[..<(source.name.lastIndex(of: "/") ?? source.name.startIndex)],
                default: 0] += 1
        }
        for (folder, count) in counts { #expect(count < 30, "\(module)/\(folder): \(count)") }
    }

    /// The engine does not mention options; its hints are translated to options by the tools.
    @Test func theEngineDoesNotMentionOptions() throws {
        var texts = ""
        for source in try Self.sources(in: "RealmEngine") {
            let code = source.text.replacing(#/\/\/.*/#, with: "")
            for match in code.matches(of: #/"(?:\\.|[^"\\\n])*"/#) {
                let text = match.output.replacing("ulimit -v", with: "")
                #expect(!text.contains(#/[ "]-(?:-[a-z]|[A-Za-z]\b)/#), "\(text)")
                texts += match.output
            }
        }
        for hint in RealmError.advice.keys { #expect(texts.contains("\"\(hint)\"")) }
    }
}
