import RealmEngine

/// A model class in a realm. Maps the properties of the class in the program to the columns of its
/// table in the file.
///
/// Confined to the context of the realm. In a frozen realm it may be used on any thread.
final class ManagedClass: @unchecked Sendable {
    /// The realm. Unretained, because every owner of a `ManagedClass` retains the realm, too.
    unowned(unsafe) let realm: RealmInstance
    let model: ClassModel
    let objects: ObjectClass
    /// Whether the realm was invalidated after this class was looked up. Objects of the class are
    /// then invalid.
    var isStale = false
    /// Index of the primary key among the properties of the table.
    let primaryKey: Int?
    /// For each property wrapper of the class, the offset in an object of the two bytes with the
    /// index of the wrapper's property, and that index.
    private let bindings: UnsafeMutableBufferPointer<(offset: Int, property: UInt16)>
    /// Columns whose property is an object ("holder") such as `List`, without a wrapper. Few
    /// classes have any.
    private let holders: [(field: ClassModel.Field, property: UInt16)]
    private let hasHolders: Bool
    /// Columns in the order in which the values of an object are stored when it becomes managed.
    let columns: [Column]
    /// Whether the primary key is an integer, which is stored without conversion.
    let hasIntegerKey: Bool
    private let type: ObjectBase.Type
    /// Whether an accessor has no state other than its key and location, and only one thread uses
    /// it because its realm is not frozen.
    let isPlain: Bool
    /// For each field of the model, the index of its column in the table; nil for linking objects.
    let properties: [Int?]
    /// Cache of `aliases`, which maps property names in the program to column names in the file;
    /// nil until a condition first needs it.
    let names = LockedValue<KeyPathAliases?>(nil)

    /// The properties of a column that are needed when an object becomes managed.
    struct Column {
        let offset: Int
        let wrapper: any ColumnWrapper.Type
        /// Index of the column in its table; nil for linking objects.
        let property: Int?
        let isPrimaryKey: Bool
    }

    /// Rules for comparing texts in conditions, according to the realm's configuration.
    var dialect: QueryDialect {
        realm.configuration.textComparison == .unicode ? .unicodePredicate : .predicate
    }

    /// In a property wrapper, an index from here on denotes a field of the model that has no column
    /// in the table.
    static let firstField: UInt16 = 0x8000
    /// In a property wrapper, an index from here up to `firstField` means that the object records
    /// which properties a key path reads (`_KeyPathRecording`). The index minus `firstRecorded` is
    /// the index of the field in the model.
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
    /// - Parameter isAdopted: whether `object` is just becoming managed. Its properties such as
    ///   `List` and `RealmProperty` are then not attached to the stored object, because their
    ///   values are yet to be stored.
    @inline(__always)
    func bind(
        _ object: ObjectBase, _ key: ObjectKey, _ place: ObjectLocation, isAdopted: Bool = false
    ) {
        take(object, key, place)
        bindColumns(of: object)
        if hasHolders, !isAdopted { attachHolders(of: object) }
    }

    /// Makes `object` an accessor of the stored object at `key`. Unlike `bind`, does not store
    /// property indexes in the property wrappers of `object`, so these cannot read the database.
    @inline(__always)
    func take(_ object: ObjectBase, _ key: ObjectKey, _ place: ObjectLocation) {
        object.begin(counted(), key, place)
    }

    /// Retains the class and its realm. Returns the counted reference to the class.
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

    /// Attaches each holder of the accessor (`List`, `RealmProperty`) to its column.
    @inline(never)
    private func attachHolders(of object: ObjectBase) {
        for holder in holders {
            holder.field.wrapper.attach(at: object.place(of: holder.field), object, holder.property)
        }
    }

    /// Attaches the holder of field `i` (an object such as `List`) to its column without storing
    /// the value of the holder. Does nothing if field `i` is a property wrapper.
    func attach(_ i: Int, of object: ObjectBase) {
        guard let holder = holders.first(where: { $0.field.offset == model.fields[i].offset })
        else { return }
        holder.field.wrapper.attach(at: object.place(of: holder.field), object, holder.property)
    }

    /// Returns a new accessor of a stored object.
    @inline(__always)
    func bound(_ key: ObjectKey, _ place: ObjectLocation) -> ObjectBase {
        bound(key, place, counted())
    }

    /// Returns a new accessor of a stored object.
    ///
    /// - Parameter this: the class, with one reference counted by the caller. The caller has also
    ///   counted a reference to the realm. The new accessor takes over both references.
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

    /// Returns a new accessor of a stored object, as a `T`.
    ///
    /// - Parameter type: the class of the model or a superclass of it.
    @inline(__always)
    func accessor<T>(_ handle: ObjectHandle, as type: T.Type) -> T {
        accessor(handle.key, handle.place, as: type)
    }

    @inline(__always)
    func accessor<T>(_ key: ObjectKey, _ place: ObjectLocation, as type: T.Type) -> T {
        Unmanaged.passRetained(bound(key, place)).unsafelyCast()
    }
}
