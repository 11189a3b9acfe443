import Foundation
import Testing

@testable import EngineSupport

/// The folders of the engine are layers: each uses types of itself and of those before it only.
@Suite struct LayerTests {
    private static let layers = [
        "Format", "Kernels", "Platform", "Storage", "Trees", "Legacy", "Model", "Query",
        "Instances", "Upkeep", "Opening",
    ]

    private static let root = Fixtures.repository.appending(path: "Sources/RealmEngine")

    private struct Source {
        let layer: Int
        let name: String
        let text: String
    }

    @Test func usesOnlyWhatIsBelow() throws {
        let sources = try Self.sources()
        #expect(sources.count > 150)
        var layers: [Substring: Int] = [:]
        for source in sources {
            for match in source.text.matches(of: Self.declaration) {
                layers[match.output.1] = min(layers[match.output.1] ?? .max, source.layer)
            }
        }
        #expect(layers["NodeView"] == 0 && layers["Database"] == 6)
        for source in sources {
            for match in source.text.matches(of: #/\b[A-Z]\w+/#) {
                guard let layer = layers[match.output], layer > source.layer else { continue }
                Issue.record("\(source.name) uses \(match.output) of \(Self.layers[layer])")
            }
        }
    }

    @Test func onlyPlatformKnowsTheSystem() throws {
        for source in try Self.sources() where source.text.contains("import Glibc") {
            #expect(source.layer == 2, "\(source.name)")
        }
    }

    /// A type at the top of a file that others can see.
    private static var declaration: Regex<(Substring, Substring)> {
        #/(?m)^(?:@\S+ )*(?:public |final |indirect )*(?:struct|class|enum|protocol|typealias) (\w+)/#
    }

    /// All sources, without comments and texts.
    private static func sources() throws -> [Source] {
        var sources: [Source] = []
        for (i, layer) in layers.enumerated() {
            let folder = root.appending(path: layer).path
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names where name.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                sources.append(
                    Source(
                        layer: i, name: "\(layer)/\(name)",
                        text: text.replacing(#/\/\/.*/#, with: "")
                            .replacing(#/"(?:\\.|[^"\\\n])*"/#, with: "")))
            }
        }
        return sources
    }
}
