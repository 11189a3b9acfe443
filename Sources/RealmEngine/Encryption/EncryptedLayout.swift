/// Where the pages of an encrypted database are (storage format 8.2, 8.6).
///
///      | table | page 0 | ... | page 63 | table | page 64 | ...
///
/// Each group of 64 pages follows a page with their 64 entries. What the database calls offsets and
/// sizes counts its pages only.
enum EncryptedLayout {
    static let page = 1 << pageShift
    static let pageShift = 12
    static let entry = 64
    /// One of the two halves of an entry: the counter of a write and its authentication code.
    static let half = 32
    /// Pages that have their entries in one table.
    static let group = 64

    /// Where page `index` is in the file.
    @inline(__always)
    static func position(ofPage index: Int) -> Int { (index + index / group + 1) * page }

    /// Where its entry is.
    @inline(__always)
    static func position(ofEntry index: Int) -> Int {
        index / group * ((group + 1) * page) + index % group * entry
    }

    /// Bytes of the file that holds a database of `size` bytes.
    static func fileSize(of size: Int) -> Int {
        let pages = (size + page - 1) / page
        return (pages + pages / group + 1) * page
    }

    /// Bytes of the database in a file of `size` bytes.
    static func databaseSize(of size: Int) -> Int {
        let pages = size / page
        return (pages - (pages + group) / (group + 1)) * page
    }
}
