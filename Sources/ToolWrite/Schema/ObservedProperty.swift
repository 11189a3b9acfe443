import RealmEngine
import RealmRecords
import ToolKit

/// Infers the type of a property from its values.
final class ObservedProperty {
    enum Shape: Equatable {
        case scalar(ColumnType)
        /// A link to the class with this name.
        case link(String)
        /// An embedded object.
        case object
        case list, set, dictionary
        case mixed
    }

    let name: String
    /// Number of records that have the property.
    private(set) var count = 0
    private(set) var hasNull = false
    /// Kind of the values; nil while all values are null.
    private(set) var shape: Shape?
    /// Infers the type of the elements; nil if the property is not a collection.
    private(set) var element: ObservedProperty?
    /// Infers the properties of embedded objects; nil if the values are not objects.
    private(set) var object: ObservedClass?

    /// The numbers among the property's values. If all values are numbers, they determine the type.
    private(set) var numbers = ObservedNumbers()
    /// Whether a value of the property is neither a number nor null.
    private var hasNonNumbers = false

    /// Whether all texts so far denote Booleans: `true`, `false`, `yes`, `no`, `1` or `0`.
    private(set) var isTruth = true
    /// Hashes of the property's values, while the property may be a primary key; nil after the
    /// first duplicate.
    private var seen: Set<UInt64>?

    /// Maximum number of values that are checked for duplicates.
    private let most: Int

    /// - Parameter maximumKeyCount: maximum number of values that are checked for duplicates; 0 if
    ///   the property cannot be a primary key.
    init(_ name: String, maximumKeyCount: Int = 0) {
        self.name = name
        most = maximumKeyCount
        if maximumKeyCount > 0 { seen = [] }
    }

    /// Whether all values are different and none is null.
    var isUnique: Bool { seen != nil && !hasNull && count > 0 }

    private func note(_ text: ByteView) {
        if seen == nil { return }
        var hash = ContentHash(seed: 0)
        hash.update(text.buffer)
        if seen?.count == most || seen?.insert(hash.value).inserted == false { seen = nil }
    }

    /// Adds the JSON value that one record has for the property to the statistics from which the
    /// type of the property is inferred.
    func observe(_ value: JSONValue) {
        count += 1
        switch value.kind {
        case .int, .string: note(value.text)
        case .object: value.wrapped.map { note($0.content.text) }
        default: seen = nil
        }
        switch value.kind {
        case .null: hasNull = true
        case .bool: merge(.scalar(.bool))
        case .int, .number: observeNumber { $0.observe(value.text) }
        case .string: merge(.scalar(Self.isTime(value.text) ? .timestamp : .string))
        case .array: collect(value.children, .list)
        case .object: observeObject(value)
        }
    }

    private func observeObject(_ value: JSONValue) {
        guard let (name, content) = value.wrapped else { return take(value, named: nil) }
        if name.equals("$set") { return collect(content.children, .set) }
        if name.equals("$dictionary") { return collect(content.children, .dictionary) }
        if name.equals("$link"), let table = content.field("table"), table.kind == .string {
            return merge(.link(table.text.string))
        }
        if name.equals("$embedded"), let inner = content.field("value") {
            let table = content.field("table")
            return take(inner, named: table?.kind == .string ? table?.text.string : nil)
        }
        switch value.selfDescribed(name, content) {
        case .int: observeNumber { $0.observe(declared: .int) }
        case .double: observeNumber { $0.observe(declared: .double) }
        case .decimal: observeNumber { $0.observe(declared: .decimal) }
        case .timestamp: merge(.scalar(.timestamp))
        case .objectID: merge(.scalar(.objectID))
        case .uuid: merge(.scalar(.uuid))
        case .binary: merge(.scalar(.binary))
        default: merge(.mixed)
        }
    }

    private func take(_ value: JSONValue, named name: String?) {
        merge(.object)
        guard shape == .object else {
            object = nil
            return
        }
        let object = self.object ?? ObservedClass(name)
        self.object = object
        object.observe(value) { String($0) }
    }

    private func collect(_ children: JSONChildren, _ shape: Shape) {
        merge(shape)
        guard self.shape == shape else {
            element = nil
            return
        }
        let element = self.element ?? ObservedProperty(name)
        self.element = element
        for child in children { element.observe(child) }
    }

    /// Adds the text that one row of CSV or TSV has for the property to the statistics from which
    /// the type of the property is inferred.
    func observe(text: ByteView, isNull: Bool) {
        count += 1
        if isNull {
            hasNull = true
            return
        }
        note(text)
        if isTruth, ScalarText.plainBool(text) == nil { isTruth = false }
        if Self.isNumber(text) {
            observeNumber { $0.observe(text) }
        } else {
            merge(.scalar(Self.type(ofText: text)))
        }
        // Fields of CSV and TSV are text. If the types of their values differ, the property is a
        // string, not mixed.
        if shape == .mixed { shape = .scalar(.string) }
    }

    /// Returns the type of a text that is not a number.
    private static func type(ofText text: ByteView) -> ColumnType {
        if text.equals("true") || text.equals("false") { return .bool }
        return ScalarText.time(text) != nil ? .timestamp : .string
    }

    private static let maximumNumberLength = 64

    /// Whether a text is a number in decimal notation. A text with leading zeros is not, because a
    /// number would lose the zeros.
    private static func isNumber(_ text: ByteView) -> Bool {
        guard text.count > 0, text.count <= maximumNumberLength else { return false }
        let start = text[0] == UInt8(ascii: "-") ? 1 : 0
        guard start < text.count, text[start] >= 0x30, text[start] <= 0x39 else { return false }
        let isPadded =
            text[start] == 0x30 && start + 1 < text.count && text[start + 1] >= 0x30
            && text[start + 1] <= 0x39
        return !isPadded && Double(text: text) != nil && Decimal128(text: text) != nil
    }

    /// Whether a text is an RFC 3339 date with time and zone.
    private static func isTime(_ text: ByteView) -> Bool {
        text.count >= 20 && text[10] == UInt8(ascii: "T") && Timestamp(text: text) != nil
    }

    /// Adds a number to the statistics of the property. A property with numbers and other values is
    /// mixed.
    private func observeNumber(_ observe: (inout ObservedNumbers) -> Void) {
        observe(&numbers)
        let type = numbers.type
        shape = hasNonNumbers || type == .mixed ? .mixed : .scalar(type)
    }

    /// Whether all values are numbers and must be stored as strings, because no numeric type
    /// represents all of them.
    var hasNumbersAsText: Bool { !numbers.isEmpty && shape == .scalar(.string) && !hasNonNumbers }

    private func merge(_ seen: Shape) {
        hasNonNumbers = true
        if !numbers.isEmpty {
            shape = .mixed
            return
        }
        guard let known = shape, known != seen else {
            shape = seen
            return
        }
        switch (known, seen) {
        case (.scalar(.timestamp), .scalar(.string)), (.scalar(.string), .scalar(.timestamp)):
            shape = .scalar(.string)
        default: shape = .mixed
        }
    }
}

/// Infers the properties of a class from its objects.
final class ObservedClass {
    /// Name of the class; nil for embedded objects, which do not name it.
    let name: String?
    private(set) var records = 0
    private(set) var properties: [ObservedProperty] = []
    /// For each field name in the records, the index in `properties`; nil for a field that is
    /// ignored.
    private var positions: [[UInt8]: Int?] = [:]
    /// For each property name, the index in `properties`.
    private var places: [String: Int] = [:]

    /// Maximum number of values of a property that are checked for duplicates.
    private let maximumKeyCount: Int

    init(_ name: String?, maximumKeyCount: Int = 0) {
        self.name = name
        self.maximumKeyCount = maximumKeyCount
    }

    /// Names of the properties that may be primary keys. The preferred ones are first.
    var keyNames: [String] {
        ["id", "uuid", "key"]
            + (name.map { ["\($0.lowercased())_id", "\($0.lowercased())id"] } ?? [])
    }

    private func mayBeKey(_ property: String) -> Bool {
        maximumKeyCount > 0 && keyNames.contains(property.lowercased())
    }

    /// Adds the values of one object's fields to the statistics of the properties. `property`
    /// returns the property name of a field; nil if the field is ignored.
    func observe(_ value: JSONValue, _ property: (String) -> String?) {
        records += 1
        guard value.kind == .object else { return }
        for field in value.children { self.property(field.key, property)?.observe(field) }
    }

    /// Inserts the names of properties that are strings because no numeric type represents all of
    /// their numbers. Includes properties of embedded objects.
    func addNumbersAsText(to names: inout Set<String>) {
        for property in properties {
            let value = property.element ?? property
            if value.hasNumbersAsText { names.insert(property.name) }
            (property.object ?? value.object)?.addNumbersAsText(to: &names)
        }
    }

    /// Begins the next row of a table.
    func beginRow() { records += 1 }

    /// Returns the property for a field; nil if the field is ignored.
    func property(_ field: ByteView, _ name: (String) -> String?) -> ObservedProperty? {
        let key = field.bytes
        if let known = positions[key] { return known.map { properties[$0] } }
        guard let wanted = name(field.string) else {
            positions[key] = .some(nil)
            return nil
        }
        let place = places[wanted] ?? properties.count
        if place == properties.count {
            places[wanted] = place
            properties.append(
                ObservedProperty(wanted, maximumKeyCount: mayBeKey(wanted) ? maximumKeyCount : 0))
        }
        positions[key] = .some(place)
        return properties[place]
    }
}
