import RealmEngine

/// Deletes objects together with the objects that their cascading properties link to.
extension RealmInstance {
    /// Deletes stored objects and what cascades from them, each object once.
    func remove(cascading objects: [ObjectBase]) {
        var cascade = Cascade(self)
        for object in objects { cascade.add(object) }
        for run in cascade.reached() {
            // An object of the run may have been deleted with an earlier one.
            remove(run: run[...])
        }
    }
}

/// Search for the objects that are deleted together.
private struct Cascade {
    private let realm: RealmInstance
    private var seen: Set<ObjectLink> = []
    private var pending: [ObjectBase] = []
    /// Fields to follow, by the name of the class.
    private var fields: [String: [ClassModel.Field]] = [:]

    init(_ realm: RealmInstance) { self.realm = realm }

    /// Adds an object, unless it was added before or is deleted.
    mutating func add(_ object: ObjectBase) {
        guard !object.isInvalidated, let link = object.handle?.link,
            seen.insert(link).inserted
        else { return }
        pending.append(modelled(object, link))
    }

    /// The object as an accessor of its class in the program, which has the rules. Returns `object`
    /// if the program does not have the class.
    private func modelled(_ object: ObjectBase, _ link: ObjectLink) -> ObjectBase {
        object.managed == nil ? realm.anyObject(link) : object
    }

    /// Returns the added objects and all that cascade from them, in runs of one class. Embedded
    /// objects, which are deleted with their owners, are in no run unless they were added.
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

/// Objects in a value of a property, without its type.
enum Links {
    /// Returns the objects that `value` is or contains: a link, a list, a set or a map.
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
