/// One of the two slots of a file header.
package struct HeaderSlot: Sendable {
    package let index: Int
    package let isSelected: Bool
    package let format: Int
    /// Offset of the slot's root in bytes; 0 for none.
    package let top: UInt64
    /// Whether the slot refers to the footer of a streamed file (storage format 1.3).
    let isStreaming: Bool
    /// Version number of the slot's root; nil if the root cannot be read.
    package let version: UInt64?
    /// First error in the nodes that are reachable from the slot's root; nil if there is none.
    package let problem: String?
    package var isEmpty: Bool { top == 0 && !isStreaming }
}

extension Inspector {
    /// Returns both header slots. The nodes of each, down to the tables, are checked, because nodes
    /// of an unselected root may have been overwritten. Returns an empty array for an encrypted
    /// file.
    ///
    /// Throws the errors of `inspect`.
    package func slots() throws(RealmError) -> [HeaderSlot] {
        try retryUntilStable { (reading, raw) throws(RealmError) in
            guard let raw else { return [] }
            return (0..<2).map { slot($0, reading, raw) }
        }
    }

    private func slot(_ index: Int, _ reading: FileReading, _ raw: RawHeader) -> HeaderSlot {
        let isStreaming = index == 0 && raw.top0 == FileHeader.streamingMark
        let isSelected = index == raw.selected
        func slot(_ top: UInt64, _ version: UInt64?, _ problem: String?) -> HeaderSlot {
            HeaderSlot(
                index: index, isSelected: isSelected, format: raw.format(index), top: top,
                isStreaming: isStreaming, version: version, problem: problem)
        }
        // A file written in one pass keeps the streaming mark in this slot until a commit needs the
        // slot.
        if isStreaming, !isSelected { return slot(0, nil, nil) }
        let header: FileHeader
        do throws(RealmError) {
            header = try reading.header(raw, slot: index)
        } catch { return slot(raw.top(index), nil, error.message) }
        if header.top.isNone { return slot(0, nil, nil) }
        let report = IntegrityCheck(
            reading.file.mapping, fileSize: reading.size, header: header,
            top: header.top, level: .quick, owner: reading.file
        ).run()
        let error = report.findings.first { $0.severity == .error }
        let hasRoot = report.counts[.topArray] == nil
        return slot(header.top.raw, hasRoot ? report.facts.version : nil, error?.what)
    }
}
