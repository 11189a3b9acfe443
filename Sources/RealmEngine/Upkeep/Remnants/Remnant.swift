/// Old values of one object. The newest version does not have the object, or has it with other
/// values.
package struct Remnant {
    package enum State: UInt8 {
        /// The newest version has no object with this key in the class.
        case deleted
        /// The newest version has the object with other values.
        case changed
        /// The newest version does not have the object's class.
        case orphan

        package var name: String { ["deleted", "changed", "orphan"][Int(rawValue)] }
    }

    /// Certainty that the values belong together. A higher raw value is less certain.
    package enum Certainty: UInt8, Comparable {
        /// All columns of the cluster leaf are intact: nothing was written over them.
        case whole
        /// Some columns no longer exist; the others are intact.
        case partial
        /// Some values may belong to another version of the object, to another object or to another
        /// class.
        case doubtful

        package var name: String { ["whole", "partial", "doubtful"][Int(rawValue)] }

        package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// Version, or kind of free space, in which the object's leaf was found.
    package enum Source: Hashable, Sendable {
        /// The version in the header slot that is not selected.
        case previous
        /// A version that a reader pins, with its number.
        case version(UInt64)
        /// Space in the free list of the newest version.
        case free
        /// Space that no version uses and that is not in the free list.
        case unlisted

        package var name: String {
            switch self {
            case .previous: "previous"
            case .version(let number): "version \(number)"
            case .free: "free"
            case .unlisted: "unlisted"
            }
        }
    }

    /// Key of the object; nil if the nodes that determine it, above the leaf, are lost.
    package let key: ObjectKey?
    package let state: State
    package let certainty: Certainty
    package let source: Source
    /// Names of the properties that have another value in the newest version.
    package let changed: [String]
    /// Names of the properties whose values are lost.
    package let missing: [String]
    /// Number of leaves of the file that contain the object with these values.
    package let copies: Int
    /// Range of versions, at least one of which had the object with these values. Nil if the file
    /// does not show which versions may have.
    package let versions: ClosedRange<UInt64>?
    /// Offset in bytes of the cluster leaf. Nil in formats 2 to 9, which have no cluster leaves.
    package let offset: UInt64?
    /// Ref of the leaf, and the object's row in the leaf.
    package let leaf: UInt64
    package let row: Int
    /// Index in `Remnants.views` of the database handle through which the object is read, and the
    /// object's leaf as this handle reads it.
    package let view: Int
    package let slice: LeafSlice
    /// Indexes of the columns that the leaf never had or no longer has.
    package let emptyColumns: [Int]
}
