import RealmEngine

extension ResultsSource {
    /// Goes over them as they are now, whatever becomes of them; what was deleted meanwhile is left out.
    ///
    /// An accessor that nobody keeps when the next one is asked for becomes that one: making one and
    /// letting it go takes as long as reading from it.
    final class Members {
        private let source: ResultsSource
        @exclusivity(unchecked) private var cursor: ResultsCursor
        /// The accessor given out last, where it may be used again.
        @exclusivity(unchecked) private var last: ObjectBase?
        /// How many were made in a row since one could be used again. After a few the next ones are not
        /// remembered, since it costs two counts each; now and then they are, to see.
        private var made: UInt8 = 0
        /// Where a reference becomes one of a type that is known to whoever asks.
        private let given = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)

        init(_ source: ResultsSource) {
            self.source = source
            cursor = attempt { () throws(RealmError) in try source.results.cursor() }
        }

        deinit { given.deallocate() }

        func next<Element>() -> Element? {
            if source.maker != nil {
                return nextPlace().map { source.made($0.key, $0.place) }
            }
            guard let reference = nextAccessor() else { return nil }
            given.storeBytes(of: reference.toOpaque(), as: UnsafeMutableRawPointer.self)
            return given.assumingMemoryBound(to: Element.self).move()
        }

        private func nextPlace() -> (key: ObjectKey, place: ObjectPlace)? {
            attempt { () throws(RealmError) in try cursor.nextFound() }
        }

        /// With one reference counted for whoever gets it.
        private func nextAccessor() -> Unmanaged<ObjectBase>? {
            guard let (key, place) = nextPlace() else {
                last = nil
                return nil
            }
            if last != nil, isFree {
                made = 0
                last!.become(key, place)
                return Unmanaged.passUnretained(last!).retain()
            }
            made &+= 1
            let fresh = Unmanaged.passRetained(source.bound(key, place))
            last = made < 4 ? fresh.takeUnretainedValue() : nil
            return fresh
        }

        /// Nobody else refers to the accessor given out last in any way, and its class has no state of
        /// its own.
        @inline(__always)
        private var isFree: Bool {
            Unmanaged.passUnretained(last!)._withUnsafeGuaranteedRef {
                $0.isUnshared && source.mayReuse($0)
            }
        }
    }
}
