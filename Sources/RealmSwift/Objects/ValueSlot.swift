import RealmEngine

/// A position for one value in a stored object: a property, an index of a list, or a key of a map.
/// A value is written only if it differs from the stored one, according to
/// `Realm.UpdatePolicy.modified`.
enum ValueSlot {
    case property(ObjectBase, Int)
    /// An element of a list. Writing to the index after the last element appends an element.
    case element(ManagedCollection, Int)
    case entry(ManagedCollection, String)

    private var realm: RealmInstance {
        switch self {
        case .property(let object, _): object.keepAlive!
        case .element(let list, _): list.realm
        case .entry(let map, _): map.realm
        }
    }

    /// Returns the value of the property, list element or map entry that this slot denotes. Nil for
    /// the index after the last element of a list, and for a missing key of a map.
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

    /// Writes a value that was already converted to a `RealmEngine.Value` to this slot.
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

    /// Writes a value to this slot. An embedded object, or an object without a primary key, is
    /// merged into the object that the slot already contains. A collection in an `AnyRealmValue` is
    /// merged into the collection that the slot already contains.
    func update(_ value: some _ObjcBridgeable, _ storing: _Storing) {
        if let object = value._rlmObject { return update(object, storing) }
        if let any = value._rlmAny, let target = nested(any, storing) {
            return target.update(any, storing)
        }
        update(stored: value._rlmStored(storing), storing)
    }

    // MARK: Objects

    /// Returns the link in this slot; nil if the slot has no link to an object of class `managed`.
    func link(to managed: ManagedClass, _ storing: _Storing) -> ObjectLink? {
        guard case .link(let link)? = current(storing), link.table == managed.objects.key else {
            return nil
        }
        return link
    }

    /// Stores `object` in this slot.
    ///
    /// If the slot contains an object into which `fill` can write the values of `object`, they are
    /// written there. Otherwise an embedded object is created in the slot with these values, and
    /// any other object is stored as a link. Traps for an embedded object that is already managed,
    /// unless the slot contains it.
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

    /// Writes the values of an unmanaged `object` into the object to which this slot links, and
    /// makes `object` its accessor.
    ///
    /// Returns false if `object` must replace the link instead: it is managed, has a primary key,
    /// or the slot links to no object of its class.
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

    /// Returns the collection that is stored at this slot and into which `value` is merged; nil if
    /// the slot has no collection of the same kind (list or dictionary).
    private func nested(_ value: AnyRealmValue, _ storing: _Storing) -> ManagedCollection? {
        let stored = current(storing)
        switch (value, stored) {
        case (.list, .list?), (.dictionary, .dictionary?): break
        default: return nil
        }
        return switch self {
        case .property(let object, let property): ManagedCollection(object, property, "List")
        case .element(let list, let index): list.nested(.index(index), stored!)
        case .entry(let map, let key): map.nested(.key(key), stored!)
        }
    }
}

/// Updates collections according to `Realm.UpdatePolicy.modified`: only elements that differ are
/// written.
extension ManagedCollection {
    /// Makes the elements of a list equal to `elements`.
    func update<Element: _ObjcBridgeable>(elements: [Element], _ storing: _Storing) {
        var end = 0
        for element in elements {
            ValueSlot.element(self, end).update(element, storing)
            end += 1
        }
        truncate(to: end)
    }

    /// Removes all elements of a list at index `end` and after it.
    func truncate(to end: Int) {
        for position in (end..<max(end, count)).reversed() {
            change { (handle) throws(RealmError) in try handle.remove(at: position) }
        }
    }

    /// Inserts members into a set. Other members remain.
    func update<Member: _ObjcBridgeable>(members: [Member], _ storing: _Storing) {
        for member in members {
            let stored = member._rlmStored(storing)
            change { (handle) throws(RealmError) in _ = try handle.insert(stored) }
        }
    }

    /// Sets entries of a map. Entries with other keys remain.
    func update<Content: _ObjcBridgeable>(
        entries: [(key: String, value: Content)], _ storing: _Storing
    ) {
        for (key, value) in entries { ValueSlot.entry(self, key).update(value, storing) }
    }

    /// Updates a collection inside an `AnyRealmValue` with the content of `value`, which must be of
    /// the same kind.
    fileprivate func update(_ value: AnyRealmValue, _ storing: _Storing) {
        switch value {
        case .list(let list): update(elements: Array(list), storing)
        case .dictionary(let map): update(entries: Array(map.asKeyValueSequence()), storing)
        default: return
        }
    }
}
