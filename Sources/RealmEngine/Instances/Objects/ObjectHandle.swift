/// An object of an instance, read and changed one property at a time.
///
/// Caches the object's location in the instance's current version; each read checks the location
/// with one comparison and needs no search. After the instance has moved to another version, each
/// read searches the object, until `follow` updates the location. In an open write transaction,
/// reads return the state of the transaction.
///
/// Confined like its instance; several threads may read a handle of a frozen instance at once. The
/// bytes of a value are valid until the instance moves to another version, or in a write
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

    /// Updates the location to the instance's current version. A handle of a frozen instance was
    /// located when it was made and does not change.
    @inline(__always)
    package mutating func follow() throws(RealmError) {
        let generation = objects.instance.generation
        // In a write transaction, the location is not cached: each read looks up the object.
        if generation != 0, generation != place.generation { try find() }
    }

    @inline(never)
    private mutating func find() throws(RealmError) {
        // If a live instance has no version loaded, load the newest one.
        if !objects.instance.isFrozen { _ = objects.instance.snapshot() }
        place = try objects.place(of: key)
    }

    /// Makes the handle refer to object `other` of the same class. If that object is in the same
    /// leaf, no search is needed.
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

    /// Makes the handle refer to object `other` of the same class, which was found at `place`.
    @inline(__always)
    mutating func rebind(_ other: ObjectKey, _ place: ObjectLocation) {
        (key, self.place) = (other, place)
    }

    /// Returns the location of `other` if it is in this object's leaf. The function is not
    /// mutating: a mutating function would cost a reference count.
    @inline(__always)
    private func near(_ other: ObjectKey) -> ObjectLocation? {
        let instance = objects.instance
        let space = instance.space
        guard place.generation == instance.generation else { return nil }
        return place.place(of: other, from: key, space)
    }

    /// Returns a handle of object `other` of the class. If that object is in the same leaf, no
    /// search is needed.
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

    /// Returns the value of the property with the given index in the class's properties. An
    /// unresolved link is null.
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
