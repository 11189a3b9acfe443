/// An object of an instance, read and changed one property at a time.
///
/// Caches the object's location in the instance's current version; each read checks it with one
/// comparison instead of a search. After the instance has moved on, `follow` finds the location
/// again; until then every read does. In an open write transaction the transaction's own state is
/// read.
///
/// Confined like its instance; a handle of a frozen instance may be read by several threads at
/// once. A value's bytes are valid as long as the version is shown, those read in a write
/// transaction until its next change.
package struct ObjectHandle {
    package let objects: ObjectClass
    package private(set) var key: ObjectKey
    package private(set) var place: ObjectLocation

    /// Makes a handle of the object with `key`, which need not exist.
    ///
    /// Throws `corrupt` for a damaged file.
    package init(_ objects: ObjectClass, _ key: ObjectKey) throws(RealmError) {
        self.objects = objects
        self.key = key
        place = ObjectLocation()
        try follow()
    }

    /// Makes a handle of the object with `key`, which was found at `place`.
    @inline(__always)
    package init(_ objects: ObjectClass, _ key: ObjectKey, _ place: ObjectLocation) {
        self.objects = objects
        self.key = key
        self.place = place
    }

    package var link: ObjectLink { ObjectLink(table: objects.key, key: key) }

    // MARK: Row location

    /// Updates the location to the instance's current version. Handles of a frozen instance are
    /// located when they are made, and do not change.
    @inline(__always)
    package mutating func follow() throws(RealmError) {
        let generation = objects.instance.generation
        // In a write transaction, each read looks up the object.
        if generation != 0, generation != place.generation { try find() }
    }

    @inline(never)
    private mutating func find() throws(RealmError) {
        // Loads the newest version if a live instance has none loaded.
        if !objects.instance.isFrozen { _ = objects.instance.snapshot() }
        place = try objects.place(of: key)
    }

    /// Refers to object `other` of the same class. An object in the same leaf is found without a
    /// search.
    package mutating func move(to other: ObjectKey) throws(RealmError) {
        let near = near(other)
        key = other
        if let near {
            place = near
        } else {
            place = ObjectLocation()
            try follow()
        }
    }

    /// Refers to object `other` of the same class, which was found at `place`.
    @inline(__always)
    mutating func rebind(_ other: ObjectKey, _ place: ObjectLocation) {
        (key, self.place) = (other, place)
    }

    /// Returns the location of `other` if it is in this object's leaf. Does not mutate the handle,
    /// so that no reference is counted.
    @inline(__always)
    private func near(_ other: ObjectKey) -> ObjectLocation? {
        let instance = objects.instance
        let space = instance.space
        guard place.generation == instance.generation else { return nil }
        return place.place(of: other, from: key, space)
    }

    /// Returns a handle of object `other` of the class. An object in the same leaf is found without
    /// a search.
    package func handle(of other: ObjectKey) throws(RealmError) -> ObjectHandle {
        var handle = self
        try handle.move(to: other)
        return handle
    }

    /// Whether the object exists in the current version.
    package var exists: Bool {
        get throws(RealmError) {
            let instance = objects.instance
            instance.checkReadable()
            if let transaction = instance.transaction {
                return try transaction.exists(objects.key, key)
            }
            var copy = self
            try copy.follow()
            return copy.place.isPresent
        }
    }

    // MARK: Reading

    /// Returns the value of a property, an index in the class's properties. An unresolved link is
    /// null.
    ///
    /// Throws `misuse` if the object was deleted or the property removed.
    package func value(_ property: Int) throws(RealmError) -> Value {
        try objects.value(property, of: key, at: place)
    }

    /// Returns an integer; nil for null. Throws the errors of `value`, and `misuse` for a property
    /// of another type.
    package func int(_ property: Int) throws(RealmError) -> Int64? {
        try objects.int(property, of: key, at: place)
    }
}
