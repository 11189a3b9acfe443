import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// Classes with which opening a realm fails.
@Suite struct SchemaValidationTests {
    /// Returns the message of the error that opening a realm with these classes throws.
    private func refusal(_ types: [ObjectBase.Type]) throws -> String {
        let lab = try RealmLab(types)
        defer {
            #expect(!FileManager.default.fileExists(atPath: lab.configuration.fileURL!.path))
        }
        do {
            _ = try lab.open()
            return "opened"
        } catch let error as Realm.Error {
            #expect(error.code == .fail)
            return error.localizedDescription
        }
    }

    @Test func invalidOriginsOfLinkingObjectsAreRefused() throws {
        let message = try refusal([BadOrigins.self, Target.self])
        let lines = message.split(separator: "\n").map(String.init)
        #expect(lines.first == "Schema validation failed due to the following errors:")
        let prefix = "- Property 'Target"
        let middle = "declared as origin of linking objects property 'BadOrigins"
        #expect(
            Set(lines.dropFirst()) == [
                "\(prefix).nothing' \(middle).missing' does not exist",
                "\(prefix).number' \(middle).noLink' is not a link",
                "\(prefix).backs' \(middle).computed' is not a link",
                "\(prefix).other' \(middle).elsewhere' links to type 'Target'",
            ])
    }

    @Test func linkingObjectsOfAnUnknownClassAreRefused() throws {
        #expect(
            try refusal([OriginOutside.self]).contains(
                "- Property 'OriginOutside.links' of type 'linking objects' has unknown object type "
                    + "'Target'"))
    }

    @Test func originsMayBePropertyOrColumnNames() throws {
        let lab = try RealmLab([MappedOrigin.self])
        let realm = try lab.open()
        let object = try realm.write {
            let object = realm.create(MappedOrigin.self)
            object.all.append(object)
            object.map["self"] = object
            return object
        }
        #expect(object.byName.count == 1 && object.byColumn.count == 1 && object.byMap.count == 1)
        try lab.check()
    }

    @Test func cyclesOfEmbeddedObjectsAreRefused() throws {
        #expect(
            try refusal([Holder.self, Cyclic.self, Between.self]).contains(
                "- Cycles containing embedded objects are not currently supported: "
                    + "'Cyclic.between.inner'"))
    }

    @Test func embeddedObjectsInSetsOrWithKeysAreRefused() throws {
        let message = try refusal([SetOfParts.self, KeyedPart.self])
        #expect(
            message.contains(
                "- Set property 'SetOfParts.parts' cannot contain embedded object type 'KeyedPart'."
            ))
        #expect(
            message.contains("- Embedded object type 'KeyedPart' cannot have a primary key."))
    }

    @Test func duplicateColumnNamesAreRefused() throws {
        #expect(
            try refusal([SameColumn.self]).contains(
                "- Property 'x' appears more than once in the schema for type 'SameColumn'."))
        #expect(
            try refusal([SwappedNames.self]).contains(
                "- Property 'SwappedNames.b' has an alias 'a' that conflicts with a property of the "
                    + "same name."))
    }

    @Test func indexesOnUnsupportedTypesAreRefused() throws {
        #expect(
            try refusal([LegacyIndex.self]).contains(
                "- Property 'LegacyIndex.ratio' of type 'double' cannot be indexed."))
    }

    @Test func invalidPrimaryKeysOfLegacyClassesTrap() throws {
        func trap(_ type: ObjectBase.Type) throws -> String {
            let lab = try RealmLab([type])
            return RealmTesting.catchMisuse { _ = try? lab.open() }?.reason ?? "no trap"
        }
        #expect(
            try trap(LegacyKeyMissing.self)
                == "Primary key property 'id' does not exist on object 'LegacyKeyMissing'")
        #expect(
            try trap(LegacyKeyOfDouble.self).hasPrefix(
                "Property 'ratio' cannot be made the primary key of 'LegacyKeyOfDouble'"))
        #expect(
            try trap(NoOrigin.self)
                == "LinkingObjects<NoOrigin> property 'links' must set the origin property name with "
                + "@Persisted(originProperty: \"name\").")
    }

    @Test func classesOfOneNameTrap() throws {
        func trap(_ types: [ObjectBase.Type], _ body: @escaping (Realm) -> Void) throws -> String {
            let lab = try RealmLab(types)
            return RealmTesting.catchMisuse { body(try! lab.open()) }?.reason ?? "no trap"
        }
        let both = try trap([Here.Item.self, There.Item.self]) { _ in }
        #expect(both.contains("RealmSwiftTests.Here.Item") && both.contains("There.Item"))
        let other = try trap([Here.Item.self]) { _ = $0.objects(There.Item.self) }
        #expect(other.hasPrefix("Object type 'Item' is not managed by the Realm."))
        #expect(other.contains("RealmSwiftTests.Here.Item") && other.contains("There.Item"))
    }
}

/// A class that is not in the default schema.
class Hidden: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
class HiddenPart: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Target: Hidden {
    @Persisted var number: Int
    @Persisted var other: Target?
    @Persisted(originProperty: "other") var backs: LinkingObjects<Target>
}
final class BadOrigins: Hidden {
    @Persisted(originProperty: "nothing") var missing: LinkingObjects<Target>
    @Persisted(originProperty: "number") var noLink: LinkingObjects<Target>
    @Persisted(originProperty: "backs") var computed: LinkingObjects<Target>
    @Persisted(originProperty: "other") var elsewhere: LinkingObjects<Target>
}
final class OriginOutside: Hidden {
    @Persisted var number: Int
    @Persisted(originProperty: "other") var links: LinkingObjects<Target>
}
final class MappedOrigin: Hidden {
    @Persisted var all: List<MappedOrigin>
    @Persisted var map: Map<String, MappedOrigin?>
    @Persisted(originProperty: "all") var byName: LinkingObjects<MappedOrigin>
    @Persisted(originProperty: "stored_all") var byColumn: LinkingObjects<MappedOrigin>
    @Persisted(originProperty: "map") var byMap: LinkingObjects<MappedOrigin>
    override class func propertiesMapping() -> [String: String] { ["all": "stored_all"] }
}
final class Holder: Hidden { @Persisted var part: Cyclic? }
final class Cyclic: HiddenPart { @Persisted var between: List<Between> }
final class Between: HiddenPart { @Persisted var inner: Cyclic? }
final class SetOfParts: Hidden { @Persisted var parts: MutableSet<KeyedPart> }
final class KeyedPart: HiddenPart { @Persisted(primaryKey: true) var id: Int }
final class SameColumn: Hidden {
    @Persisted var a: Int
    @Persisted var b: Int
    override class func propertiesMapping() -> [String: String] { ["a": "x", "b": "x"] }
}
final class SwappedNames: Hidden {
    @Persisted var a: Int
    @Persisted var b: Int
    override class func propertiesMapping() -> [String: String] { ["a": "b", "b": "c", "c": "a"] }
    @Persisted var c: Int
}
final class LegacyIndex: Hidden {
    let ratio = RealmProperty<Double?>()
    override class func indexedProperties() -> [String] { ["ratio"] }
}
final class LegacyKeyMissing: Hidden {
    let number = RealmProperty<Int?>()
    override class func primaryKey() -> String? { "id" }
}
final class LegacyKeyOfDouble: Hidden {
    let ratio = RealmProperty<Double?>()
    override class func primaryKey() -> String? { "ratio" }
}
final class NoOrigin: Hidden {
    let number = RealmProperty<Int?>()
    let links = LinkingObjects(fromType: NoOrigin.self, property: "")
}
enum Here { final class Item: Hidden { @Persisted var a: Int } }
enum There { final class Item: Hidden { @Persisted var a: Int } }
