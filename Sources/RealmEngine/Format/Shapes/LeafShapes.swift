/// Slots of a leaf of strings or binaries of medium length (object format 3.5, 3.7).
enum MediumBytesShape {
    /// Ref of the end offset of each value, including its terminator.
    static let ends = 0
    /// Ref of the bytes of all values.
    static let area = 1
    /// Ref of a flag for each value, 1 for null. Missing up to format 9.
    static let nulls = 2

    static let count = 3
}

/// Slots of a leaf of timestamps (object format 3.8).
enum TimestampLeafShape {
    /// Ref of a leaf of nullable integers.
    static let seconds = 0
    /// Ref of an array with the sign of the seconds; 0 for null.
    static let nanoseconds = 1

    static let count = 2
}

/// Slots of a leaf of mixed values (object format 3.13).
enum MixedLeafShape {
    /// Ref of a word for each value.
    static let words = 0
    /// Ref of the keys of nested collections, 0 if there are none. The slots before it are the
    /// pools.
    static let keys = 5

    static let count = 6
    /// Number of slots in files from before collections in mixed values.
    static let minimumCount = 4

    /// Slots of the refs of pools, which contain values that do not fit into a word; 0 for a pool
    /// without entries.
    enum Pool: Int, CaseIterable {
        /// An array of integers, and of the bits of floats and doubles.
        case numbers = 1
        /// An array of two integers for each entry.
        case pairs = 2
        /// A leaf of strings.
        case bytes = 3
        /// Refs of collections.
        case refs = 4

        /// Number of pool elements that an entry takes.
        var size: Int { self == .pairs ? 2 : 1 }

        /// Returns the word of a value whose entry has `index`, without the kind of value.
        func entry(_ index: Int) -> Int64 { Int64(index) << 8 | Int64(rawValue) << 5 }
    }
}
