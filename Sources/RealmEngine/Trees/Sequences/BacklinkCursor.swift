/// Iterates over the objects that link to one object through one origin column. An origin object is
/// returned once for each of its links (object format 3.14).
public struct BacklinkCursor {
    private var single: ObjectKey?
    private var cursor: ElementCursor?

    init(_ space: NodeSpace, slot: NodeSlot) {
        if slot.isTagged {
            single = ObjectKey(Int64(bitPattern: slot.value))
        } else if !slot.isNone {
            cursor = ElementCursor(
                space,
                CollectionView(
                    root: slot.ref, element: ElementType(type: .int, isNullable: false)))
        }
    }

    /// Returns the key of the next origin object; nil at the end. Throws `corrupt`.
    public mutating func next() throws(RealmError) -> ObjectKey? {
        if let key = single {
            single = nil
            return key
        }
        guard case .int(let key)? = try cursor?.nextStored() else { return nil }
        return ObjectKey(key)
    }
}
