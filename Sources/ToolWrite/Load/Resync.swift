import RealmEngine
import RealmRecords
import ToolKit

/// State of a resync: the source of a stream of changes sends all of its objects again.
///
/// Collects the keys of the objects received. At the end of the resync, all other objects of the
/// database are deleted. Takes eight bytes per object.
final class Resync {
    /// Class whose objects the source sends again; nil if it sends all classes and their schema.
    private let className: String?
    private var seen: [TableKey: [ObjectKey]] = [:]
    /// For each class that the source has sent, the names of the properties that it has sent. At
    /// the end of a resync of all classes, the classes and properties of the database that are
    /// missing here are removed.
    private var named: [String: Set<String>] = [:]

    init(className: String?) { self.className = className }

    func saw(_ object: ObjectKey, in table: TableKey) { seen[table, default: []].append(object) }

    // MARK: Schema

    /// Returns the steps that apply a schema change of the stream. Steps that remove conflicting
    /// parts of the schema come first. A property that exists with the same type keeps its values;
    /// only its index and whether it is optional are changed.
    func steps(toward change: SchemaChange, _ schema: Schema) -> [SchemaChange] {
        func spec(_ name: String) -> ClassSpec? {
            schema.objectClass(named: name).map { ClassSpec($0, schema) }
        }
        switch change {
        case .addClass(let wanted):
            named[wanted.name] = Set(wanted.primaryKey.map { [$0] } ?? [])
            guard let present = spec(wanted.name), Self.isOther(present, wanted) else {
                return [change]
            }
            let specs = schema.classes.map { ClassSpec($0, schema) }
            return Self.removal(of: wanted.name, from: specs) + [change]
        case .addProperty(let name, let wanted):
            named[name, default: []].insert(wanted.name)
            guard let present = spec(name)?.property(wanted.name) else { return [change] }
            return Self.adjustments(name, present, wanted) ?? [
                .dropProperty(name, wanted.name), change,
            ]
        default: return [change]
        }
    }

    /// Returns the steps that remove all classes and properties of the database that the source did
    /// not send. No steps for a resync of a single class.
    func removals(_ schema: Schema) -> [SchemaChange] {
        guard className == nil, !named.isEmpty else { return [] }
        let specs = schema.classes.map { ClassSpec($0, schema) }
        var steps: [SchemaChange] = []
        for spec in specs {
            guard let properties = named[spec.name] else { continue }
            for property in spec.properties where !properties.contains(property.name) {
                steps.append(.dropProperty(spec.name, property.name))
            }
        }
        let gone = specs.filter { named[$0.name] == nil }
        // Links between the removed classes are removed first.
        for spec in gone {
            for property in spec.properties where property.target != nil {
                steps.append(.dropProperty(spec.name, property.name))
            }
        }
        return steps + gone.map { .dropClass($0.name) }
    }

    private static func isOther(_ present: ClassSpec, _ wanted: ClassSpec) -> Bool {
        guard present.kind == wanted.kind, present.primaryKey == wanted.primaryKey else {
            return true
        }
        guard let name = wanted.primaryKey, let old = present.property(name),
            let new = wanted.property(name)
        else { return false }
        return !old.hasSameType(as: new) || old.hasOtherPresence(than: new)
    }

    private static func removal(of name: String, from specs: [ClassSpec]) -> [SchemaChange] {
        var steps: [SchemaChange] = []
        for spec in specs {
            for property in spec.properties where property.target == name {
                steps.append(.dropProperty(spec.name, property.name))
            }
        }
        return steps + [.dropClass(name)]
    }

    /// Returns the steps that give a property the optionality and the index of `wanted`; nil if its
    /// type must change.
    private static func adjustments(
        _ name: String, _ present: PropertyDescription, _ wanted: PropertyDescription
    ) -> [SchemaChange]? {
        guard present.hasSameType(as: wanted) else { return nil }
        var steps: [SchemaChange] = []
        if present.hasOtherPresence(than: wanted) {
            steps.append(.setOptional(name, wanted.name, wanted.isOptional))
        }
        if present.index != wanted.index {
            steps.append(.setIndex(name, wanted.name, wanted.index))
        }
        return steps
    }

    // MARK: Objects

    /// Deletes the objects of the database that the source did not send. Returns their number.
    func sweep(_ writer: ObjectWriter) throws(RealmError) -> Int {
        var deleted = 0
        for table in writer.plans.schema.classes where table.kind == .topLevel {
            if let className, className != table.className { continue }
            // The snapshot is valid until the next change of the transaction.
            let snapshot = try writer.transaction.snapshot()
            guard let place = snapshot.schema.table(table.key) else { continue }
            let kept = seen[table.key, default: []].sorted()
            for object in try Self.rest(snapshot.table(place), kept) {
                try writer.remove(object, from: table.key)
                try writer.saveMemory()
                deleted += 1
            }
        }
        return deleted
    }

    /// Returns the objects of a table whose keys are not in `kept`, which must be sorted.
    private static func rest(
        _ table: Table, _ kept: [ObjectKey]
    ) throws(RealmError) -> [ObjectKey] {
        var rest: [ObjectKey] = []
        var next = 0
        let scan = table.scan(columns: [])
        while try scan.next() {
            for row in 0..<scan.count {
                let key = scan.key(row)
                while next < kept.count, kept[next] < key { next += 1 }
                if next == kept.count || kept[next] != key { rest.append(key) }
            }
        }
        return rest
    }
}
