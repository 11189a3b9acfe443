import RealmEngine

/// A class in one realm: its model in the program, its table in the file, and the mapping between
/// their properties.
///
/// Confined like the realm; the classes of a frozen realm may be used from any thread.
final class ManagedClass: @unchecked Sendable {
    /// The realm, which every owner of a `ManagedClass` retains as well.
    unowned(unsafe) let realm: RealmInstance
    let model: ClassModel
    let objects: ObjectClass
    /// Whether `invalidate` released the version that the objects of this class belong to.
    var isStale = false
    /// Index of the primary key among the table's properties.
    let primaryKey: Int?
    /// Offset of each wrapper in an accessor, and the index of its property.
    private let bindings: UnsafeMutableBufferPointer<(offset: Int, property: UInt16)>
    /// Columns that are held by objects such as `List` instead of wrappers. Few classes have any.
    private let holders: [(field: ClassModel.Field, property: UInt16)]
    private let hasHolders: Bool
    /// Columns in the order in which an object that becomes managed stores them.
    let columns: [Column]
    /// Whether the primary key is an `Int`, which is stored without conversion.
    let hasIntegerKey: Bool
    private let type: ObjectBase.Type
    /// Whether an accessor has no state beyond its key and location, and belongs to a live realm,
    /// so that one thread uses it.
    let isPlain: Bool
    /// Index in the table of each field of the model; nil for linking objects.
    let properties: [Int?]
    /// Key-path aliases, computed by the first condition that needs them (`aliases`).
    let names = LockedValue<KeyPathAliases?>(nil)

    /// A field of the model in the form that adopting an object needs.
    struct Column {
        let offset: Int
        let wrapper: any ColumnWrapper.Type
        /// Index in the table; nil for linking objects.
        let property: Int?
        let isPrimaryKey: Bool
    }

    /// Rules by which the realm's configuration compares texts in conditions.
    var dialect: QueryDialect {
        realm.configuration.textComparison == .unicode ? .unicodePredicate : .predicate
    }

    /// First property number that means a field of the model without a column.
    static let firstField: UInt16 = 0x8000
    /// First property number that means a field of an object that records key paths; the numbers
    /// end before `firstField`.
    static let firstRecorded: UInt16 = 0x4000

    init(_ realm: RealmInstance, _ model: ClassModel, _ objects: ObjectClass) {
        self.realm = realm
        self.model = model
        self.objects = objects
        let properties = model.fields.map { field in
            field.isLinkingObjects ? nil : objects.property(named: field.column)
        }
        self.properties = properties
        primaryKey = model.fields.firstIndex(where: \.isPrimaryKey).flatMap { properties[$0] }
        let places: [(field: ClassModel.Field, property: UInt16)] = model.fields.enumerated().map {
            i, field in
            (field, properties[i].map { UInt16($0) } ?? Self.firstField + UInt16(i))
        }
        holders = places.filter { $0.field.isHolder }
        hasHolders = !holders.isEmpty
        columns = zip(model.fields, properties).map { field, property in
            Column(
                offset: field.offset, wrapper: field.wrapper, property: property,
                isPrimaryKey: field.isPrimaryKey)
        }
        hasIntegerKey = model.primaryKey?.shape.type == .int
        type = model.type
        isPlain = model.isPlain && !realm.isFrozen
        let wrappers = places.filter { !$0.field.isHolder }
        bindings = .allocate(capacity: wrappers.count)
        _ = bindings.initialize(from: wrappers.map { ($0.field.bindingOffset, $0.property) })
    }

    deinit { bindings.deallocate() }

    /// Makes `object` an accessor of the stored object at `key`.
    ///
    /// - Parameter isAdopted: whether the holders still contain values to be stored; they are not
    ///   attached then.
    @inline(__always)
    func bind(
        _ object: ObjectBase, _ key: ObjectKey, _ place: ObjectLocation, isAdopted: Bool = false
    ) {
        take(object, key, place)
        bindColumns(of: object)
        if hasHolders, !isAdopted { attachHolders(of: object) }
    }

    /// Sets the class, key and location of `object` without binding its columns.
    @inline(__always)
    func take(_ object: ObjectBase, _ key: ObjectKey, _ place: ObjectLocation) {
        object.begin(counted(), key, place)
    }

    /// Retains the class and its realm, and returns the reference to the class.
    @inline(__always)
    private func counted() -> Unmanaged<ManagedClass> {
        _ = Unmanaged.passUnretained(realm).retain()
        return Unmanaged.passUnretained(self).retain()
    }

    @inline(__always)
    private func bindColumns(of object: ObjectBase) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for binding in bindings {
            base.storeBytes(of: binding.property, toByteOffset: binding.offset, as: UInt16.self)
        }
    }

    /// Attaches every holder of a bound accessor to its column.
    @inline(never)
    private func attachHolders(of object: ObjectBase) {
        for holder in holders {
            holder.field.wrapper.attach(at: object.place(of: holder.field), object, holder.property)
        }
    }

    /// Attaches the holder of field `i`, whose column is not stored one by one. Does nothing for a
    /// wrapper.
    func attach(_ i: Int, of object: ObjectBase) {
        guard let holder = holders.first(where: { $0.field.offset == model.fields[i].offset })
        else { return }
        holder.field.wrapper.attach(at: object.place(of: holder.field), object, holder.property)
    }

    /// Returns a new accessor of the stored object.
    @inline(__always)
    func bound(_ key: ObjectKey, _ place: ObjectLocation) -> ObjectBase {
        bound(key, place, counted())
    }

    /// Returns a new accessor of the stored object.
    ///
    /// - Parameter this: reference to this class; it and one reference to the realm are already
    ///   counted.
    @inline(__always)
    func bound(
        _ key: ObjectKey, _ place: ObjectLocation, _ this: Unmanaged<ManagedClass>
    ) -> ObjectBase {
        let object = type.init()
        object.begin(this, key, place)
        bindColumns(of: object)
        if hasHolders { attachHolders(of: object) }
        return object
    }

    /// Returns a new accessor of a stored object. `type` is the class of the model or a superclass.
    @inline(__always)
    func accessor<T>(_ handle: ObjectHandle, as type: T.Type) -> T {
        accessor(handle.key, handle.place, as: type)
    }

    @inline(__always)
    func accessor<T>(_ key: ObjectKey, _ place: ObjectLocation, as type: T.Type) -> T {
        Unmanaged.passRetained(bound(key, place)).unsafelyCast()
    }
}
