import RealmEngine
import ToolKit

/// `--cache`.
enum CacheState: String, CaseIterable {
    case warm, cold
}

/// `--durability`.
enum BenchDurability: String, CaseIterable {
    case full, unsafe, memory
}

extension OptionForm where Value == Distribution {
    static var distribution: Self {
        Self(
            .suggestion(["uniform", "zipfian", "latest", "sequential"]), show: \.name
        ) { (text) throws(OptionValueError) in
            guard let distribution = Distribution(text) else {
                throw OptionValueError(
                    to: text,
                    "not uniform, zipfian, zipfian:SKEW with a skew between 0 and 1, latest or "
                        + "sequential")
            }
            return distribution
        }
    }
}

extension OptionForm where Value == Injection {
    static var injection: Self {
        Self(.text) { (text) throws(OptionValueError) in
            guard let injection = Injection(text) else {
                throw OptionValueError(
                    to: text,
                    "not a fault such as slow=30%, stall=200ms or both, separated by a comma")
            }
            return injection
        }
    }
}

extension OptionForm where Value == Gate {
    static var gate: Self {
        Self(.text) { (text) throws(OptionValueError) in
            guard let gate = Gate(text) else {
                throw OptionValueError(to: text, "not a list such as \(Gate.usual)")
            }
            return gate
        }
    }
}

extension OptionForm where Value == Int {
    /// Size of a payload in bytes, up to the limit of a property.
    static var payload: Self {
        let most = ValueCheck.maximumBinarySize
        return size.limited { (size) throws(OptionValueError) in
            guard size <= most else {
                throw OptionValueError("a property holds at most \(most) bytes")
            }
        }
    }
}
