import Dispatch
import Foundation
import ServerBase

// A server in a few files, to start from:
//
//     server SOCKET FILE
//
// Clients send lines and get lines: "7 transfer 1 2 50" is answered by "7 ok" once it is durable. See
// `Request` for the others. SIGTERM and SIGINT end the server after the requests that have arrived.

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: server SOCKET FILE\n".utf8))
    exit(2)
}
let configuration = Store.configuration(arguments[2])
let bank = try await Bank(configuration)
try await bank.open()
guard let listener = UnixSocket.listen(at: arguments[1]) else {
    FileHandle.standardError.write(Data("server: cannot listen at \(arguments[1])\n".utf8))
    exit(1)
}
let server = Server(configuration, bank, listener)
let signals = [SIGTERM, SIGINT].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in server.end() }
    source.resume()
    return source
}
await server.run()
unlink(arguments[1])
withExtendedLifetime(signals) {}
