@testable import RealmEngine

extension WriteSession.Options {
    /// Options for a new file that need not survive a power failure.
    static func scratch(_ fanout: Fanout = Fanout()) -> WriteSession.Options {
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = false
        options.fanout = fanout
        return options
    }
}
