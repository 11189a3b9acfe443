@testable import RealmEngine

extension WriteSession.Options {
    /// For a file that is made, and lost without harm when the machine stops.
    static func scratch(_ fanout: Fanout = Fanout()) -> WriteSession.Options {
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = false
        options.fanout = fanout
        return options
    }
}
