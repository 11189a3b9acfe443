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

        init(_ source: ResultsSource) {
            self.source = source
            cursor = attempt { () throws(RealmError) in try source.results.cursor() }
        }

        func next<Element>() -> Element? {
            attempt { () throws(RealmError) -> Element? in
                guard let (key, place) = try cursor.nextFound() else {
                    last = nil
                    return nil
                }
                if source.maker != nil { return source.made(key, place) as Element }
                if last == nil || !isFree { last = source.bound(key, place) }
                last!.become(key, place)
                return Unmanaged.passUnretained(last!).retain().given()
            }
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
