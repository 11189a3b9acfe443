import Foundation
import Testing

@testable import EngineSupport

/// The folders of the engine are layers, and the subfolders of most layers are ordered too: each
/// uses only types of itself and of earlier ones.
@Suite struct LayerTests {
    private struct Layer {
        let name: String
        /// Subfolders by rank, lowest first. Subfolders of the same rank may use each other.
        var rooms: [[String]] = []
    }

    private static let layers = [
        Layer(name: "Format", rooms: [["Values"], ["Shapes"], ["Text"]]),
        Layer(name: "Kernels"),
        Layer(name: "Platform", rooms: [["Files", "Locks", "Memory", "Processes"]]),
        Layer(name: "Encryption"),
        Layer(name: "Storage", rooms: [["Nodes"], ["Session"], ["Space"]]),
        Layer(name: "Trees", rooms: [["Leaves"], ["Clusters"], ["Sequences"], ["Index"]]),
        Layer(name: "Legacy"),
        Layer(
            name: "Model", rooms: [["Schema"], ["Reading"], ["Tables"], ["Writing", "Commit"]]),
        Layer(
            name: "Query",
            rooms: [
                ["Functions"], ["Patterns"], ["Language"], ["Conditions"], ["Binding"],
                ["Evaluation"], ["Terms"],
                ["Planning"], ["Ordering"], ["Grouping"], ["Results"],
            ]),
        Layer(
            name: "Instances", rooms: [["Confinement", "Objects", "Commits", "Observing"]]),
        Layer(
            name: "Upkeep",
            rooms: [
                ["Search"], ["Check"], ["Copy", "Convert"], ["Inspect"], ["Salvage"],
                ["Remnants"],
            ]),
        Layer(name: "Opening"),
    ]

    /// Permitted uses of a type of a later subfolder; the file gives the reason.
    private static let exceptions = ["Query/Conditions/BoundQuery.swift": "QueryDecision"]

    /// Files that import the C library for functions that only compute.
    private static let computing = [
        "Format/Text/ByteBuffer.swift", "Format/Values/ByteView+Compare.swift",
        "Format/Values/Trigonometry.swift",
    ]

    private static let root = Fixtures.repository.appending(path: "Sources/RealmEngine")

    private struct Source {
        let layer: Int
        /// Rank of the subfolder in its layer.
        let rank: Int
        let name: String
        let text: String

        func isBefore(_ other: (layer: Int, rank: Int)) -> Bool {
            (layer, rank) < (other.layer, other.rank)
        }
    }

    @Test func sourcesUseOnlyLowerLayers() throws {
        let sources = try Self.sources()
        var places: [Substring: (layer: Int, rank: Int)] = [:]
        for source in sources {
            for match in source.text.matches(of: Self.declaration) {
                let name = match.output.1
                if let place = places[name], !source.isBefore(place) { continue }
                places[name] = (source.layer, source.rank)
            }
        }
        #expect(places["NodeView"]! == (0, 1) && places["Database"]! == (7, 1))
        for source in sources {
            for match in source.text.matches(of: #/\b[A-Z]\w+/#) {
                guard let place = places[match.output], source.isBefore(place) else { continue }
                if Self.exceptions[source.name] == String(match.output) { continue }
                let layer = Self.layers[place.layer]
                let room = layer.rooms.isEmpty ? "" : "/\(layer.rooms[place.rank])"
                Issue.record("\(source.name) uses \(match.output) of \(layer.name)\(room)")
            }
        }
    }

    /// Every source is in a listed folder, and no folder has more files than a reader can survey.
    @Test func everyFolderIsListed() throws {
        var folders: [String: Int] = [:]
        for name in try Self.names() {
            folders[String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]), default: 0] += 1
        }
        var listed: Set<String> = []
        for layer in Self.layers {
            if layer.rooms.isEmpty { listed.insert(layer.name) }
            for room in layer.rooms.joined() { listed.insert("\(layer.name)/\(room)") }
        }
        #expect(Set(folders.keys) == listed)
        for (folder, count) in folders { #expect(count < 30, "\(folder): \(count) files") }
    }

    @Test func onlyPlatformAndEncryptionImportGlibc() throws {
        for source in try Self.sources() where source.text.contains("import Glibc") {
            let isSystem = ["Platform", "Encryption"].contains(Self.layers[source.layer].name)
            #expect(isSystem || Self.computing.contains(source.name), "\(source.name)")
        }
    }

    /// The Topics of the front page list all types that a program may use, and no others.
    @Test func topicsListAllPublicTypes() throws {
        let page = try String(
            contentsOf: Self.root.appending(path: "RealmEngine.docc/RealmEngine.md"),
            encoding: .utf8)
        let topics = page.split(separator: "## Topics").last ?? ""
        let listed = Set(topics.matches(of: #/(?m)^- ``(\w+)``/#).map(\.output.1))
        var declared: Set<Substring> = []
        for source in try Self.sources() {
            for match in source.text.matches(of: Self.declaration)
            where match.output.0.contains("public ") {
                declared.insert(match.output.1)
            }
        }
        #expect(declared.subtracting(listed) == [] && listed.subtracting(declared) == [])
    }

    /// Matches the declaration of a top-level type that is not private.
    private static var declaration: Regex<(Substring, Substring)> {
        #/(?m)^(?:@\S+ )*(?:public |package |final |indirect )*(?:struct|class|enum|protocol|typealias) (\w+)/#
    }

    /// Returns the paths of all sources of the engine.
    private static func names() throws -> [String] {
        let all = FileManager.default.enumerator(atPath: root.path)?.allObjects ?? []
        return all.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
    }

    /// Returns all sources, without comments and string literals.
    private static func sources() throws -> [Source] {
        try names().map { name in
            let parts = name.split(separator: "/").map(String.init)
            let layer = try #require(
                layers.firstIndex { $0.name == parts[0] }, "\(name) is in no layer")
            let rank =
                parts.count < 3 ? 0 : layers[layer].rooms.firstIndex { $0.contains(parts[1]) } ?? 0
            let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
            return Source(
                layer: layer, rank: rank, name: name,
                text: text.replacing(#/\/\/.*/#, with: "")
                    .replacing(#/"(?:\\.|[^"\\\n])*"/#, with: ""))
        }
    }
}
