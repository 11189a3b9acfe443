/// Offsets in the file of an encrypted database (storage format 8.2, 8.6).
///
///      | table | page 0 | ... | page 63 | table | page 64 | ...
///
/// A table precedes each group of 64 pages. For each of these pages it contains an entry of 64
/// bytes, with the counters and authentication codes of the page's last two writes. Offsets and
/// sizes of the database do not count the tables.
enum EncryptedLayout {
    static let page = 1 << pageShift
    static let pageShift = 12
    static let entry = 64
    /// Size of half an entry in bytes. Each half describes one write of the page: the write's
    /// counter, and the authentication code of the encrypted page.
    static let half = 32
    /// Number of consecutive pages whose entries form one table. The table takes one page, which
    /// precedes these pages in the file.
    static let group = 64

    /// Returns the file offset of page `index`.
    @inline(__always)
    static func position(ofPage index: Int) -> Int { (index + index / group + 1) * page }

    /// Returns the file offset of the entry of page `index`.
    @inline(__always)
    static func position(ofEntry index: Int) -> Int {
        index / group * ((group + 1) * page) + index % group * entry
    }

    /// Returns the size in bytes of the encrypted file for a database of `size` bytes. The last
    /// page is filled up, and each group of 64 pages is preceded by a page of entries.
    static func fileSize(of size: Int) -> Int {
        let pages = (size + page - 1) / page
        return (pages + pages / group + 1) * page
    }

    /// Returns the size in bytes of the database in an encrypted file of `size` bytes. Besides the
    /// database's pages, the file contains one page of entries per 64 pages.
    static func databaseSize(of size: Int) -> Int {
        let pages = size / page
        return (pages - (pages + group) / (group + 1)) * page
    }
}
