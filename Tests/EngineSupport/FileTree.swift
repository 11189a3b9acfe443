import Foundation

@testable import RealmEngine

/// A mutable node of a decoded file.
final class TreeNode {
    enum Slot {
        /// An element that is written unchanged: 0, a tagged integer, or a ref to any offset.
        case raw(UInt64)
        case child(TreeNode)
    }

    enum Content {
        case slots([Slot])
        case integers([Int64])
        /// Payload and element count of a node that is not decoded.
        case bytes([UInt8], count: Int)
    }

    /// Flags of the node header, without the code of the element width.
    var flags: UInt8
    var content: Content
    /// Minimum width of an element in bits.
    var width = 0
    var signature: UInt32 = 0x4141_4141
    /// Element count to write in the header instead of the node's own count; nil for its own count.
    var claimedCount: Int?

    init(flags: UInt8, _ content: Content) {
        self.flags = flags
        self.content = content
    }

    convenience init(_ integers: [Int64]) { self.init(flags: 0, .integers(integers)) }

    convenience init(refs slots: [Slot], context: Bool = false, inner: Bool = false) {
        self.init(flags: 0x40 | (context ? 0x20 : 0) | (inner ? 0x80 : 0), .slots(slots))
    }

    var slots: [Slot] {
        get { if case .slots(let slots) = content { slots } else { [] } }
        set { content = .slots(newValue) }
    }

    var integers: [Int64] {
        get { if case .integers(let integers) = content { integers } else { [] } }
        set { content = .integers(newValue) }
    }

    var bytes: [UInt8] {
        get { if case .bytes(let bytes, _) = content { bytes } else { [] } }
        set {
            content = .bytes(
                newValue, count: newValue.count == bytes.count ? count : newValue.count)
        }
    }

    var count: Int {
        switch content {
        case .slots(let slots): slots.count
        case .integers(let integers): integers.count
        case .bytes(_, let count): count
        }
    }

    /// The child in slot `i`; traps if the slot has none.
    subscript(i: Int) -> TreeNode {
        get {
            guard case .child(let child) = slots[i] else { fatalError("slot \(i) is no child") }
            return child
        }
        set { slots[i] = .child(newValue) }
    }

    var children: [TreeNode] {
        slots.compactMap { if case .child(let child) = $0 { child } else { nil } }
    }

    func setTag(_ i: Int, _ value: UInt64) { slots[i] = .raw(value << 1 | 1) }

    func tag(_ i: Int) -> UInt64 {
        guard case .raw(let raw) = slots[i] else { fatalError("slot \(i) is no number") }
        return raw >> 1
    }

    /// Returns a deep copy.
    func copy() -> TreeNode {
        let copy = TreeNode(flags: flags, content)
        copy.width = width
        if case .slots(let slots) = content {
            copy.slots = slots.map {
                if case .child(let child) = $0 { .child(child.copy()) } else { $0 }
            }
        }
        return copy
    }
}

/// A file decoded into nodes. When it is encoded, every ref takes 64 bits, and all space after the
/// root is one free extent, so that any node can change without moving others.
final class FileTree {
    let top: TreeNode
    var format: UInt8 = 24
    /// Ref of the root in the header slot that is not selected.
    var otherTop: UInt64 = 0
    /// Nodes of the free lists (offsets, sizes and versions of free extents) to write instead of
    /// the true lists; nil for the true ones.
    var freeLists: [TreeNode]?
    var isStreaming = false
    /// Number of bytes to add to the file after the end of its version.
    var excess = 0

    /// Decodes `name.realm` in the repository's folder of fixtures.
    convenience init(_ name: String) throws {
        try self.init(contentsOf: Fixtures.own.appending(path: name + ".realm"))
    }

    /// Decodes the newest version of a file.
    init(contentsOf url: URL) throws {
        let bytes = [UInt8](try Data(contentsOf: url))
        top = try bytes.withUnsafeBytes { buffer in
            let mapping = try Mapping(copying: buffer)
            let header = try FileHeader(base: mapping.base, size: bytes.count)
            let memory = ReadContext(base: mapping.base, limit: UInt64(bytes.count))
            return try withExtendedLifetime((mapping, memory)) {
                try Self.load(header.top, memory.lookup)
            }
        }
        while top.slots.count < 11 { top.slots.append(.raw(0)) }
        if case .raw(0) = top.slots[6] { top.setTag(6, 2) }
        for i in [7, 9, 10] where top.tagOrZero(i) == nil {
            top.setTag(i, i == 7 ? 2 : i == 9 ? 1 : 0)
        }
    }

    private static func load(_ ref: Ref, _ space: NodeSpace) throws -> TreeNode {
        let view = try space.node(ref)
        let flags = view.flags & ~7
        if view.hasRefs {
            let slots = try (0..<view.count).map { i -> TreeNode.Slot in
                let slot = view.slot(i)
                return try slot.child.map { .child(try load($0, space)) } ?? .raw(slot.raw)
            }
            return TreeNode(flags: flags, .slots(slots))
        }
        let node: TreeNode
        if view.widthType == 0 {
            node = TreeNode(flags: flags, .integers((0..<view.count).map { view.integer($0) }))
            node.width = view.width
        } else {
            let size = NodeView.payloadSize(flags: view.flags, count: view.count)
            let bytes = (0..<size).map { view.byte($0) }
            node = TreeNode(flags: view.flags, .bytes(bytes, count: view.count))
        }
        return node
    }

    // MARK: Writing

    private struct Output {
        var bytes = [UInt8](repeating: 0, count: 24)
        var written: [ObjectIdentifier: UInt64] = [:]
    }

    /// Returns the bytes of the file.
    func encoded() -> [UInt8] {
        var out = Output()
        for i in [3, 4, 5] { top.slots[i] = isStreaming ? .child(TreeNode([])) : .raw(0) }
        for child in top.children { _ = write(child, &out) }
        if !isStreaming { addFreeLists(&out) }
        let root = write(top, &out)
        if isStreaming { return finishStream(out.bytes, root) }
        while out.bytes.count % 4096 != 0 { out.bytes.append(0) }
        out.bytes += [UInt8](repeating: 0, count: excess)
        store(root, at: 0, &out.bytes)
        store(otherTop, at: 8, &out.bytes)
        finishHeader(&out.bytes)
        return out.bytes
    }

    private func finishHeader(_ bytes: inout [UInt8]) {
        bytes.replaceSubrange(16..<24, with: [0x54, 0x2D, 0x44, 0x42, format, format, 0, 0])
    }

    private func finishStream(_ nodes: [UInt8], _ root: UInt64) -> [UInt8] {
        var bytes = nodes
        store(.max, at: 0, &bytes)
        finishHeader(&bytes)
        bytes += [UInt8](repeating: 0, count: 16)
        store(root, at: bytes.count - 16, &bytes)
        store(FileHeader.footerCookie, at: bytes.count - 8, &bytes)
        return bytes
    }

    /// Writes the free lists before the root: `freeLists`, or lists with one extent from the end of
    /// the root to the end of the file. Their elements have 64 bits, so that the size of the lists
    /// does not depend on the extent.
    private func addFreeLists(_ out: inout Output) {
        let topSize = 8 + 8 * top.count
        let listSize = (freeLists ?? []).reduce(0) { $0 + 8 + 8 * $1.count }
        let end = out.bytes.count + (freeLists == nil ? 48 : listSize) + topSize
        let size = (end + 4095) / 4096 * 4096
        let lists =
            freeLists
            ?? [
                TreeNode([Int64(end)]), TreeNode([Int64(size - end)]), TreeNode([0]),
            ]
        for (i, list) in lists.enumerated() {
            list.width = 64
            top[3 + i] = list
            _ = write(list, &out)
        }
        if top.tag(2) < 1 << 40 { top.setTag(2, UInt64(size)) }
    }

    private func store(_ value: UInt64, at offset: Int, _ bytes: inout [UInt8]) {
        for i in 0..<8 { bytes[offset + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
    }

    private func write(_ node: TreeNode, _ out: inout Output) -> UInt64 {
        if let ref = out.written[ObjectIdentifier(node)] { return ref }
        var flags = node.flags
        var payload: [UInt8] = []
        switch node.content {
        case .slots(let slots):
            let numbers = slots.map { slot -> UInt64 in
                switch slot {
                case .raw(let raw): raw
                case .child(let child): write(child, &out)
                }
            }
            if isStreaming, node === top {
                // The root is the last node of its version: the version's file size is the end of
                // the root.
                let size = UInt64(out.bytes.count + 8 + 8 * numbers.count)
                return append(
                    flags | 7, slots.count, words(replacing(numbers, 2, size << 1 | 1)), node, &out)
            }
            flags |= 7
            payload = words(numbers)
        case .integers(let integers):
            let code = max(Self.code(width: node.width), integers.map(Self.code).max() ?? 0)
            flags |= UInt8(code)
            payload = Self.pack(integers, code)
        case .bytes(let bytes, _): payload = bytes
        }
        return append(flags, node.claimedCount ?? node.count, payload, node, &out)
    }

    private func replacing(_ numbers: [UInt64], _ i: Int, _ value: UInt64) -> [UInt64] {
        var numbers = numbers
        numbers[i] = value
        return numbers
    }

    private func append(
        _ flags: UInt8, _ count: Int, _ payload: [UInt8], _ node: TreeNode, _ out: inout Output
    ) -> UInt64 {
        let ref = UInt64(out.bytes.count)
        out.written[ObjectIdentifier(node)] = ref
        out.bytes += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: node.signature >> $0) }
        out.bytes.append(flags)
        out.bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        out.bytes += payload
        while out.bytes.count & 7 != 0 { out.bytes.append(0) }
        return ref
    }

    private func words(_ numbers: [UInt64]) -> [UInt8] {
        numbers.flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        }
    }

    private static func code(width: Int) -> Int {
        width == 0 ? 0 : width.trailingZeroBitCount + 1
    }

    private static func code(_ value: Int64) -> Int {
        switch value {
        case 0: return 0
        case 1: return 1
        case 2...3: return 2
        case 4...15: return 3
        default:
            let magnitude = value < 0 ? ~value : value
            return magnitude < 1 << 7 ? 4 : magnitude < 1 << 15 ? 5 : magnitude < 1 << 31 ? 6 : 7
        }
    }

    private static func pack(_ integers: [Int64], _ code: Int) -> [UInt8] {
        let width = code == 0 ? 0 : 1 << (code - 1)
        if width >= 8 {
            return integers.flatMap { value in
                (0..<(width / 8)).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
            }
        }
        var bytes = [UInt8](repeating: 0, count: (integers.count * width + 7) / 8)
        if width == 0 { return bytes }
        for (i, value) in integers.enumerated() {
            bytes[i * width / 8] |= UInt8(truncatingIfNeeded: value) << UInt8(i * width % 8)
        }
        return bytes
    }
}

extension TreeNode {
    /// The tagged integer in slot `i`; nil for 0 and refs.
    func tagOrZero(_ i: Int) -> UInt64? {
        if case .raw(let raw) = slots[i], raw & 1 != 0 { raw >> 1 } else { nil }
    }
}
