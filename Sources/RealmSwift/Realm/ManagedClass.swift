import RealmEngine

/// A class as one realm has it: the model of the program, the table of the file, and which property of
/// the one is which of the other. Confined as its realm is; of a frozen one free to cross threads.
final class ManagedClass: @unchecked Sendable {
    /// Whoever holds this holds the realm, too.
    unowned let realm: RealmInstance
    let model: ClassModel
    let objects: ObjectClass
    /// The realm let go of the version that objects of this class are of.
    var isStale = false
    /// Place of the primary key among the table's properties.
    let primaryKey: Int?
    /// Where the wrappers of a new accessor lie, and the places of their properties.
    private let bindings: [(offset: Int, property: UInt16)]
    /// Columns that are no wrappers, which few classes have.
    private let holders: [(field: ClassModel.Field, property: UInt16)]
    /// By field of the model; nil for linking objects.
    let properties: [Int?]
    /// Once conditions asked for them (`aliases`).
    let names = Guarded<KeyPathAliases?>(nil)

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
        holders = places.filter { $0.field.wrapper.isHolder }
        bindings = places.filter { !$0.field.wrapper.isHolder }
            .map { ($0.field.offset, $0.property) }
    }

    /// Makes `object` stand for the stored one.
    ///
    /// - Parameter isAdopted: its holders have what is to be stored yet.
    @inline(__always)
    func bind(_ object: ObjectBase, _ handle: ObjectHandle, isAdopted: Bool = false) {
        object.managed = self
        object.handle = handle
        object.keeper = realm
        let base = Unmanaged.passUnretained(object).toOpaque()
        for binding in bindings {
            base.storeBytes(of: binding.property, toByteOffset: binding.offset, as: UInt16.self)
        }
        if !holders.isEmpty, !isAdopted { attachHolders(of: object) }
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

    /// An accessor of a stored object; `type` is the model's, or one above it.
    @inline(__always)
    func accessor<T>(_ handle: ObjectHandle, as type: T.Type) -> T {
        let object = model.type.init()
        bind(object, handle)
        return unsafeBitCast(object, to: T.self)
    }
}
