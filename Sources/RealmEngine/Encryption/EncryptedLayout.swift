/// Offsets in the file of an encrypted database (storage format 8.2, 8.6).
///
///      | table | page 0 | ... | page 63 | table | page 64 | ...
///
/// Each group of 64 pages follows a page with their 64 entries. Offsets and sizes of the database
/// count only its own pages.
enum EncryptedLayout {
    static let page = 1 << pageShift
    static let pageShift = 12
    static let entry = 64
    /// Size of a half of an entry: the counter of a write and the authentication code of what it
    /// wrote.
    static let half = 32
    /// Number of pages that have their entries in one table.
    static let group = 64

    /// Returns the file offset of page `index`.
    @inline(__always)
    static func position(ofPage index: Int) -> Int { (index + index / group + 1) * page }

    /// Returns the file offset of the entry of page `index`.
    @inline(__always)
    static func position(ofEntry index: Int) -> Int {
        index / group * ((group + 1) * page) + index % group * entry
    }

    /// Returns the file size for a database of `size` bytes.
    static func fileSize(of size: Int) -> Int {
        let pages = (size + page - 1) / page
        return (pages + pages / group + 1) * page
    }

    /// Returns the size of the database in a file of `size` bytes.
    static func databaseSize(of size: Int) -> Int {
        let pages = size / page
        return (pages - (pages + group) / (group + 1)) * page
    }
}
