/// An object of an instance, read and changed one property at a time.
///
/// Knows where its object lies in the version the instance shows, and checks that with one comparison
/// each time: nothing is searched for but the value. It follows its instance: after that has moved on,
/// `follow` finds the place anew, and until then every read does. In an open write transaction the
/// transaction's own state is read.
///
/// Confined as its instance is; that of a frozen instance may be read anywhere, by many at once. A
/// value's bytes last as long as the version is shown, those of an open write transaction until its
/// next change.
package struct ObjectHandle {
    package let objects: ObjectClass
    package private(set) var key: ObjectKey
    package private(set) var place: ObjectPlace

    /// The object with `key`, whether it exists or not.
    ///
    /// Throws `corrupt` for a damaged file.
    package init(_ objects: ObjectClass, _ key: ObjectKey) throws(RealmError) {
        self.objects = objects
        self.key = key
        place = ObjectPlace()
        try follow()
    }

    /// The object with `key`, which was found at `place`.
    @inline(__always)
    package init(_ objects: ObjectClass, _ key: ObjectKey, _ place: ObjectPlace) {
        self.objects = objects
        self.key = key
        self.place = place
    }

    package var link: ObjectLink { ObjectLink(table: objects.key, key: key) }

    // MARK: Places

    /// Remembers where the object is in the version its instance shows now. That of a frozen instance
    /// knows from the beginning, and is not changed.
    @inline(__always)
    package mutating func follow() throws(RealmError) {
        let generation = objects.instance.generation
        // An open write transaction is asked each time.
        if generation != 0, generation != place.generation { try find() }
    }

    @inline(never)
    private mutating func find() throws(RealmError) {
        // A live instance that shows nothing yet begins with the newest version.
        if !objects.instance.isFrozen { _ = objects.instance.snapshot() }
        place = try objects.place(of: key)
    }

    /// Becomes the object with `other`, of the same class: one beside this one is found at once.
    package mutating func move(to other: ObjectKey) throws(RealmError) {
        let near = near(other)
        key = other
        if let near {
            place = near
        } else {
            place = ObjectPlace()
            try follow()
        }
    }

    /// Becomes the object with `other`, of the same class, which was found at `place`.
    @inline(__always)
    mutating func rebind(_ other: ObjectKey, _ place: ObjectPlace) {
        (key, self.place) = (other, place)
    }

    /// Where `other` is if that is beside this object. Changes nothing, so that no reference has to be
    /// counted meanwhile.
    @inline(__always)
    private func near(_ other: ObjectKey) -> ObjectPlace? {
        let instance = objects.instance
        let space = instance.space
        guard place.generation == instance.generation else { return nil }
        return place.place(of: other, from: key, space)
    }

    /// A handle of another object of the class: one beside this one is found at once.
    package func handle(of other: ObjectKey) throws(RealmError) -> ObjectHandle {
        var handle = self
        try handle.move(to: other)
        return handle
    }

    /// Whether the object exists in the version shown.
    package var exists: Bool {
        get throws(RealmError) {
            let instance = objects.instance
            instance.checkReadable()
            if let transaction = instance.transaction {
                return try transaction.exists(objects.key, key)
            }
            var copy = self
            try copy.follow()
            return copy.place.isThere
        }
    }

    // MARK: Reading

    /// The value of a property, an unresolved link being null. `property` is one of the class's.
    ///
    /// Throws `misuse` when the object or the property is gone.
    package func value(_ property: Int) throws(RealmError) -> Value {
        try objects.value(property, of: key, at: place)
    }

    /// An integer; nil for null. Throws as `value` does, and for a property of another type.
    package func int(_ property: Int) throws(RealmError) -> Int64? {
        try objects.int(property, of: key, at: place)
    }
}
