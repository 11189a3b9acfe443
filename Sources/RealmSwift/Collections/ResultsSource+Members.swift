import RealmEngine

extension ResultsSource {
    /// Goes over them as they are now, whatever becomes of them; what was deleted meanwhile is left out.
    ///
    /// An accessor that nobody keeps when the next one is asked for becomes that one: making one and
    /// letting it go takes as long as reading from it.
    @usableFromInline
    final class Members {
        private let source: ResultsSource
        @exclusivity(unchecked) private var cursor: ResultsCursor
        /// The accessor given out last, where it may be used again.
        @exclusivity(unchecked) private var last: ObjectBase?
        /// How many were made in a row since one could be used again. After a few the next ones are not
        /// remembered, since it costs two counts each; now and then they are, to see.
        @exclusivity(unchecked) private var made: UInt8 = 0
        @exclusivity(unchecked) private var supply = AccessorSupply()
        private let countOfNew = ObjectBase.countOfNew

        init(_ source: ResultsSource) {
            self.source = source
            cursor = attempt { () throws(RealmError) in try source.results.cursor() }
        }

        deinit { supply.giveBack() }

        /// The next element, where those are no accessors of their class.
        func nextMade<Element>() -> Element? {
            nextPlace().map { source.made($0.key, $0.place) }
        }

        private func nextPlace() -> (key: ObjectKey, place: ObjectPlace)? {
            attempt { () throws(RealmError) in try cursor.nextFound() }
        }

        /// The next accessor, with one reference counted for whoever gets it; nil at the end.
        @usableFromInline
        func nextReference() -> UnsafeMutableRawPointer? {
            guard let (key, place) = nextPlace() else {
                last = nil
                return nil
            }
            if last != nil, isFree {
                made = 0
                last!.rebind(key, place)
                return Unmanaged.passUnretained(last!).retain().toOpaque()
            }
            made &+= 1
            let fresh = Unmanaged.passRetained(fresh(key, place))
            last = made < 4 ? fresh.takeUnretainedValue() : nil
            return fresh.toOpaque()
        }

        @inline(__always)
        private func fresh(_ key: ObjectKey, _ place: ObjectPlace) -> ObjectBase {
            if !supply.isOf(source) || supply.isEmpty {
                if made < 4 { return source.managed.bound(key, place) }
                supply.fill(source.managed)
            }
            return supply.next(key, place)
        }

        /// Nobody else refers to the accessor given out last in any way, and its class has no state of
        /// its own.
        @inline(__always)
        private var isFree: Bool {
            Unmanaged.passUnretained(last!)._withUnsafeGuaranteedRef {
                $0.isUnshared(countOfNew) && source.mayReuse($0)
            }
        }
    }
}

/// Makes one accessor of a class after the other. The references that they need to their class and realm
/// are counted many at a time: each count is a step that all processors wait for.
private struct AccessorSupply {
    private var managed: Unmanaged<ManagedClass>?
    /// References to the class that are counted, and as many to its realm, and nobody's yet. They keep
    /// both.
    private var counted: UInt32 = 0

    var isEmpty: Bool { counted == 0 }

    /// Makes accessors of the class that elements are of now.
    @inline(__always)
    func isOf(_ source: ResultsSource) -> Bool { managed.map { source.isNow($0) } ?? false }

    /// There must be some left.
    @inline(__always)
    mutating func next(_ key: ObjectKey, _ place: ObjectPlace) -> ObjectBase {
        counted -= 1
        let managed = managed!
        return managed._withUnsafeGuaranteedRef { $0.bound(key, place, managed) }
    }

    @inline(never)
    mutating func fill(_ managed: ManagedClass) {
        giveBack()
        self.managed = Unmanaged.passUnretained(managed)
        counted = 64
        self.managed!.retain(counted)
        Unmanaged.passUnretained(managed.realm).retain(counted)
    }

    mutating func giveBack() {
        guard counted > 0, let managed else { return }
        let realm = managed._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.realm) }
        managed.release(counted)
        realm.release(counted)
        counted = 0
    }
}
