import RealmEngine

/// A class as one realm has it: the model of the program, the table of the file, and which property of
/// the one is which of the other. Confined as its realm is; of a frozen one free to cross threads.
final class ManagedClass: @unchecked Sendable {
    /// Whoever holds this holds the realm, too.
    unowned(unsafe) let realm: RealmInstance
    let model: ClassModel
    let objects: ObjectClass
    /// The realm let go of the version that objects of this class are of.
    var isStale = false
    /// Place of the primary key among the table's properties.
    let primaryKey: Int?
    /// Where the wrappers of a new accessor lie, and the places of their properties.
    private let bindings: UnsafeMutableBufferPointer<(offset: Int, property: UInt16)>
    /// Columns that are no wrappers, which few classes have.
    private let holders: [(field: ClassModel.Field, property: UInt16)]
    private let hasHolders: Bool
    /// What is to be stored of an object that becomes managed, in order.
    let columns: [Column]
    /// A key that is an `Int` is what the file has, as it is.
    let hasIntegerKey: Bool
    private let type: ObjectBase.Type
    /// An accessor is nothing but what it stands for, and of a live realm, where one thread has it.
    let isPlain: Bool
    /// By field of the model; nil for linking objects.
    let properties: [Int?]
    /// Once conditions asked for them (`aliases`).
    let names = LockedValue<KeyPathAliases?>(nil)

    /// A field of the model, as adopting an object goes over them.
    struct Column {
        let offset: Int
        let wrapper: any ColumnWrapper.Type
        /// Its place in the table; nil for linking objects.
        let property: Int?
        let isPrimaryKey: Bool
    }

    /// Properties from here on are the model's fields, which are no columns.
    static let firstField: UInt16 = 0x8000
    /// From here on up to those they are fields of an object that writes down what it is asked for.
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

    /// Makes `object` stand for the stored one.
    ///
    /// - Parameter isAdopted: its holders have what is to be stored yet.
    @inline(__always)
    func bind(
        _ object: ObjectBase, _ key: ObjectKey, _ place: ObjectPlace, isAdopted: Bool = false
    ) {
        take(object, key, place)
        bindColumns(of: object)
        if hasHolders, !isAdopted { attachHolders(of: object) }
    }

    /// The same without its columns.
    @inline(__always)
    func take(_ object: ObjectBase, _ key: ObjectKey, _ place: ObjectPlace) {
        object.begin(counted(), key, place)
    }

    /// A reference, and one to the realm.
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

    @inline(never)
    private func attachHolders(of object: ObjectBase) {
        for holder in holders {
            holder.field.wrapper.attach(at: object.place(of: holder.field), object, holder.property)
        }
    }

    /// Holders of columns that are not stored one by one.
    func attach(_ i: Int, of object: ObjectBase) {
        guard let holder = holders.first(where: { $0.field.offset == model.fields[i].offset })
        else { return }
        holder.field.wrapper.attach(at: object.place(of: holder.field), object, holder.property)
    }

    @inline(__always)
    func bound(_ key: ObjectKey, _ place: ObjectPlace) -> ObjectBase {
        bound(key, place, counted())
    }

    /// - Parameter this: a reference to the class itself, which is counted already, and so is one to the
    ///   realm.
    @inline(__always)
    func bound(
        _ key: ObjectKey, _ place: ObjectPlace, _ this: Unmanaged<ManagedClass>
    ) -> ObjectBase {
        let object = type.init()
        object.begin(this, key, place)
        bindColumns(of: object)
        if hasHolders { attachHolders(of: object) }
        return object
    }

    /// An accessor of a stored object; `type` is the model's, or one above it.
    @inline(__always)
    func accessor<T>(_ handle: ObjectHandle, as type: T.Type) -> T {
        accessor(handle.key, handle.place, as: type)
    }

    @inline(__always)
    func accessor<T>(_ key: ObjectKey, _ place: ObjectPlace, as type: T.Type) -> T {
        Unmanaged.passRetained(bound(key, place)).unsafelyCast()
    }
}
