/// A line that a client sends: an identifier for the reply, a command and its arguments.
enum Request {
    case transfer(id: String, from: Int, to: Int, amount: Int)
    case balance(id: String, number: Int)
    /// All balances and their sum, of one version.
    case report(id: String)
    /// The balances, and from then on each change of one.
    case watch(id: String)
    case mistake(id: String)

    init(_ line: String) {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst(2).compactMap { Int($0) }
        let id = words.first.map(String.init) ?? "?"
        switch (words.dropFirst().first, numbers.count, words.count) {
        case ("transfer", 3, 5):
            self = .transfer(id: id, from: numbers[0], to: numbers[1], amount: numbers[2])
        case ("balance", 1, 3): self = .balance(id: id, number: numbers[0])
        case ("report", 0, 2): self = .report(id: id)
        case ("watch", 0, 2): self = .watch(id: id)
        default: self = .mistake(id: id)
        }
    }
}
