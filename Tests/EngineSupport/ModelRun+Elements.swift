@testable import RealmEngine

/// Random changes of single elements of collections, including nested ones.
extension ModelRun {
    /// Makes a random change of a collection property, or of a collection nested in it.
    func editElements(
        _ transaction: WriteTransaction, _ object: ObjectLink, _ column: Int,
        _ info: ModelDatabase.Column
    ) throws {
        var place = CollectionLocation(object.table, object.key, column)
        let old = model[object, column]
        let new = try edited(transaction, old, info, &place)
        model.set(object, column, new)
    }

    /// Changes a collection, or a random collection nested in it, and returns the new value.
    private func edited(
        _ transaction: WriteTransaction, _ value: PlainValue, _ info: ModelDatabase.Column,
        _ place: inout CollectionLocation
    ) throws -> PlainValue {
        switch value {
        case .list(var all):
            let nested = all.indices.filter { all[$0].isCollection }
            if !nested.isEmpty, values.chance(60) {
                let i = values.pick(nested)
                place.steps.append(.index(i))
                all[i] = try edited(transaction, all[i], info, &place)
                return .list(all)
            }
            for _ in 0..<changeCount(info) { try edit(transaction, &all, info, place) }
            return .list(all)
        case .dictionary(var all):
            let nested = all.indices.filter {
                all[$0].value.isCollection && String(validating: all[$0].key, as: UTF8.self) != nil
            }
            if !nested.isEmpty, values.chance(60) {
                let i = values.pick(nested)
                place.steps.append(.key(String(decoding: all[i].key, as: UTF8.self)))
                all[i].value = try edited(transaction, all[i].value, info, &place)
                return .dictionary(all)
            }
            for _ in 0..<changeCount(info) { try edit(transaction, &all, info, place) }
            return .dictionary(all)
        case .set(var all):
            for _ in 0..<changeCount(info) { try edit(transaction, set: &all, info, place) }
            return .set(all)
        default: return value
        }
    }

    /// Returns how many changes to make in succession to a collection, whose cached state is reused
    /// after the first one. Returns 1 for embedded objects, which are compared with the model after
    /// each change.
    private func changeCount(_ info: ModelDatabase.Column) -> Int {
        isEmbedded(info) || values.chance(60) ? 1 : 1 + values.below(8)
    }

    private func newElement(
        _ info: ModelDatabase.Column, _ place: CollectionLocation
    ) -> PlainValue? {
        let isNested = info.collection == nil || !place.steps.isEmpty
        if isNested || info.isOptional, values.chance(15) { return .null }
        let value = element(info, depth: place.steps.count > 3 ? 0 : 2)
        return value == .null && !isNested && !info.isOptional ? nil : value
    }

    private func edit(
        _ transaction: WriteTransaction, _ all: inout [PlainValue],
        _ info: ModelDatabase.Column, _ place: CollectionLocation
    ) throws {
        let isEmbedded = self.isEmbedded(info) && place.steps.isEmpty
        let at = values.below(all.count)
        switch values.below(all.isEmpty ? 5 : 12) {
        case 0..<5:
            let at = values.chance(30) ? all.count : values.below(all.count + 1)
            if isEmbedded {
                let key = try transaction.insertEmbedded(at: at, in: place)
                all.insert(try adopted(info, key), at: at)
            } else if let value = newElement(info, place) {
                try transaction.insertElement(
                    value.value(arena, transaction), at: at, in: place)
                all.insert(value, at: at)
            }
        case 5, 6:
            if isEmbedded {
                all[at] = try adopted(info, transaction.setEmbedded(at: at, in: place))
            } else if let value = newElement(info, place) {
                try transaction.setElement(value.value(arena, transaction), at: at, in: place)
                all[at] = value
            }
        case 7, 8:
            try transaction.removeElement(at: at, from: place)
            all.remove(at: at)
        case 9:
            let target = values.below(all.count)
            try transaction.moveElement(from: at, to: target, in: place)
            all.insert(all.remove(at: at), at: target)
        case 10:
            let other = values.below(all.count)
            try transaction.swapElements(at, other, in: place)
            all.swapAt(at, other)
        default:
            if values.chance(80) {
                try mustThrow("an element beyond the end") {
                    try transaction.removeElement(at: all.count, from: place)
                }
            } else {
                try transaction.removeAllElements(of: place)
                all = []
            }
        }
    }

    private func edit(
        _ transaction: WriteTransaction, set all: inout [PlainValue],
        _ info: ModelDatabase.Column, _ place: CollectionLocation
    ) throws {
        // In a set, null comes first and links come last. A null at the end is therefore a link to
        // a tombstone, which reads as null but cannot be edited as null.
        if all.last == .null { return }
        // The reference engine's order does not decide where a NaN is. A search may therefore miss a
        // member of a set with a NaN that the reference engine wrote.
        if all.contains(where: \.isNaN) { return }
        if !all.isEmpty, values.chance(40) {
            let at = values.below(all.count)
            let value = all.remove(at: at)
            try expect(
                transaction.removeMember(value.value(arena, transaction), from: place),
                "\(value) is no member")
        } else if values.chance(5) {
            try transaction.removeAllElements(of: place)
            all = []
        } else if let value = newElement(info, place) {
            let more = ModelDatabase.asSet(all + [value])
            try expect(
                transaction.insertMember(value.value(arena, transaction), into: place)
                    == (more.count > all.count), "whether \(value) is new")
            all = more
        }
    }

    private func edit(
        _ transaction: WriteTransaction, _ all: inout [PlainEntry],
        _ info: ModelDatabase.Column, _ place: CollectionLocation
    ) throws {
        if !all.isEmpty, values.chance(35) {
            let at = values.below(all.count)
            let key = Value.string(PlainValue.view(all[at].key, arena))
            try expect(transaction.removeEntry(key, from: place), "no key \(all[at].key)")
            try expect(!transaction.removeEntry(key, from: place), "the key is still there")
            all.remove(at: at)
            return
        }
        if values.chance(5) {
            try transaction.removeAllElements(of: place)
            all = []
            return
        }
        let bytes = all.isEmpty || values.chance(60) ? values.key() : values.pick(all).key
        let key = Value.string(PlainValue.view(bytes, arena))
        let known = all.firstIndex { $0.key == bytes }
        var value: PlainValue
        if isEmbedded(info), place.steps.isEmpty {
            value = try adopted(info, transaction.setEmbeddedEntry(key, in: place))
        } else {
            guard let fresh = newElement(info, place) else { return }
            value = fresh
            try expect(
                transaction.setEntry(key, to: value.value(arena, transaction), in: place)
                    == (known == nil), "whether the key is new")
        }
        if let known {
            all[known].value = value
        } else {
            let at = all.firstIndex { bytes.lexicographicallyPrecedes($0.key) } ?? all.count
            all.insert(PlainEntry(key: bytes, value: value), at: at)
        }
    }

    /// Adds a new embedded object to the model and returns its link.
    private func adopted(
        _ info: ModelDatabase.Column, _ key: ObjectKey
    ) throws -> PlainValue {
        try expect(
            model.tables[info.target]!.objects[key.raw] == nil, "key \(key) given twice")
        model.tables[info.target]!.insert(key.raw)
        return .link(ObjectLink(table: info.target, key: key))
    }
}

extension PlainValue {
    fileprivate var isCollection: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }
}

extension ModelDatabase.Column {
    /// Whether elements of the property's current value can be edited: the property is a
    /// collection, or it is mixed and its value is a collection.
    func mayEditElements(_ value: PlainValue) -> Bool { collection != nil || value.isCollection }
}
