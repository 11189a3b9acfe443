/// Address of a word that contains the ref of a node: a slot of the parent node, or, for the root
/// of a tree, a variable of the editor that changes the tree.
///
/// Valid until the parent node is replaced by a larger copy.
typealias RefSlot = UnsafeMutablePointer<UInt64>

/// A node that the open transaction created and may change in place.
///
/// The capacity of its payload is stored before its header. Nodes of the file have no such field,
/// so the caller must make sure that the open transaction created the node (`SlabNodes.owns`). A
/// trivial value; the slab keeps the bytes until the transaction ends, even if the node is replaced
/// by a larger copy.
struct SlabNode {
    let header: UnsafeMutableRawPointer

    @inline(__always) init(header: UnsafeMutableRawPointer) { self.header = header }

    /// Size in bytes of the field with the payload's capacity, which precedes the header.
    static let prefix = 8

    @inline(__always) var payload: UnsafeMutableRawPointer { header + NodeView.headerSize }

    /// Elements of a node with refs. They are 64 bits wide as long as the node can be changed.
    @inline(__always) var slots: RefSlot { payload.assumingMemoryBound(to: UInt64.self) }

    @inline(__always) var flags: UInt8 { header.load(fromByteOffset: 4, as: UInt8.self) }

    @inline(__always) var count: Int {
        Int((header.load(as: UInt64.self) >> 40).byteSwapped >> 40)
    }

    /// Capacity of the payload in bytes.
    @inline(__always) var room: Int {
        Int(truncatingIfNeeded: (header - Self.prefix).load(as: UInt64.self))
    }

    @inline(__always) var view: NodeView {
        NodeView(payload: UnsafeRawPointer(payload), count: count, flags: flags)
    }

    /// Sets the number of elements, which must not exceed the capacity.
    @inline(__always)
    func resize(_ count: Int) { resize(count, flags: flags) }

    @inline(__always)
    func resize(_ count: Int, flags: UInt8) {
        assert(NodeView.payloadSize(flags: flags, count: count) <= room)
        header.storeBytes(of: NodeView.header(flags: flags, count: count), as: UInt64.self)
    }

    @inline(__always)
    func hasRoom(for count: Int) -> Bool {
        count <= Slab.maximumCount && NodeView.payloadSize(flags: flags, count: count) <= room
    }
}

// MARK: - Packed integers

extension SlabNode {
    /// Stores element `i`; the value must fit the width.
    @inline(__always)
    func store(_ value: Int64, at i: Int) {
        switch flags & 7 {
        case 0: return
        case 1, 2, 3: storeBits(value, i)
        case 4:
            payload.storeBytes(
                of: Int8(truncatingIfNeeded: value), toByteOffset: i, as: Int8.self)
        case 5:
            payload.storeBytes(
                of: Int16(truncatingIfNeeded: value), toByteOffset: i &* 2, as: Int16.self)
        case 6:
            payload.storeBytes(
                of: Int32(truncatingIfNeeded: value), toByteOffset: i &* 4, as: Int32.self)
        default: payload.storeBytes(of: value, toByteOffset: i &* 8, as: Int64.self)
        }
    }

    /// Adds `delta` to each element from index `first` on; the sums must fit the width.
    func add(_ delta: Int64, from first: Int) {
        let left = count - first
        switch flags & 7 {
        case 4: Self.add(Int8(truncatingIfNeeded: delta), payload + first, left)
        case 5: Self.add(Int16(truncatingIfNeeded: delta), payload + 2 * first, left)
        case 6: Self.add(Int32(truncatingIfNeeded: delta), payload + 4 * first, left)
        case 7: Self.add(delta, payload + 8 * first, left)
        default: for i in first..<count { store(view.integer(i) &+ delta, at: i) }
        }
    }

    /// Adds `delta` to `count` integers at `start`. Generic over the integer type, so that the
    /// compiler vectorises the loop for each type.
    @inline(__always)
    private static func add<T: FixedWidthInteger>(
        _ delta: T, _ start: UnsafeMutableRawPointer, _ count: Int
    ) {
        let integers = start.assumingMemoryBound(to: T.self)
        var i = 0
        while i < count {
            integers[i] &+= delta
            i &+= 1
        }
    }

    private func storeBits(_ value: Int64, _ i: Int) {
        let width = (1 << Int(flags & 7)) >> 1
        let bit = i &* width
        let mask = UInt8((1 << width) - 1) << UInt8(bit & 7)
        let old = payload.load(fromByteOffset: bit >> 3, as: UInt8.self)
        let new = UInt8(truncatingIfNeeded: value) << UInt8(bit & 7)
        payload.storeBytes(
            of: old & ~mask | new & mask, toByteOffset: bit >> 3, as: UInt8.self)
    }

    /// Shifts the elements from index `i` on by one to make room; element `i` is then
    /// uninitialised. The capacity must suffice.
    func open(_ i: Int) {
        let (count, width) = (count, (1 << Int(flags & 7)) >> 1)
        resize(count + 1)
        if width >= 8 {
            let size = width >> 3
            (payload + (i + 1) * size).copyMemory(
                from: payload + i * size, byteCount: (count - i) * size)
        } else if width > 0 {
            openBits(i * width, width, end: count * width)
        }
    }

    /// Removes element `i` of the array and moves the elements after it.
    func close(_ i: Int) {
        let (count, width) = (count, (1 << Int(flags & 7)) >> 1)
        if width >= 8 {
            let size = width >> 3
            (payload + i * size).copyMemory(
                from: payload + (i + 1) * size, byteCount: (count - i - 1) * size)
        } else if width > 0 {
            closeBits(i * width, width, end: count * width)
        }
        resize(count - 1)
    }

    /// Shifts the bits from `bit` on by `width` towards the end, word by word; a payload consists
    /// of whole words.
    private func openBits(_ bit: Int, _ width: Int, end: Int) {
        let words = slots
        let first = bit >> 6
        var i = (end + width - 1) >> 6
        while i > first {
            let carried = words[i - 1] >> UInt64(64 - width)
            words[i] = words[i] << UInt64(width) | carried
            i -= 1
        }
        let low = (UInt64(1) << UInt64(bit & 63)) &- 1
        words[first] = words[first] & low | (words[first] & ~low) << UInt64(width)
    }

    private func closeBits(_ bit: Int, _ width: Int, end: Int) {
        let words = slots
        let last = (end - 1) >> 6
        var i = bit >> 6
        let low = (UInt64(1) << UInt64(bit & 63)) &- 1
        words[i] = words[i] & low | (words[i] >> UInt64(width)) & ~low
        while i < last {
            words[i] |= words[i + 1] << UInt64(64 - width)
            words[i + 1] >>= UInt64(width)
            i += 1
        }
    }
}
