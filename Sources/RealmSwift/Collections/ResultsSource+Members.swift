import RealmEngine

extension ResultsSource {
    /// Iterates over the elements that the results had when the iteration began. Skips objects that
    /// were deleted since.
    ///
    /// Reuses accessors: if the caller holds no reference to the previous accessor, that accessor
    /// is rebound to the next object. Creating and destroying an accessor takes as long as reading
    /// from it.
    @usableFromInline
    final class Members {
        private let source: ResultsSource
        @exclusivity(unchecked) private var cursor: ResultsCursor
        /// The accessor that was returned last, to be reused for the next element; nil if accessors
        /// are currently not reused.
        @exclusivity(unchecked) private var last: ObjectBase?
        /// Number of accessors created since an accessor was last reused. From the fourth on,
        /// `last` stays nil: the caller keeps the accessors, and setting `last` would only cost a
        /// retain and a release per element. The counter overflows every 256 elements; then reuse
        /// is tried again.
        @exclusivity(unchecked) private var made: UInt8 = 0
        @exclusivity(unchecked) private var supply = AccessorSupply()
        private let countOfNew = ObjectBase.countOfNew

        init(_ source: ResultsSource) {
            self.source = source
            cursor = attempt { () throws(RealmError) in try source.results.cursor() }
        }

        deinit { supply.returnArena() }

        /// Returns the next element, if the elements are dynamic objects or projections; nil at the
        /// end.
        func nextMade<Element>() -> Element? {
            nextLocation().map { source.made($0.key, $0.place) }
        }

        private func nextLocation() -> (key: ObjectKey, place: ObjectLocation)? {
            attempt { () throws(RealmError) in try cursor.nextFound() }
        }

        /// Returns the next accessor, with one reference counted for the caller; nil at the end.
        @usableFromInline
        func nextReference() -> UnsafeMutableRawPointer? {
            guard let (key, place) = nextLocation() else {
                last = nil
                return nil
            }
            if last != nil, isFree {
                made = 0
                last!.rebind(key, place)
                return Unmanaged.passUnretained(last!).retain().toOpaque()
            }
            made &+= 1
            let makeAccessor = Unmanaged.passRetained(makeAccessor(key, place))
            last = made < 4 ? makeAccessor.takeUnretainedValue() : nil
            return makeAccessor.toOpaque()
        }

        @inline(__always)
        private func makeAccessor(_ key: ObjectKey, _ place: ObjectLocation) -> ObjectBase {
            if !supply.isOf(source) || supply.isEmpty {
                if made < 4 { return source.managed.bound(key, place) }
                supply.fill(source.managed)
            }
            return supply.next(key, place)
        }

        /// Whether nothing but this iterator references the accessor in `last`, so that it may be
        /// rebound to the next object.
        @inline(__always)
        private var isFree: Bool {
            Unmanaged.passUnretained(last!)._withUnsafeGuaranteedRef {
                $0.isUnshared(countOfNew) && source.mayReuse($0)
            }
        }
    }
}

/// Creates accessors of a class. Retains the class and its realm for 64 accessors at once, because
/// each atomic change of a reference count synchronises all processors.
private struct AccessorSupply {
    private var managed: Unmanaged<ManagedClass>?
    /// Number of accessors that `next` can still create. For each of them, one reference to the
    /// class and one to its realm were counted in advance.
    private var counted: UInt32 = 0

    var isEmpty: Bool { counted == 0 }

    /// Whether the accessors that this `AccessorSupply` creates have the present class of the
    /// elements of `source`. That class changes when the realm is invalidated.
    @inline(__always)
    func isOf(_ source: ResultsSource) -> Bool { managed.map { source.isNow($0) } ?? false }

    /// Returns a new accessor of the object at `key`. `isEmpty` must be false: `fill` counts the
    /// references to class and realm in advance, for 64 accessors.
    @inline(__always)
    mutating func next(_ key: ObjectKey, _ place: ObjectLocation) -> ObjectBase {
        counted -= 1
        let managed = managed!
        return managed._withUnsafeGuaranteedRef { $0.bound(key, place, managed) }
    }

    @inline(never)
    mutating func fill(_ managed: ManagedClass) {
        returnArena()
        self.managed = Unmanaged.passUnretained(managed)
        counted = 64
        self.managed!.retain(counted)
        Unmanaged.passUnretained(managed.realm).retain(counted)
    }

    mutating func returnArena() {
        guard counted > 0, let managed else { return }
        let realm = managed._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.realm) }
        managed.release(counted)
        realm.release(counted)
        counted = 0
    }
}
