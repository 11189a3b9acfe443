/// Reads single properties without an `ObjectHandle`. A handle would also retain the class, which
/// costs a reference count per read.
extension ObjectClass {
    /// Whether the object must be located again, because `place` may be outdated. Always true in an
    /// open write transaction.
    @inlinable @inline(__always)
    package func isBehind(_ place: ObjectLocation) -> Bool {
        let generation = instance.generation
        return generation == 0 || generation != place.generation
    }

    /// Returns the value of a property of the object with `key`, found at `place`. An unresolved
    /// link is null.
    ///
    /// Throws `misuse` if the object was deleted or the property removed.
    package func value(
        _ property: Int, of key: ObjectKey, at place: ObjectLocation
    ) throws(RealmError) -> Value {
        let space = instance.space
        guard place.generation == instance.generation else { return try valueSlow(property, key) }
        let field = field(property)
        let ref = try cells(field, place)
        return try ColumnLeaf(space, ref, field.pointee.layout, rows: Int(place.rows)).value(
            place.row)
    }

    /// Returns an integer; nil for null. Throws the errors of `value`, and `misuse` for a property
    /// of another type.
    package func int(
        _ property: Int, of key: ObjectKey, at place: ObjectLocation
    ) throws(RealmError) -> Int64? {
        let space = instance.space
        let field = field(property)
        guard place.generation == instance.generation, field.pointee.isInteger else {
            return try value(property, of: key, at: place).int()
        }
        let ref = try cells(field, place)
        let leaf = try space.integers(ref, "integer leaf")
        guard leaf.count == Int(place.rows) else { throw space.tooMany(leaf.count, ref) }
        return leaf.integer(place.row)
    }

    /// Returns the stored bytes of a text; nil for null. Throws the errors of `value`, and `misuse`
    /// for a property of another type.
    package func text(
        _ property: Int, of key: ObjectKey, at place: ObjectLocation
    ) throws(RealmError) -> ByteView? {
        let space = instance.space
        let field = field(property)
        guard place.generation == instance.generation, field.pointee.isText else {
            return try value(property, of: key, at: place).text()
        }
        let ref = try cells(field, place)
        let leaf = try BytesLeaf(strings: space, ref, distinct: field.pointee.layout.distinct)
        guard leaf.count == Int(place.rows) else { throw space.tooMany(leaf.count, ref) }
        return try leaf.value(place.row)
    }

    @inline(__always)
    private func cells(
        _ field: UnsafePointer<Field>, _ place: ObjectLocation
    ) throws(RealmError) -> Ref {
        guard let ref = place.columnRef(field.pointee.leafIndex), field.pointee.column != nil,
            !ref.isNone
        else { throw missingValueError(field.pointee) }
        return ref
    }

    /// Returns the value of a property by looking up the object again. Called if the cached
    /// location of the object is outdated, or while a write transaction is open.
    @inline(never)
    private func valueSlow(_ property: Int, _ key: ObjectKey) throws(RealmError) -> Value {
        if let transaction = instance.transaction {
            let field = try field(property, in: transaction)
            guard field.column != nil,
                let value = try transaction.stored(self.key, key, leafIndex: field.leafIndex)
            else { throw missingValueError(field) }
            return value.shown
        }
        let found = try ObjectHandle(self, key)
        return try value(property, of: key, at: found.place)
    }

    @inline(never)
    private func missingValueError(_ field: Field) -> RealmError {
        if field.column == nil {
            return .misuse("The property has been removed from the file.", code: "InvalidProperty")
        }
        return .misuse("Object has been deleted or invalidated.", code: "InvalidatedObject")
    }
}
