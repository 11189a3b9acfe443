/// Finds the subclasses of a class in the executable and the libraries of the process (API
/// specification 3.2).
///
/// Reads the compiler's type descriptors and follows the superclasses from descriptor to
/// descriptor. So the Swift runtime instantiates only the classes that are found.
enum ClassDiscovery {
    /// Returns all subclasses that are not generic, in no particular order.
    static func subclasses(of root: AnyClass) -> [AnyClass] {
        var scan = Scan(root: descriptor(of: root))
        withUnsafeMutablePointer(to: &scan) { scan in
            enumerateMetadataSections(
                { section, context in
                    context!.assumingMemoryBound(to: Scan.self).pointee.visit(section)
                    return true
                }, scan)
        }
        return scan.found.compactMap { type(of: $0) as? AnyClass }
    }

    /// Number of executables and libraries that the process has loaded so far. Unloading does not
    /// decrease it, so an unchanged number means that no class was added.
    static var imageCount: UInt64 {
        var count: UInt64 = 0
        _ = withUnsafeMutablePointer(to: &count) { count in
            iterateImages(
                { image, _, count in
                    count!.assumingMemoryBound(to: UInt64.self).pointee =
                        image!.load(fromByteOffset: 32, as: UInt64.self)
                    return 1
                }, count)
        }
        return count
    }

    /// Returns the type descriptor of a class. Without an Objective-C runtime, its address is at
    /// byte 40 of the class metadata.
    private static func descriptor(of type: AnyClass) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
            .load(fromByteOffset: 40, as: UnsafeRawPointer.self)
    }

    /// Returns the type that a descriptor describes. Builds a mangled name that consists of an
    /// indirect symbolic reference to the descriptor, and lets the runtime resolve it.
    private static func type(of descriptor: UnsafeRawPointer) -> Any.Type? {
        // The name is not freed, because the runtime may cache it.
        let name = UnsafeMutableRawPointer.allocate(byteCount: 24, alignment: 8)
        name.storeBytes(of: 0x02, as: UInt8.self)
        (name + 1).storeBytes(of: Int32(15), as: Int32.self)
        name.storeBytes(of: 0, toByteOffset: 5, as: UInt8.self)
        name.storeBytes(of: descriptor, toByteOffset: 16, as: UnsafeRawPointer.self)
        return _getTypeByMangledNameInContext(
            name.assumingMemoryBound(to: UInt8.self), 5, genericContext: nil,
            genericArguments: nil)
    }

    private struct Scan {
        let root: UnsafeRawPointer
        var found: [UnsafeRawPointer] = []
        private var known: [UnsafeRawPointer: Bool] = [:]

        init(root: UnsafeRawPointer) { self.root = root }

        mutating func visit(_ section: UnsafeRawPointer) {
            let words = section.assumingMemoryBound(to: UInt.self)
            // Metadata sections of versions 0 and 1 have other fields than the type records at
            // words 8 and 9.
            guard words[0] >= 2, let start = UnsafeRawPointer(bitPattern: words[8]) else { return }
            for i in 0..<Int(words[9]) / 4 {
                let record = start + 4 * i
                guard let descriptor = Self.target(of: record) else { continue }
                let flags = descriptor.load(as: UInt32.self)
                // In the flags of a type descriptor, kind 16 is a class, and bit 7 marks a generic
                // type.
                guard flags & 0x1F == 16, flags & 0x80 == 0 else { continue }
                if descriptor != root, descends(descriptor) { found.append(descriptor) }
            }
        }

        private static func target(of record: UnsafeRawPointer) -> UnsafeRawPointer? {
            let reference = record.load(as: Int32.self)
            let place = record + Int(reference & ~3)
            switch reference & 3 {
            case 0: return place
            case 1: return place.load(as: UnsafeRawPointer?.self)
            default: return nil
            }
        }

        private mutating func descends(_ descriptor: UnsafeRawPointer) -> Bool {
            if descriptor == root { return true }
            if let answer = known[descriptor] { return answer }
            known[descriptor] = false
            let answer = superclass(of: descriptor).map { descends($0) } ?? false
            known[descriptor] = answer
            return answer
        }

        /// Returns the descriptor of the superclass; nil for a root class, and if the runtime
        /// cannot resolve the superclass's name.
        private func superclass(of descriptor: UnsafeRawPointer) -> UnsafeRawPointer? {
            let field = descriptor + 20
            let offset = field.load(as: Int32.self)
            guard offset != 0 else { return nil }
            let name = field + Int(offset)
            let reference = name + 1
            let place = reference + Int(reference.loadUnaligned(as: Int32.self))
            switch name.load(as: UInt8.self) {
            case 1: return place
            case 2: return place.load(as: UnsafeRawPointer?.self)
            default: return ClassDiscovery.resolved(name)
            }
        }
    }

    /// Returns the descriptor of the class that has a mangled name. For a specialised generic
    /// class, returns the descriptor of the generic class.
    fileprivate static func resolved(_ name: UnsafeRawPointer) -> UnsafeRawPointer? {
        var length = 0
        let bytes = name.assumingMemoryBound(to: UInt8.self)
        while bytes[length] != 0 {
            // In a mangled name, the four or eight bytes after the control byte of a symbolic
            // reference may be zero. They are skipped, so that they do not end the name.
            length += bytes[length] < 0x18 ? 5 : bytes[length] < 0x20 ? 9 : 1
        }
        guard
            let type = _getTypeByMangledNameInContext(
                bytes, UInt(length), genericContext: nil, genericArguments: nil) as? AnyClass
        else { return nil }
        return descriptor(of: type)
    }
}

@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateMetadataSections(
    _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool,
    _ context: UnsafeMutableRawPointer?)

/// Calls `body` for each loaded executable and library (`dl_iterate_phdr` of the C library). Its
/// first argument is a `dl_phdr_info`, with the number of images loaded so far at byte 32.
@_silgen_name("dl_iterate_phdr")
private func iterateImages(
    _ body: @convention(c) (UnsafeRawPointer?, Int, UnsafeMutableRawPointer?) -> Int32,
    _ context: UnsafeMutableRawPointer?
) -> Int32
