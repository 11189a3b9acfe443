/// One state of an object as it is kept for sorting.
struct RemnantEntry: SpilledRecord {
    /// `ObjectKey.none` where it is lost.
    let key: ObjectKey
    let digest: UInt64
    /// Version of the state; 0 where no readable version has it.
    let version: UInt64
    /// Byte offset of the leaf.
    let offset: UInt64
    let piece: Int32
    /// Positions in the sets of columns.
    let changed: Int32
    let missing: Int32
    var copies: Int32 = 1
    let row: Int16
    let state: Remnant.State
    let certainty: Remnant.Certainty

    /// Whether this state is newer than another one. States of readable versions are the newest; of the
    /// others, the one at the higher offset was as a rule written later.
    func isNewer(than other: RemnantEntry) -> Bool {
        (version, offset) > (other.version, other.offset)
    }

    /// Those without a key come last.
    private var rank: UInt64 { key == .none ? .max : UInt64(bitPattern: key.raw) }

    /// Negative, zero or positive: by key, then by content, then the best and newest copy first.
    func compare(_ other: RemnantEntry) -> Int {
        if key != other.key { return rank < other.rank ? -1 : 1 }
        if digest != other.digest { return digest < other.digest ? -1 : 1 }
        if certainty != other.certainty { return certainty < other.certainty ? -1 : 1 }
        return isNewer(than: other) ? -1 : other.isNewer(than: self) ? 1 : 0
    }
}
