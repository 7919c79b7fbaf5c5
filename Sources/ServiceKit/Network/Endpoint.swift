public import RPCKit
public import StrictJSON

extension JSONField {
  /// The value as an address to listen at: `127.0.0.1:7401`, `[::1]:7401`, `unix:///run/a.sock`.
  public func socketAddress() throws(JSONDecodingError) -> SocketAddress {
    let text = try string()
    if text.hasPrefix("unix://") { return .unix(path: String(text.dropFirst(7))) }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { throw error("must be HOST:PORT or unix://PATH") }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard let address = SocketAddress(host: String(host), port: port) else {
      throw error("\"\(host)\" is not a numeric address; use 0.0.0.0 for all interfaces")
    }
    return address
  }

  /// The value as a string that is not empty.
  public func nonEmptyString() throws(JSONDecodingError) -> String {
    let text = try string()
    guard !text.isEmpty else { throw error("must not be empty") }
    return text
  }

  /// The value as a length of time: a number of seconds, fractions allowed.
  public func seconds(in range: ClosedRange<Double>) throws(JSONDecodingError) -> Duration {
    guard let seconds = value.number?.double else { throw error("must be a number of seconds") }
    guard range.contains(seconds) else {
      throw error("\(seconds) s is not between \(range.lowerBound) and \(range.upperBound)")
    }
    return .seconds(seconds)
  }

  /// The value as a whole number of days, in milliseconds.
  public func days(in range: ClosedRange<Int64>) throws(JSONDecodingError) -> Int64 {
    try integer(in: range) * 86_400_000
  }
}

extension SocketAddress {
  /// Where to connect to what listens here: all interfaces become the loopback one.
  var forConnecting: SocketAddress {
    switch self {
    case .ipv4(let bytes, let port) where bytes.allSatisfy { $0 == 0 }:
      .ipv4([127, 0, 0, 1], port: port)
    case .ipv6(let bytes, let port) where bytes.allSatisfy { $0 == 0 }:
      .ipv6([UInt8](repeating: 0, count: 15) + [1], port: port)
    default: self
    }
  }

  /// The address without the port, as a certificate would name it; nil for a Unix socket.
  var numericHost: String? {
    switch self {
    case .unix: return nil
    case .ipv4, .ipv6:
      // 127.0.0.1:80 or [::1]:80.
      let host = description.prefix(upTo: description.lastIndex(of: ":") ?? description.endIndex)
      return String(host.first == "[" ? host.dropFirst().dropLast() : host)
    }
  }
}
