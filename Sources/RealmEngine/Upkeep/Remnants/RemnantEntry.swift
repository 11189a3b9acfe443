/// The values of one object in one old leaf (a *state* of the object), as a record for sorting.
struct RemnantEntry: SpilledRecord {
    /// Key of the object; `ObjectKey.none` if it could not be determined.
    let key: ObjectKey
    let digest: UInt64
    /// Number of the version whose tree contains the leaf; 0 if no readable version does.
    let version: UInt64
    /// Offset in bytes of the cluster leaf.
    let offset: UInt64
    let piece: Int32
    /// Two indexes in `RemnantObjects.sets`: the set of columns with other values in the newest
    /// version, and the set of columns whose values are lost.
    let changed: Int32
    let missing: Int32
    var copies: Int32 = 1
    let row: Int16
    let state: Remnant.State
    let certainty: Remnant.Certainty

    /// Whether this state is newer than another. States of readable versions are newer than states
    /// that no readable version contains. Of two states of the latter kind, the state at the higher
    /// offset counts as newer, because it was usually written later.
    func isNewer(than other: RemnantEntry) -> Bool {
        (version, offset) > (other.version, other.offset)
    }

    /// Key for sorting. Records without an object key come last.
    private var rank: UInt64 { key == .none ? .max : UInt64(bitPattern: key.raw) }

    /// Compares by object key, then by digest of the values, then by certainty and age, with the
    /// most certain and newest copy first. Negative, zero or positive.
    func compare(_ other: RemnantEntry) -> Int {
        if key != other.key { return rank < other.rank ? -1 : 1 }
        if digest != other.digest { return digest < other.digest ? -1 : 1 }
        if certainty != other.certainty { return certainty < other.certainty ? -1 : 1 }
        return isNewer(than: other) ? -1 : other.isNewer(than: self) ? 1 : 0
    }
}
