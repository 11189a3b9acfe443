import RealmEngine

/// Deletes objects together with the objects to which properties declared with `cascades` link.
extension RealmInstance {
    /// Deletes stored objects, and all objects to which they link directly or indirectly by
    /// properties with `cascades`. Each object is deleted once.
    func remove(cascading objects: [ObjectBase]) {
        var cascade = Cascade(self)
        for object in objects { cascade.add(object) }
        for run in cascade.reached() {
            // An object of this run may have been deleted together with an object of an earlier
            // run.
            remove(run: run[...])
        }
    }
}

/// Collects the objects to delete: those passed to `add`, those to which they link directly or
/// indirectly by properties with `cascades`, and the embedded objects of both.
private struct Cascade {
    private let realm: RealmInstance
    private var seen: Set<ObjectLink> = []
    private var pending: [ObjectBase] = []
    /// For each class, the properties that are declared with `cascades`. If an object is deleted,
    /// the objects to which these properties link are deleted, too.
    private var fields: [String: [ClassModel.Field]] = [:]

    init(_ realm: RealmInstance) { self.realm = realm }

    /// Adds an object, unless it is deleted or was already added.
    mutating func add(_ object: ObjectBase) {
        guard !object.isInvalidated, let link = object.handle?.link,
            seen.insert(link).inserted
        else { return }
        pending.append(modelled(object, link))
    }

    /// Returns an accessor whose class is declared in the program, because only that class has the
    /// `cascades` options. Returns `object` if the program does not declare the class.
    private func modelled(_ object: ObjectBase, _ link: ObjectLink) -> ObjectBase {
        object.managed == nil ? realm.anyObject(link) : object
    }

    /// Returns the objects passed to `add`, and all objects to which they link directly or
    /// indirectly by properties with `cascades`, grouped by class. Embedded objects are deleted
    /// together with their owners, so they are included only if they were passed to `add`.
    mutating func reached() -> [[ObjectBase]] {
        var runs: [[ObjectBase]] = []
        var places: [TableKey: Int] = [:]
        let added = pending.count
        var next = 0
        while next < pending.count {
            let object = pending[next]
            if next < added || !(object is EmbeddedObject) {
                let table = object.handle!.link.table
                let place = places[table] ?? runs.count
                places[table] = place
                if place == runs.count { runs.append([]) }
                runs[place].append(object)
            }
            next += 1
            follow(object)
        }
        return runs
    }

    private mutating func follow(_ object: ObjectBase) {
        guard let model = object.managed?.model else { return }
        let known = fields[model.name]
        let followed =
            known ?? model.fields.filter { $0.cascades || $0.shape.target is EmbeddedObject.Type }
        fields[model.name] = followed
        for field in followed {
            for target in Links.of(object.value(forKey: field.name)) { add(target) }
        }
    }
}

/// Finds the objects in the value of a property, whatever its type.
enum Links {
    /// Returns the objects in `value`: a link, or the elements of a list, set or map.
    static func of(_ value: Any?) -> [ObjectBase] {
        guard let value = value.flatMap({ unwrapped($0) }) else { return [] }
        switch value {
        case let object as ObjectBase: return [object]
        case let any as AnyRealmValue: return of(any.content)
        case is String: return []
        default: break
        }
        if let map = value as? any RealmKeyedCollection { return values(of: map) }
        guard let elements = value as? any RealmCollectionBase else { return [] }
        return members(of: elements)
    }

    private static func values<M: RealmKeyedCollection>(of map: M) -> [ObjectBase] {
        map.keys.flatMap { of(map[$0] as Any?) }
    }

    private static func members<C: RealmCollectionBase>(of collection: C) -> [ObjectBase] {
        collection.flatMap { of($0) }
    }
}
