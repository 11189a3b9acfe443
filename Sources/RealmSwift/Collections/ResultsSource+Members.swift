import RealmEngine

extension ResultsSource {
    /// Iterates over the elements that the results have now, regardless of later changes, and skips
    /// objects deleted meanwhile.
    ///
    /// An accessor that has no other reference when the next element is requested is rebound to
    /// that element: creating and destroying an accessor takes as long as reading from it.
    @usableFromInline
    final class Members {
        private let source: ResultsSource
        @exclusivity(unchecked) private var cursor: ResultsCursor
        /// The accessor returned last, if it may be rebound.
        @exclusivity(unchecked) private var last: ObjectBase?
        /// Number of accessors created in a row since one could be rebound. After a few, the next
        /// accessors are not remembered, since that costs two reference counts each; every 256th
        /// time they are again, to find out whether rebinding has become possible.
        @exclusivity(unchecked) private var made: UInt8 = 0
        @exclusivity(unchecked) private var supply = AccessorSupply()
        private let countOfNew = ObjectBase.countOfNew

        init(_ source: ResultsSource) {
            self.source = source
            cursor = attempt { () throws(RealmError) in try source.results.cursor() }
        }

        deinit { supply.returnArena() }

        /// Returns the next element, for elements that are not accessors of their class.
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

        /// Whether the accessor returned last has no other references, and its class has no state
        /// of its own.
        @inline(__always)
        private var isFree: Bool {
            Unmanaged.passUnretained(last!)._withUnsafeGuaranteedRef {
                $0.isUnshared(countOfNew) && source.mayReuse($0)
            }
        }
    }
}

/// Creates accessors of a class. The references to the class and its realm are counted many at a
/// time, because each atomic count synchronises all processors.
private struct AccessorSupply {
    private var managed: Unmanaged<ManagedClass>?
    /// Number of references, to the class and as many to its realm, that are counted but not yet
    /// used. They keep both alive.
    private var counted: UInt32 = 0

    var isEmpty: Bool { counted == 0 }

    /// Whether the supply is for the current class of the elements.
    @inline(__always)
    func isOf(_ source: ResultsSource) -> Bool { managed.map { source.isNow($0) } ?? false }

    /// Returns an accessor. The supply must not be empty.
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
