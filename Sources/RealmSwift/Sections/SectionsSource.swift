import Foundation
import RealmEngine

/// Results and their sections. The sections are computed again when the realm is at another
/// version.
final class SectionsSource<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
    @unchecked Sendable
{
    let results: Results<Element>
    let key: (Element) -> Key
    /// The sections that were computed last, with the version for which they were computed. A lock
    /// guards them, because several threads may use frozen sections.
    private let known = LockedValue<Known?>(nil)

    private struct Known: @unchecked Sendable {
        let version: UInt64
        let layout: SectionsLayout<Key>
    }

    init(_ results: Results<Element>, _ key: @escaping (Element) -> Key) {
        (self.results, self.key) = (results, key)
    }

    var layout: SectionsLayout<Key> {
        let engine = results.owningRealm.engine
        // An open write transaction may change the results at any time.
        if !isFrozen, engine.isInWriteTransaction { return found() }
        let version = engine.version
        if let known = known.withLock({ $0 }), known.version == version { return known.layout }
        let fresh = Known(version: version, layout: found())
        known.withLock { $0 = fresh }
        return fresh.layout
    }

    private var isFrozen: Bool { results.isFrozen }

    private func found() -> SectionsLayout<Key> { SectionsLayout(results.map { key($0) }) }

    func frozen() -> SectionsSource { isFrozen ? self : SectionsSource(results.freeze(), key) }
    func thawed() -> SectionsSource? {
        isFrozen ? results.thaw().map { SectionsSource($0, key) } : self
    }
}

/// The sections of results: the keys, and the positions of the elements of each section.
struct SectionsLayout<Key: Hashable> {
    /// Section key of each element, in the order of the elements.
    let flat: [Key]
    /// Key of each section, in the order of the sections.
    private(set) var keys: [Key] = []
    private var members: [Key: (section: Int, positions: [Int])] = [:]

    init(_ flat: [Key]) {
        self.flat = flat
        for (position, key) in flat.enumerated() {
            if members[key] == nil {
                members[key] = (keys.count, [])
                keys.append(key)
            }
            members[key]!.positions.append(position)
        }
    }

    func positions(of key: Key) -> [Int] { members[key]?.positions ?? [] }
    func section(of key: Key) -> Int? { members[key]?.section }

    /// For each element, its section and its position in the section.
    var paths: [IndexPath] {
        var next = Array(repeating: 0, count: keys.count)
        return flat.map { key in
            let section = members[key]!.section
            defer { next[section] += 1 }
            return IndexPath(item: next[section], section: section)
        }
    }

    static func check(_ index: Int, _ count: Int) {
        if index < 0 || index >= count {
            throwRealmException("Index \(index) is out of bounds (must be less than \(count)).")
        }
    }
}

// MARK: - Creation

extension RealmCollection {
    /// Sorts the elements and groups them into sections with equal keys.
    ///
    /// Traps if there is no sort descriptor, and for an unmanaged collection.
    ///
    /// - Parameter keyBlock: returns the key of an element.
    public func sectioned<Key: _Persistable>(
        sortDescriptors: [SortDescriptor], _ keyBlock: @escaping ((Element) -> Key)
    ) -> SectionedResults<Key, Element> {
        if sortDescriptors.isEmpty {
            throwRealmException(
                "There must be at least one SortDescriptor when using SectionedResults.")
        }
        return SectionedResults(SectionsSource(sorted(by: sortDescriptors), keyBlock))
    }

    /// Sorts the elements by value and groups them into sections with equal keys. Traps for an
    /// unmanaged collection.
    ///
    /// - Parameter block: returns the key of an element.
    public func sectioned<Key: _Persistable>(
        by block: @escaping ((Element) -> Key), ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(
            sortDescriptors: [SortDescriptor(keyPath: "self", ascending: ascending)], block)
    }

    fileprivate func sectioned<Key: _Persistable>(
        _ keyPath: KeyPath<Element, Key>, _ name: String, _ sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        if let first = sortDescriptors.first, first.keyPath != name {
            throwRealmException(
                "The section key path must match the primary sort descriptor.")
        }
        return sectioned(sortDescriptors: sortDescriptors) { $0[keyPath: keyPath] }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Sorts the objects by a property and groups them into sections with equal values of the
    /// property. Traps for an unmanaged collection.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let name = _name(for: keyPath)
        return sectioned(keyPath, name, [SortDescriptor(keyPath: name, ascending: ascending)])
    }

    /// Sorts the objects and groups them into sections with equal values of a property. The first
    /// sort descriptor must sort by the same property. Traps otherwise, and for an unmanaged
    /// collection.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sectioned(keyPath, _name(for: keyPath), sortDescriptors)
    }

    /// Sorts the objects and groups them into sections with equal keys.
    ///
    /// Traps if there is no sort descriptor, and for an unmanaged collection.
    ///
    /// - Parameter block: returns the key of an object.
    public func sectioned<Key: _Persistable>(
        by block: @escaping ((Element) -> Key), sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> { sectioned(sortDescriptors: sortDescriptors, block) }
}

extension RealmCollection {
    /// Sorts the projections by a property and groups them into sections with equal values of the
    /// property. Traps for an unmanaged collection.
    public func sectioned<Key: _Persistable, O: ObjectBase>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> where Element: Projection<O> {
        let name = _name(for: keyPath)
        return sectioned(keyPath, name, [SortDescriptor(keyPath: name, ascending: ascending)])
    }

    /// Sorts the projections and groups them into sections with equal values of a property. The
    /// first sort descriptor must sort by the same property. Traps otherwise, and for an unmanaged
    /// collection.
    public func sectioned<Key: _Persistable, O: ObjectBase>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> where Element: Projection<O> {
        sectioned(keyPath, _name(for: keyPath), sortDescriptors)
    }

    /// Sorts the projections and groups them into sections with equal keys.
    ///
    /// Traps if there is no sort descriptor, and for an unmanaged collection.
    ///
    /// - Parameter block: returns the key of a projection.
    public func sectioned<Key: _Persistable, O: ObjectBase>(
        by block: @escaping ((Element) -> Key), sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> where Element: Projection<O> {
        sectioned(sortDescriptors: sortDescriptors, block)
    }
}
