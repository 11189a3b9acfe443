import Glibc

/// A stream socket in the file system.
package struct UnixSocket: Sendable {
    package let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Returns a socket that is connected to `path`; nil if no server listens there.
    package static func connect(to path: String) -> UnixSocket? {
        open(path) { Glibc.connect($0, $1, $2) }
    }

    /// Returns a socket that listens at `path`, where it replaces the socket of an earlier server;
    /// nil if that fails.
    package static func listen(at path: String) -> UnixSocket? {
        unlink(path)
        guard let socket = open(path, { bind($0, $1, $2) }) else { return nil }
        guard Glibc.listen(socket.descriptor, 1024) == 0 else {
            socket.close()
            return nil
        }
        return socket
    }

    private static func open(
        _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> UnixSocket? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result == 0 { return UnixSocket(descriptor: descriptor) }
        Glibc.close(descriptor)
        return nil
    }

    /// Returns the connection of the next client; nil once `endReading` was called.
    package func accept() -> UnixSocket? {
        while true {
            let client = Glibc.accept(descriptor, nil, nil)
            if client >= 0 {
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                return UnixSocket(descriptor: client)
            }
            // A client that has gone away meanwhile is no reason to stop.
            guard errno == EINTR || errno == ECONNABORTED || errno == EMFILE else { return nil }
        }
    }

    /// Sends bytes and returns how many were sent; 0 if the socket takes none now, -1 if the client
    /// has gone away.
    package func send(_ bytes: UnsafeRawBufferPointer, waiting: Bool) -> Int {
        while true {
            let flags = Int32(MSG_NOSIGNAL) | (waiting ? 0 : Int32(MSG_DONTWAIT))
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return count }
            if errno == EAGAIN, !waiting { return 0 }
            if errno != EINTR { return -1 }
        }
    }

    /// Sends bytes and waits until the socket has taken all. Returns false if the client has gone
    /// away.
    package func sendAll(_ bytes: some Collection<UInt8>) -> Bool {
        Array(bytes).withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = send(rest, waiting: true)
                if count < 0 { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }

    /// Ends `accept` and the reading of lines, in all threads.
    package func endReading() { shutdown(descriptor, Int32(SHUT_RD)) }

    /// Ends the connection for both sides.
    package func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    package func close() { Glibc.close(descriptor) }
}

/// Lines that arrive at a socket. Used by one thread.
package struct LineReader {
    private let socket: UnixSocket
    private var bytes: [UInt8] = []
    /// Offset of the next line in `bytes`.
    private var start = 0

    /// Longest line in bytes. A longer one ends the reading.
    private static let longest = 1 << 16

    package init(_ socket: UnixSocket) { self.socket = socket }

    /// Returns the next line without its end; nil at the end of the stream.
    package mutating func next() -> String? {
        while true {
            if let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return String(decoding: bytes[start..<end], as: UTF8.self)
            }
            bytes.removeSubrange(..<start)
            start = 0
            guard bytes.count < Self.longest, read() else { return nil }
        }
    }

    private mutating func read() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { buffer in
            while true {
                let count = recv(socket.descriptor, buffer.baseAddress, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                bytes.append(contentsOf: buffer[..<count])
                return true
            }
        }
    }
}
