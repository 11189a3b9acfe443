/// What the first opener of a session does to the file before anything else (storage format 1.3 to
/// 1.5): a new file gets its header, a streamed one is converted, odd sizes are mended.
struct FilePreparation {
    private let file: FileDevice
    /// A file of no bytes becomes a database.
    private let makesDatabases: Bool
    private static let page = 4096

    init(_ file: FileDevice, makesDatabases: Bool = false) {
        self.file = file
        self.makesDatabases = makesDatabases
    }

    func run() throws(RealmError) {
        if file.size == 0 {
            guard makesDatabases else { throw MappedFile.empty(file.path) }
            try initialize()
        }
        let mapped = try MappedFile(file)
        let header = try mapped.header()
        // Only what this engine may write is ever changed.
        guard header.format == 24 || (header.format == 0 && header.top.isNone) else { return }
        let state = try VersionState.read(
            mapped.mapping, size: file.size, format: header.format, top: header.top)
        if let type = state.top?.historyType, type != 0, type != 2 { return }
        if header.isStreaming { try convert(header) }
        try resize(header, logical: Int(state.limit))
    }

    private func initialize() throws(RealmError) {
        try file.grow(to: Self.page)
        var bytes = [UInt8](repeating: 0, count: RawHeader.size)
        bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
        try write(bytes, at: 0)
        try file.sync()
    }

    /// The footer's root moves into slot 1, then the select bit is set.
    private func convert(_ header: FileHeader) throws(RealmError) {
        var top = header.top.raw
        let result = withUnsafeBytes(of: &top) { bytes -> Result<Void, RealmError> in
            Result { () throws(RealmError) in try file.write(bytes, at: 8) }
        }
        try result.get()
        try write([UInt8(header.format)], at: 21)
        try file.sync()
        try write([1], at: 23)
        try file.sync()
    }

    private func resize(_ header: FileHeader, logical: Int) throws(RealmError) {
        let aligned = (logical + Self.page - 1) / Self.page * Self.page
        if header.top.isNone || file.size == aligned { return }
        if file.size > aligned {
            try file.truncate(to: aligned)
        } else {
            try file.grow(to: aligned)
        }
        try file.sync()
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(RealmError) {
        let result = bytes.withUnsafeBytes { bytes -> Result<Void, RealmError> in
            Result { () throws(RealmError) in try file.write(bytes, at: offset) }
        }
        try result.get()
    }
}
