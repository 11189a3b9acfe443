import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Opens one file in different ways and checks its content.
final class OpeningLab: @unchecked Sendable {
    let folder: ScratchFolder
    var configuration: Instance.Configuration

    init(_ key: EncryptionKey? = nil) throws {
        folder = try ScratchFolder()
        configuration = Instance.Configuration(path: folder.file("opening.realm"))
        configuration.isDurable = false
        configuration.creation = .ifMissing
        configuration.key = key
    }

    /// Keeps the file for another implementation if the environment variable is set.
    deinit {
        guard let kept = ProcessInfo.processInfo.environment["REALM_TEST_FILES"] else { return }
        let name = "/opening-\(UUID().uuidString).realm"
        try? FileManager.default.copyItem(atPath: path, toPath: kept + name)
    }

    var path: String { configuration.path }

    func request(
        _ classes: [ClassSpec] = [], version: UInt64 = 0, path: WantedSchema.Path = .migrate(nil)
    ) -> OpeningRequest {
        var request = OpeningRequest(configuration)
        request.schema = WantedSchema(classes, version: version, path: path)
        return request
    }

    func open(
        _ classes: [ClassSpec], version: UInt64 = 0, path: WantedSchema.Path = .migrate(nil)
    ) throws -> Instance {
        try Instance.open(request(classes, version: version, path: path))
    }

    /// Opens the file, lets `body` write, and closes it.
    func make(
        _ classes: [ClassSpec], version: UInt64 = 0,
        _ body: (WriteTransaction) throws(RealmError) -> Void = { (_) throws(RealmError) in }
    ) throws {
        let instance = try open(classes, version: version)
        try instance.write(body)
        instance.close()
    }

    /// The classes of the file and their values, as text.
    func content() throws -> [String] {
        let snapshot = try Database(immutable: path, key: configuration.key).snapshot()
        var lines = ["version \(snapshot.schema.version.map { "\($0)" } ?? "none")"]
        for info in snapshot.schema.classes {
            let spec = ClassSpec(info, snapshot.schema)
            let properties = spec.properties.map { property in
                let mark = property.name == spec.primaryKey ? "*" : property.isIndexed ? "+" : ""
                return "\(mark)\(property.name) \(property.typeText)"
            }
            lines.append("\(spec.name) \(spec.kind): \(properties.joined(separator: ", "))")
            let table = snapshot.table(info)
            for key in try table.keys() {
                let row = try #require(try table.row(key))
                let values = try info.columns.indices.map { try Self.text(try row.value($0)) }
                lines.append("  \(values.joined(separator: " "))")
            }
        }
        return lines
    }

    private static func text(_ value: Value) throws -> String {
        switch value {
        case .null: "-"
        case .int(let number): "\(number)"
        case .string(let bytes):
            bytes.count == 0 ? "''" : String(decoding: bytes.bytes, as: UTF8.self)
        case .link(let link): ">\(link.key.raw)"
        default: "?"
        }
    }
}

extension WriteTransaction {
    /// Creates an object with integers, strings and links; nil is null.
    @discardableResult
    func add(_ name: String, _ values: [String: Any?]) throws(RealmError) -> ObjectKey {
        let table = self.table(named: name)!
        let info = try snapshot().schema.table(table)!
        var key: Value?
        let owner = ByteArena()
        func value(_ any: Any?) -> Value {
            switch any {
            case let number as Int: .int(Int64(number))
            case let text as String: .string(PlainValue.view(Array(text.utf8), owner))
            case let link as ObjectLink: .link(link)
            default: .null
            }
        }
        if let i = info.primaryKey { key = value(values[info.columns[i].name] ?? nil) }
        let object = try create(in: table, primaryKey: key)
        for (i, column) in info.columns.enumerated() where i != info.primaryKey {
            guard let given = values[column.name] else { continue }
            try set(table, object, i, value(given))
        }
        withExtendedLifetime(owner) {}
        return object
    }
}

extension ClassSpec {
    /// Parses properties such as `*id int`, `+name string?` and `owner Person?`, as in the text
    /// form of a schema.
    init(_ name: String, kind: TableKind = .topLevel, _ properties: String...) {
        var key: String?
        let all = properties.map { text -> PropertyDescription in
            let words = text.split(separator: " ").map(String.init)
            let mark = words[0].first
            let name = mark == "*" || mark == "+" ? String(words[0].dropFirst()) : words[0]
            if mark == "*" { key = name }
            let isOptional = words[1].hasSuffix("?")
            let type = isOptional ? String(words[1].dropLast()) : words[1]
            var property =
                switch type {
                case "int": PropertyDescription(name, .int, isOptional: isOptional)
                case "string": PropertyDescription(name, .string, isOptional: isOptional)
                default: PropertyDescription(name, .link, isOptional: true, target: type)
                }
            property.isIndexed = mark == "+"
            return property
        }
        self.init(name: name, kind: kind, primaryKey: key, properties: all)
    }
}
