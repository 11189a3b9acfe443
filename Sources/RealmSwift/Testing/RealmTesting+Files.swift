import Foundation
import RealmEngine

/// Creates and reads files with classes that the program does not declare.
extension RealmTesting {
    private static func open(_ url: URL, _ classes: [ClassSpec]?) -> Instance {
        attempt { () throws(RealmError) in
            var configuration = Instance.Configuration(path: url.path)
            configuration.creation = .ifMissing
            var request = OpeningRequest(configuration)
            request.schema = classes.map { WantedSchema($0, version: 0) }
            return try Instance.open(request)
        }
    }

    /// Creates a file with one class that has no objects. The schema version is 0. Traps if that
    /// fails.
    public static func createFile(
        at url: URL, className: String,
        columns: [(name: String, type: PropertyType, optional: Bool)]
    ) {
        let properties = columns.compactMap { column in
            column.type.column.map {
                PropertyDescription(column.name, $0, isOptional: column.optional)
            }
        }
        _ = open(
            url, [ClassSpec(name: className, kind: .topLevel, properties: properties)]
        ).snapshot()
    }

    /// Adds an object to a file that `createFile` created. The values are in the order of the
    /// columns.
    public static func addRow(at url: URL, className: String, values: [Any]) {
        let engine = open(url, nil)
        let realm = RealmInstance.of(
            engine, Realm.Configuration(fileURL: url, objectTypes: []), ModelSchema.of([]))
        attempt { () throws(RealmError) in
            try engine.write { (transaction) throws(RealmError) in
                guard let table = engine.schema.objectClass(named: className)
                else { return }
                let link = ObjectLink(table: table.key, key: try transaction.create(in: table.key))
                let object = DynamicObject.of(realm, link)
                for (column, value) in zip(table.columns, values) {
                    object.setValue(value, forKey: column.name)
                }
            }
        }
    }

    /// Returns the column names of each class in a file.
    public static func storedSchema(at url: URL) -> [String: [String]] {
        let classes = attempt { () throws(RealmError) in
            try Database(immutable: url.path).snapshot().schema.classes
        }
        return Dictionary(
            uniqueKeysWithValues: classes.map { ($0.className, $0.columns.map(\.name)) })
    }
}
