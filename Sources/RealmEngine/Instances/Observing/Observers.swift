import Synchronization

/// What observers of an instance are told: by `Instance.observe` and its kin.
public enum InstanceNotice: Sendable {
    /// The instance shows a newer version.
    case didChange
    /// There is a newer version, and the instance does not move by itself.
    case refreshRequired
}

/// What happened to an observed object.
package enum ObjectNotice {
    case changed(ObjectChange)
    case deleted
}

/// What happened to an observed collection.
package enum CollectionNotice: Sendable {
    case initial
    case changed(CollectionChange)
    /// A dictionary changed, whose entries have no places.
    case changedKeys(DictionaryChange)
    /// The collection is gone with its object. Follows a notice that all its elements were deleted,
    /// unless it had none.
    case deleted
}

/// How an object changed. Valid while it is told; confined as the instance is.
package struct ObjectChange {
    /// Properties that changed, as indexes into the class's columns, ascending. Empty where something
    /// changed along incoming links alone.
    package let columns: [Int]
    /// The object before and now.
    let old: Row
    package let new: Row
    /// Nobody but the instance itself changed it.
    package let isOwn: Bool

    /// What a property held before; nil when there was no such property.
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
    /// Takes the observer out of its list.
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { invalidate() }

    /// No call begins after this; false when the observation had ended already.
    @discardableResult
    public func invalidate() -> Bool {
        let wasValid = isValid.exchange(false, ordering: .acquiringAndReleasing)
        if wasValid { end() }
        return wasValid
    }

    var isActive: Bool { isValid.load(ordering: .acquiring) }
}

/// Someone who is told what changed between two versions. Confined as its instance is.
protocol Observer: AnyObject {
    /// What it has to know before it is told anything is known.
    var isReady: Bool { get }
    /// The instance shows `view`, with nothing to compare it with.
    func begin(at view: Snapshot) throws(RealmError)
    /// Finds out what there is to tell: on any thread, whatever becomes of the observer meanwhile.
    var finder: ChangeFinder { get }
    /// Tells what was found between two versions.
    ///
    /// - Parameter isOwn: commits of the instance itself led from one to the other.
    func tell(
        _ finding: Finding, from old: Snapshot, to new: Snapshot, isOwn: Bool) throws(RealmError)
    /// What was told of is no longer what is compared with, but what `finder` finds in the older
    /// version.
    func forgetContent()
}

/// Compares what an observer sees in two versions. Free to cross threads.
typealias ChangeFinder =
    @Sendable (_ changes: ChangeSet, _ old: Snapshot, _ new: Snapshot) throws(RealmError) -> Finding

/// What a comparison found for one observer.
enum Finding: Sendable {
    /// The object is gone.
    case gone
    /// Properties of the object; nil when nothing of it changed.
    case object([Int]?)
    /// What the collection holds now, and how it became that.
    case elements(ObservedContent, CollectionChange)
    case entries([ObservedContent.Entry], DictionaryChange)
    /// The collection is gone, with the content it had last.
    case lost(ObservedContent)
}
