/// One state of an object that the newest version does not have.
package struct Remnant {
    package enum State: UInt8 {
        /// The newest version has no object with this key.
        case deleted
        /// The newest version has other values.
        case changed
        /// The newest version has no such class.
        case orphan

        package var name: String { ["deleted", "changed", "orphan"][Int(rawValue)] }
    }

    /// Degree of proof for the object.
    package enum Certainty: UInt8, Comparable {
        /// All columns are there under one cluster leaf, and nothing was written over them.
        case whole
        /// Some columns are not there any more.
        case partial
        /// All columns are there, but some may belong to another state or class.
        case doubtful

        package var name: String { ["whole", "partial", "doubtful"][Int(rawValue)] }

        package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// The version or the space that the object was found in.
    package enum Source: Hashable, Sendable {
        /// The version that the header's other slot selects.
        case previous
        /// A version that a reader keeps.
        case version(UInt64)
        /// Space on the free list.
        case free
        /// Space that no version uses and no free list has.
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

    /// Nil where the nodes above the leaf, which say it, are lost.
    package let key: ObjectKey?
    package let state: State
    package let certainty: Certainty
    package let source: Source
    /// Names of the properties with another value now.
    package let changed: [String]
    /// Names of the properties whose values are lost.
    package let missing: [String]
    /// Number of equal states that were found.
    package let copies: Int
    /// Versions one of which had this state; nil where the file has no evidence.
    package let versions: ClosedRange<UInt64>?
    /// Byte offset of the cluster leaf; nil in formats 2 to 9, which have no such leaves.
    package let offset: UInt64?
    /// Number of the leaf in its view, and the object's row in it.
    package let leaf: UInt64
    package let row: Int
    /// Which of the search's handles it is read through, and the leaf there.
    package let view: Int
    package let slice: LeafSlice
    /// Positions of the columns that the leaf does not have, or not any more.
    package let emptyColumns: [Int]
}
