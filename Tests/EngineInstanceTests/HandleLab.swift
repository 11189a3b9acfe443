import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A class with a property of every single-valued type, and a model of its objects.
final class HandleLab {
    let folder: ScratchFolder
    let configuration: Instance.Configuration
    let instance: Instance
    private(set) var table = TableKey.none
    let values: RandomValues
    /// Expected values of each object, by property.
    var model: [ObjectKey: [PlainValue]] = [:]
    private let arena = ByteArena()

    static let types: [ColumnType] = [
        .int, .bool, .float, .double, .string, .binary, .timestamp, .decimal, .objectID, .uuid,
        .mixed, .link,
    ]

    init(seed: UInt64) throws {
        folder = try ScratchFolder()
        var configuration = Instance.Configuration(path: folder.file("handles.realm"))
        configuration.isDurable = false
        configuration.creation = .ifMissing
        self.configuration = configuration
        instance = try Instance.open(configuration)
        values = RandomValues(seed: seed)
        table = try instance.write { (transaction) throws(RealmError) in
            let table = try transaction.createClass("Thing")
            for (name, isOptional) in [("plain", false), ("optional", true)] {
                for type in Self.types {
                    var spec = PropertySpec("\(name)\(type)", type)
                    spec.isOptional = isOptional
                    if type == .link { spec.target = table }
                    if type == .string { spec.isIndexed = isOptional }
                    try transaction.addProperty(table, spec)
                }
            }
            return table
        }
    }

    func objects(_ other: Instance? = nil) throws -> ObjectClass {
        try #require(ObjectClass(other ?? instance, table))
    }

    /// Makes a random value for a property, null occasionally if allowed.
    func value(_ column: ColumnInfo) -> PlainValue {
        if column.isNullable, values.chance(20) { return .null }
        switch column.type {
        case .link: return model.isEmpty ? .null : .link(link())
        case .mixed: return values.mixed(depth: 0) { self.model.isEmpty ? nil : self.link() }
        default: return values.scalar(column.type)
        }
    }

    private func link() -> ObjectLink { ObjectLink(table: table, key: anyKey()) }

    func anyKey() -> ObjectKey { values.pick(model.keys.sorted { $0.raw < $1.raw }) }

    /// Adds an object to the open transaction and sets its values through a handle.
    func add(_ objects: ObjectClass) throws -> ObjectHandle {
        let key = try instance.write.create(in: table)
        let handle = try ObjectHandle(objects, key)
        model[key] = objects.properties.map { ModelDatabase.Column(stored: $0).initial }
        for i in objects.properties.indices { try change(handle, i) }
        return handle
    }

    func change(_ handle: ObjectHandle, _ property: Int) throws {
        let fresh = value(handle.objects.properties[property])
        try handle.set(property, try fresh.value(arena, instance.write))
        model[handle.key]![property] = fresh
    }

    func remove(_ handle: ObjectHandle) throws {
        let gone = handle.link
        try handle.remove()
        model[handle.key] = nil
        for key in model.keys { model[key] = model[key]!.map { $0.without(gone) } }
    }

    /// Expects the handle to read the values of the model.
    func expect(_ handle: ObjectHandle, _ model: [ObjectKey: [PlainValue]]) throws {
        guard let expected = model[handle.key] else {
            #expect(try !handle.exists)
            #expect(throws: RealmError.self) { try handle.value(0) }
            return
        }
        #expect(try handle.exists)
        let snapshot = handle.objects.instance.snapshot()
        for (i, plain) in expected.enumerated() {
            let value = try handle.value(i)
            #expect(try plain.equals(value, snapshot), "\(plain) against \(value)")
            if case .int(let number) = plain { #expect(try handle.int(i) == number) }
        }
    }
}

extension ModelDatabase.Column {
    /// Makes the model of a stored property that is neither a collection nor a primary key.
    init(stored column: ColumnInfo) {
        self.init(name: column.name, type: column.type, isOptional: column.isNullable)
    }
}
