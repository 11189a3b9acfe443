/// One of the two roots a header names.
package struct HeaderSlot: Sendable {
    package let index: Int
    package let isSelected: Bool
    package let format: Int
    /// Offset of the root; 0 for none.
    package let top: UInt64
    /// The root is in the footer (storage format 1.3).
    let isStreaming: Bool
    /// Nil where no root could be read.
    package let version: UInt64?
    /// The first contradiction found among everything the root reaches; nil when there is none.
    package let problem: String?
    package var isEmpty: Bool { top == 0 && !isStreaming }
}

extension Inspector {
    /// Both header slots, each verified down to the structure of its tables: what an unselected root
    /// reaches may have been overwritten since. Empty for an encrypted file.
    ///
    /// Throws as `inspect` does.
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
        // A file that was streamed once keeps the mark until a commit needs the slot.
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
