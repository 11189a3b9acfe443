/// Slots of a leaf of strings or binaries of medium length (object format 3.5, 3.7).
enum MediumBytesShape {
    /// Ref of an array with the end offset of each value, after its terminator.
    static let ends = 0
    /// Ref of a blob with the bytes of all values.
    static let area = 1
    /// Ref of an array with a flag for each value, 1 for null. Does not exist up to format 9.
    static let nulls = 2

    static let count = 3
}

/// Slots of a leaf of timestamps (object format 3.8).
enum TimestampLeafShape {
    /// Ref of an array of optional integers: the seconds since 1970.
    static let seconds = 0
    /// Ref of an array of integers: the nanoseconds. They have the same sign as the seconds, and
    /// are 0 in a null timestamp.
    static let nanoseconds = 1

    static let count = 2
}

/// Slots of a leaf of mixed values (object format 3.13).
enum MixedLeafShape {
    /// Ref of an array with a 64-bit integer (word) for each value, which contains the type, and
    /// the value or its index in a pool.
    static let words = 0
    /// Slot of the ref of an array with one key for each value that is a collection. The key
    /// identifies the collection. The ref is 0 if there are none. Slots 1 to 4 contain the refs of
    /// the pools (`Pool`).
    static let keys = 5

    static let count = 6
    /// Number of slots of mixed leaves that were written before mixed values could be collections.
    static let minimumCount = 4

    /// Slots with the refs of the pools. A pool is an array of those values that do not fit in the
    /// 64-bit integer of a mixed value. A ref is 0 if its pool is empty.
    enum Pool: Int, CaseIterable {
        /// Pool of integers, and of floats and doubles, whose bits are stored as integers.
        case numbers = 1
        /// Pool of values of 128 bits: an array with two 64-bit integers for each value.
        case pairs = 2
        /// Pool of strings and binaries: a leaf of strings.
        case bytes = 3
        /// Pool of nested collections: an array with the ref of each collection.
        case refs = 4

        /// Number of elements that one mixed value takes in this pool.
        var size: Int { self == .pairs ? 2 : 1 }

        /// Returns the 64-bit integer that a leaf stores for a mixed value whose content is at
        /// index `index` of this pool. The caller adds the bits for the type of the value.
        func entry(_ index: Int) -> Int64 { Int64(index) << 8 | Int64(rawValue) << 5 }
    }
}
