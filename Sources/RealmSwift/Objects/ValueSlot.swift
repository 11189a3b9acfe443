import RealmEngine

/// A place for one value in a stored object: a property, a position of a list or a key of a map.
/// Writes only values that differ from the stored ones, as `Realm.UpdatePolicy.modified` does.
enum ValueSlot {
    case property(ObjectBase, Int)
    /// The position after the last element appends one.
    case element(ManagedCollection, Int)
    case entry(ManagedCollection, String)

    private var realm: RealmInstance {
        switch self {
        case .property(let object, _): object.keepAlive!
        case .element(let list, _): list.realm
        case .entry(let map, _): map.realm
        }
    }

    /// The stored value; nil after the last element and for a key that the map does not have.
    private func current(_ storing: _Storing) -> Value? {
        switch self {
        case .property(let object, let property): object.value(property)
        case .element(let list, let index):
            index < list.count ? list.element(index).value : nil
        case .entry(let map, let key):
            map.read { (handle) throws(RealmError) in
                try handle.value(forKey: storing.string(key))
            }
        }
    }

    /// Writes a value that is already in the engine's form.
    func update(stored value: Value, _ storing: _Storing) {
        switch self {
        case .property(let object, let property):
            attempt { () throws(RealmError) in try object.handle!.update(property, value) }
        case .element(let list, let index):
            list.change { (handle) throws(RealmError) in try handle.update(value, at: index) }
        case .entry(let map, let key):
            map.change { (handle) throws(RealmError) in
                try handle.update(value, forKey: storing.string(key))
            }
        }
    }

    /// Writes a value. An embedded object, or an object without a primary key, updates the object
    /// in this place; a collection in an `AnyRealmValue` updates the collection in this place.
    func update(_ value: some _ObjcBridgeable, _ storing: _Storing) {
        if let object = value._rlmObject { return update(object, storing) }
        if let any = value._rlmAny, let target = nested(any, storing) {
            return target.update(any, storing)
        }
        update(stored: value._rlmStored(storing), storing)
    }

    // MARK: Objects

    /// The object in this place; nil if there is none of this class.
    func link(to managed: ManagedClass, _ storing: _Storing) -> ObjectLink? {
        guard case .link(let link)? = current(storing), link.table == managed.objects.key else {
            return nil
        }
        return link
    }

    /// Writes an embedded object or a link.
    func update(_ object: ObjectBase, _ storing: _Storing) {
        guard let child = object as? EmbeddedObject else {
            guard !fill(object, storing) else { return }
            return update(stored: storing.link(object), storing)
        }
        if let keepAlive = child.keepAlive {
            if keepAlive === realm, case .link(let link)? = current(storing),
                link == child.handle?.link
            {
                return
            }
            throwRealmException(embeddedRefusal)
        }
        if fill(child, storing) { return }
        let key = attempt { () throws(RealmError) in try makeEmbedded(storing) }
        realm.fill(child, key, storing)
    }

    /// Makes `object` the accessor of the object in this place, which receives its values.
    ///
    /// Returns false for objects that replace the link instead: those with a primary key, and
    /// managed ones.
    private func fill(_ object: ObjectBase, _ storing: _Storing) -> Bool {
        guard object.keepAlive == nil else { return false }
        let managed = realm.requireClass(type(of: object))
        guard managed.model.primaryKey == nil, let link = link(to: managed, storing) else {
            return false
        }
        realm.fill(object, link.key, storing)
        return true
    }

    private var embeddedRefusal: String {
        switch self {
        case .property: "Can't set link to existing managed embedded object"
        case .element: "Cannot add an existing managed embedded object to a List."
        case .entry: "Cannot add an existing managed embedded object to a Dictionary."
        }
    }

    private func makeEmbedded(_ storing: _Storing) throws(RealmError) -> ObjectKey {
        switch self {
        case .property(let object, let property): try object.handle!.makeEmbedded(property)
        case .element(let list, let index):
            list.change { (handle) throws(RealmError) in try handle.insertEmbedded(at: index) }
        case .entry(let map, let key):
            map.change { (handle) throws(RealmError) in
                try handle.setEmbedded(forKey: storing.string(key))
            }
        }
    }

    // MARK: Collections inside `AnyRealmValue`

    /// The stored collection that `value` is merged into; nil if this place has no collection of
    /// the same kind.
    private func nested(_ value: AnyRealmValue, _ storing: _Storing) -> ManagedCollection? {
        switch value {
        case .list:
            guard case .list? = current(storing) else { return nil }
        case .dictionary:
            guard case .dictionary? = current(storing) else { return nil }
        default: return nil
        }
        return switch self {
        case .property(let object, let property): ManagedCollection(object, property, "List")
        case .element(let list, let index): list.nested(.index(index))
        case .entry(let map, let key): map.nested(.key(key))
        }
    }
}

/// Updates collections as `Realm.UpdatePolicy.modified` does: elements that are already equal are
/// not written.
extension ManagedCollection {
    /// Makes a list equal to `elements`.
    func update<Element: _ObjcBridgeable>(elements: [Element], _ storing: _Storing) {
        var end = 0
        for element in elements {
            ValueSlot.element(self, end).update(element, storing)
            end += 1
        }
        truncate(to: end)
    }

    /// Removes the elements of a list from position `end` on.
    func truncate(to end: Int) {
        for position in (end..<max(end, count)).reversed() {
            change { (handle) throws(RealmError) in try handle.remove(at: position) }
        }
    }

    /// Adds members to a set, whose other members remain.
    func update<Member: _ObjcBridgeable>(members: [Member], _ storing: _Storing) {
        for member in members {
            let stored = member._rlmStored(storing)
            change { (handle) throws(RealmError) in _ = try handle.insert(stored) }
        }
    }

    /// Sets entries of a map, whose other entries remain.
    func update<Content: _ObjcBridgeable>(
        entries: [(key: String, value: Content)], _ storing: _Storing
    ) {
        for (key, value) in entries { ValueSlot.entry(self, key).update(value, storing) }
    }

    /// Makes a collection inside an `AnyRealmValue` equal to `value`, which is of the same kind.
    fileprivate func update(_ value: AnyRealmValue, _ storing: _Storing) {
        switch value {
        case .list(let list): update(elements: Array(list), storing)
        case .dictionary(let map): update(entries: Array(map.asKeyValueSequence()), storing)
        default: return
        }
    }
}
