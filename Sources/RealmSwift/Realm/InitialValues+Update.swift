import RealmEngine

/// Updates a stored object with untyped values, according to `Realm.UpdatePolicy.modified`.
extension InitialValues {
    /// Writes each property for which a value is given that differs from the stored value. Does not
    /// change the primary key.
    func update(_ object: ObjectBase, _ storing: _Storing) {
        guard let managed = object.managed else { return }
        for (field, value) in values where !field.isPrimaryKey {
            guard let i = managed.model.fields.firstIndex(where: { $0.name == field.name }),
                let property = managed.properties[i]
            else { continue }
            let place = PropertyUpdate(
                object: object, field: field, property: property, storing: storing)
            place.update(Converted<Any>.given(value))
        }
    }
}

/// Sets one property of a stored object to an untyped value.
private struct PropertyUpdate {
    let object: ObjectBase
    let field: ClassModel.Field
    let property: Int
    let storing: _Storing

    private var maker: InitialValues.Maker { .stored(storing.realm, storing.policy) }

    /// Writes `value`, or null for nil, if it differs from the stored value. Traps if the value
    /// does not fit.
    func update(_ value: Any?) {
        if value == nil, field.shape.collection != nil { return removeAll() }
        if let value, let target = field.shape.target, !field.shape.isCustom,
            update(objects: value, target)
        {
            return
        }
        let converted = maker.converted(value, field)
        let isWritten = field.wrapper.update(
            converted, at: object.place(of: field), object, UInt16(property), storing)
        // If the value does not fit, `setValue` traps with a message that states the reason.
        if !isWritten { object.setValue(converted, forKey: field.name) }
    }

    private func collection(_ name: String) -> ManagedCollection {
        ManagedCollection(object, property, name)
    }

    /// Removes all elements of the collection. Called if the given value is null.
    private func removeAll() {
        collection("List").change { (handle) throws(RealmError) in try handle.removeAll() }
    }

    // MARK: Objects

    /// Writes a link, or a collection of links. Returns false without writing if `value` is not an
    /// object of class `target` or a collection of such objects.
    private func update(objects value: Any, _ target: ObjectBase.Type) -> Bool {
        switch field.shape.collection {
        case .set: return false
        case nil:
            guard isObject(value, target) else { return false }
            put(value, target, .property(object, property))
        case .list:
            guard let elements = Self.elements(value),
                elements.allSatisfy({ isObject($0, target) })
            else { return false }
            let list = collection("List")
            for (i, element) in elements.enumerated() { put(element, target, .element(list, i)) }
            list.truncate(to: elements.count)
        case .dictionary:
            guard let entries = Entries.of(value)?.mapValues({ Converted<Any>.given($0) }),
                entries.values.allSatisfy({ $0.map { isObject($0, target) } ?? true }),
                !entries.keys.contains(where: { $0.hasPrefix("$") || $0.contains(".") })
            else { return false }
            let map = collection("Map")
            for (key, element) in entries { put(element, target, .entry(map, key)) }
        }
        return true
    }

    /// Returns the elements of a sequence, with null as `nothing`; nil if `value` is not a
    /// sequence.
    private static func elements(_ value: Any) -> [Any]? {
        func all<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { unwrapped($0) ?? nothing } }
        guard !(value is String), let sequence = value as? any Sequence else { return nil }
        return all(sequence)
    }

    private static var nothing: Any { Optional<Any>.none as Any }

    /// Whether `value` is an object of class `target`, or a dictionary or array with the property
    /// values of one.
    private func isObject(_ value: Any, _ target: ObjectBase.Type) -> Bool {
        if let object = value as? ObjectBase {
            return object.className == ClassModel.of(target).name
        }
        return value is [String: Any?] || value is [Any?]
    }

    /// Stores the object that `value` describes in `slot`. If `isMerged` returns true for `value`
    /// and the slot links to an object, updates that object. Otherwise stores a link: to `value` if
    /// it is an object, or to a new object with the values in `value`.
    private func put(_ value: Any?, _ target: ObjectBase.Type, _ slot: ValueSlot) {
        guard let value else { return slot.update(stored: .null, storing) }
        let realm = storing.realm!
        let managed = realm.requireClass(target)
        if isMerged(value, managed), let link = slot.link(to: managed, storing) {
            InitialValues(value, managed.model).update(realm.object(target, link), storing)
        } else if let made = maker.object(value, target) as? ObjectBase {
            slot.update(made, storing)
        }
    }

    /// Whether the object to which a slot links is updated with `value`, instead of replacing the
    /// link.
    ///
    /// True for embedded objects. Also true for a class without primary key, unless `value` is an
    /// object of the same realm.
    private func isMerged(_ value: Any, _ managed: ManagedClass) -> Bool {
        if managed.model.isEmbedded { return true }
        return managed.model.primaryKey == nil
            && (value as? ObjectBase)?.keepAlive !== managed.realm
    }
}
