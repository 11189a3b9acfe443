import Synchronization

/// Notification for observers of an instance.
public enum InstanceNotice: Sendable {
    /// The instance has moved to a newer version.
    case didChange
    /// There is a newer version, but `autorefresh` is false.
    case refreshRequired
}

/// Notification for observers of an object.
package enum ObjectNotice {
    case changed(ObjectChange)
    case deleted
}

/// Notification for observers of a collection.
package enum CollectionNotice: Sendable {
    case initial
    case changed(CollectionChange)
    /// Change of a dictionary, whose entries have no indexes.
    case changedKeys(DictionaryChange)
    /// The collection was deleted together with its object. If it was not empty, a notification
    /// that its elements were deleted comes first.
    case deleted
}

/// Change of an object. Valid during the notification; confined like the instance.
package struct ObjectChange {
    /// Changed properties of the object, as indexes into the class's columns, ascending. Empty if
    /// only other objects changed that the observer's key path reaches along backlinks.
    package let columns: [Int]
    /// The object before and after the change.
    let old: Row
    package let new: Row
    /// Whether all changes of the object were made by the instance itself.
    package let isOwn: Bool

    /// Previous value of a property; nil if the property did not exist.
    package func oldValue(_ column: Int) throws(RealmError) -> Value? {
        let key = new.table.info.columns[column].key
        guard let before = old.table.info.columns.firstIndex(where: { $0.key == key }) else {
            return nil
        }
        return try old.value(before)
    }
}

/// Ends an observation when released or invalidated. Free to cross threads.
public final class ObservationToken: Sendable {
    private let isValid = Atomic<Bool>(true)
    /// Called when the observation ends, to remove the observer from the instance's list of
    /// observers.
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { invalidate() }

    /// Ends the observation; no call begins afterwards. Returns false if it had ended already.
    @discardableResult
    public func invalidate() -> Bool {
        let wasValid = isValid.exchange(false, ordering: .acquiringAndReleasing)
        if wasValid { end() }
        return wasValid
    }

    var isActive: Bool { isValid.load(ordering: .acquiring) }
}

/// Observer of an object or a collection. Confined like its instance.
protocol Observer: AnyObject {
    /// Whether the initial content is known, so that the observer may be notified.
    var isReady: Bool { get }
    /// Begins the observation at `view`. There is no older version to compare with.
    func begin(at view: Snapshot) throws(RealmError)
    /// Closure that compares two versions. Free to call on any thread; does not reference the
    /// observer.
    var finder: ChangeFinder { get }
    /// Notifies the observer of the changes between two versions.
    ///
    /// - Parameter isOwn: whether all commits between the versions are commits of the instance
    ///   itself.
    func notify(
        _ finding: Finding, from old: Snapshot, to new: Snapshot, isOwn: Bool) throws(RealmError)
    /// Discards the content of the last notification, because the observer was not notified of a
    /// later commit (`withoutNotifying`). The next comparison then reads the older content again,
    /// from the version of that commit.
    func discardContent()
}

/// Compares the observed content in two versions. Free to cross threads.
typealias ChangeFinder =
    @Sendable (_ changes: ChangeSet, _ old: Snapshot, _ new: Snapshot) throws(RealmError) -> Finding

/// Result of comparing two versions for one observer.
enum Finding: Sendable {
    /// The object was deleted.
    case objectDeleted
    /// Changed properties of the object; nil if none changed.
    case object([Int]?)
    /// New content of the collection, and its change.
    case elements(ObservedContent, CollectionChange)
    case entries([ObservedContent.Entry], DictionaryChange)
    /// The collection was deleted; the value is its last content.
    case lost(ObservedContent)
}
