import Glibc

/// Counts the objects and arrays that one thread allocates, with the hook that the Swift runtime
/// offers to instruments.
///
/// Only for processes whose other threads are idle: while the hook is installed, retaining goes
/// through the runtime's table of functions, which other threads must not use while it changes.
enum AllocationCount {
    /// Thrown if the Swift runtime has no hook for allocations.
    struct Missing: Error {}

    private typealias Hook = @convention(c) (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer

    /// The runtime's allocation function, which the hook calls.
    nonisolated(unsafe) private static var original: Hook?
    nonisolated(unsafe) private static var thread: pthread_t = 0
    nonisolated(unsafe) private static var count = 0

    private static let counting: Hook = { metadata, size, alignment in
        if pthread_self() == thread { count &+= 1 }
        return original!(metadata, size, alignment)
    }

    /// Returns the number of allocations of this thread in `body`.
    static func of(_ body: () throws -> Void) throws -> Int {
        guard let hook = symbol("_swift_allocObject", Hook.self),
            let flag = symbol(
                "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly",
                Bool.self)
        else { throw Missing() }
        count = 0
        thread = pthread_self()
        if original == nil { original = hook.pointee }
        let replacement = counting
        hook.pointee = replacement
        flag.pointee = true
        defer {
            flag.pointee = false
            hook.pointee = original!
            thread = 0
        }
        try body()
        return count
    }

    private static func symbol<T>(_ name: String, _: T.Type) -> UnsafeMutablePointer<T>? {
        dlsym(nil, name).map { $0.assumingMemoryBound(to: T.self) }
    }
}
