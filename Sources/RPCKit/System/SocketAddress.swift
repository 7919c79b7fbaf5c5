internal import CLinux
internal import Glibc

/// Where a server listens or a client connects.
public enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// Four bytes and a port.
  case ipv4([UInt8], port: UInt16)
  /// Sixteen bytes and a port. Scoped (link-local) addresses are not supported.
  case ipv6([UInt8], port: UInt16)
  /// A path in the file system; at most 107 bytes (unix(7)).
  case unix(path: String)

  /// Longest path of a Unix socket, in bytes.
  public static let unixPathByteCountMax = 107

  /// Parses a numeric address (`127.0.0.1`, `::1`); nil for a name.
  public init?(host: String, port: UInt16) {
    var bytes = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET, host, &bytes) == 1 {
      self = .ipv4(Array(bytes.prefix(4)), port: port)
    } else if unsafe inet_pton(AF_INET6, host, &bytes) == 1 {
      self = .ipv6(bytes, port: port)
    } else {
      return nil
    }
  }

  /// `127.0.0.1:4040`, `[::1]:4040` or `unix:/run/a.sock`.
  public var description: String {
    switch self {
    case .ipv4(let bytes, let port):
      return Self.dotted(bytes) + ":\(port)"
    case .ipv6(let bytes, let port):
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      let length = socklen_t(text.count)
      guard unsafe inet_ntop(AF_INET6, bytes, &text, length) != nil else { return "[?]:\(port)" }
      let end = text.firstIndex(of: 0) ?? text.endIndex
      return "[" + String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        + "]:\(port)"
    case .unix(let path):
      return "unix:\(path)"
    }
  }

  /// The port; nil for a Unix socket.
  public var port: UInt16? {
    switch self {
    case .ipv4(_, let port), .ipv6(_, let port): port
    case .unix: nil
    }
  }

  /// The same address with another port.
  public func withPort(_ port: UInt16) -> SocketAddress {
    switch self {
    case .ipv4(let bytes, _): .ipv4(bytes, port: port)
    case .ipv6(let bytes, _): .ipv6(bytes, port: port)
    case .unix: self
    }
  }

  /// The source that connections of a peer at this address are counted by: an IPv4 address, or the first
  /// half of an IPv6 address, which is what one subscriber has (RFC 6177).
  ///
  /// A Unix socket's path says nothing of the peer.
  var source: String {
    switch self {
    case .ipv4(let bytes, _): return Self.dotted(bytes)
    case .ipv6(let bytes, _):
      // An IPv4 peer of a socket that takes both (RFC 4291, section 2.5.5.2).
      let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      guard !bytes.starts(with: mapped) else { return Self.dotted(Array(bytes.suffix(4))) }
      let groups = stride(from: 0, to: 8, by: 2).map {
        String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
      }
      return groups.joined(separator: ":") + "::/64"
    case .unix: return "unix"
    }
  }

  private static func dotted(_ bytes: [UInt8]) -> String {
    bytes.map { String($0) }.joined(separator: ".")
  }

  var family: Int32 {
    switch self {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// Reads what the kernel wrote; nil for another family or an unnamed Unix socket.
  init?(_ storage: sockaddr_storage) {
    switch Int32(storage.ss_family) {
    case AF_INET:
      let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: sockaddr_in.self) }
      let bytes = unsafe withUnsafeBytes(of: address.sin_addr) { unsafe Array($0) }
      self = .ipv4(bytes, port: UInt16(bigEndian: address.sin_port))
    case AF_INET6:
      let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: sockaddr_in6.self) }
      let bytes = unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe Array($0) }
      self = .ipv6(bytes, port: UInt16(bigEndian: address.sin6_port))
    default:
      return nil
    }
  }

  /// Reads one answer of the resolver.
  init?(_ information: addrinfo) {
    guard let address = unsafe information.ai_addr,
      unsafe Int(information.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size
    else { return nil }
    var storage = sockaddr_storage()
    unsafe withUnsafeMutableBytes(of: &storage) { target in
      unsafe target.copyMemory(
        from: UnsafeRawBufferPointer(start: address, count: Int(information.ai_addrlen))
      )
    }
    self.init(storage)
  }

  /// Shows the address in the kernel's form.
  func withSockaddr<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var storage = sockaddr_storage()
    let length = unsafe withUnsafeMutableBytes(of: &storage) { unsafe fill($0) }
    return unsafe withUnsafePointer(to: storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(length))
      }
    }
  }

  private func fill(_ target: UnsafeMutableRawBufferPointer) -> Int {
    switch self {
    case .ipv4(let bytes, let port):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: bytes) }
      unsafe target.storeBytes(of: address, as: sockaddr_in.self)
      return MemoryLayout<sockaddr_in>.size
    case .ipv6(let bytes, let port):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
      unsafe target.storeBytes(of: address, as: sockaddr_in6.self)
      return MemoryLayout<sockaddr_in6>.size
    case .unix(let path):
      let bytes = Array(path.utf8.prefix(Self.unixPathByteCountMax))
      unsafe target.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
      let offset = MemoryLayout<sa_family_t>.size
      for (index, byte) in bytes.enumerated() { unsafe target[offset + index] = byte }
      // The path is null-terminated: the storage was zeroed.
      return offset + bytes.count + 1
    }
  }
}
