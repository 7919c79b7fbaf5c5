internal import RPCKit
internal import TextEncodings

/// The peers that proxies wrote down, the nearest to the server first.
///
/// Header lines of one name are one list in their order (RFC 9110 section 5.3), so the last line is read first, and
/// no more of them than is asked for.
struct ForwardedHops {
  /// One entry.
  enum Hop: Hashable {
    case address(SocketAddress)
    /// Something else than an address: `unknown`, a name, a mistake.
    case unreadable
    /// There are no more.
    case end
  }

  /// Longest line of `Forwarded` that is parsed: it can only be read from the left, all of it.
  static let forwardedByteCountMax = 4096

  private let field: TrustedProxies.Field
  private var lines: [String]
  /// The rest of the line that is being read; nil before it is begun.
  private var rest: Substring?
  /// The nodes of the line that is being read.
  private var nodes: [String] = []

  init(_ lines: [String], _ field: TrustedProxies.Field) {
    self.lines = lines
    self.field = field
  }

  /// The next entry towards the client.
  mutating func next() -> Hop {
    let node =
      switch field {
      case .xForwardedFor: nextListed()
      case .forwarded: nextElement()
      }
    guard let node else { return .end }
    return ForwardedNode.address(node, isStrict: field == .forwarded).map(Hop.address)
      ?? .unreadable
  }

  /// The last entry of a list of which commas are the only syntax.
  private mutating func nextListed() -> Substring? {
    if rest == nil {
      guard let line = lines.popLast() else { return nil }
      rest = line[...]
    }
    guard let text = rest else { return nil }
    let comma = text.utf8.lastIndex(of: UInt8(ascii: ","))
    rest = comma.map { text[..<$0] }
    return (comma.map { text[text.utf8.index(after: $0)...] } ?? text).trimmed
  }

  private mutating func nextElement() -> Substring? {
    if nodes.isEmpty {
      guard let line = lines.popLast() else { return nil }
      guard line.utf8.count <= Self.forwardedByteCountMax,
        let parsed = ForwardedElements.nodes(of: line)
      else { return "" }
      nodes = parsed
    }
    return nodes.popLast()?[...]
  }
}

/// An entry of `X-Forwarded-For`, or the value of `for` in `Forwarded` (RFC 7239 section 6).
enum ForwardedNode {
  /// `[`, an IPv6 address with an IPv4 one in it, `]`, a colon and a port.
  private static let byteCountMax = 53

  /// The address in an entry, with its port if it has one; nil for what is none.
  ///
  /// Several proxies write `X-Forwarded-For` with ports; an IPv6 address without brackets has none there, and is no
  /// node in `Forwarded`.
  static func address(_ text: Substring, isStrict: Bool) -> SocketAddress? {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= byteCountMax else { return nil }
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let host = text[bytes.index(after: bytes.startIndex)..<end]
      return make(host, text[bytes.index(after: end)...], isIPv6: true)
    }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
      return make(text, "", isIPv6: false)
    }
    let hasMore = bytes[bytes.index(after: colon)...].contains(UInt8(ascii: ":"))
    guard hasMore else { return make(text[..<colon], text[colon...], isIPv6: false) }
    return isStrict ? nil : make(text, "", isIPv6: true)
  }

  private static func make(
    _ host: Substring,
    _ port: Substring,
    isIPv6: Bool
  ) -> SocketAddress? {
    guard let port = number(of: port), let address = SocketAddress(host: String(host), port: port)
    else { return nil }
    return switch address {
    case .ipv4: isIPv6 ? nil : address
    case .ipv6: isIPv6 ? address : nil
    case .unix: nil
    }
  }

  /// The text behind an address: nothing, or a colon and one to five digits; nil for anything else.
  private static func number(of text: Substring) -> UInt16? {
    guard !text.isEmpty else { return 0 }
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
      digits.allSatisfy(\.isASCIIDigit)
    else { return nil }
    return UInt16(Substring(digits))
  }
}

extension Substring {
  /// Without spaces and tabs around it.
  fileprivate var trimmed: Substring {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return self[first...last]
  }
}
