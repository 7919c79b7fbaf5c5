package import RPCKit
internal import TextEncodings

/// HTTP/1.1 and HTTP/2 on the port of a server.
///
/// HTTP/2 begins with a preface that no other protocol has (RFC 9113 section 3.4), and HTTP/1.1 with the name of a
/// method. Both can begin with a `P`, so three bytes are needed to tell them apart: `PRI`, `POST`, `PUT`, `PATCH`.
/// No frame begins with a letter: it would be longer than a gigabyte. So whatever does is a method, known or not.
package struct HTTPServerWire: ServerWire {
  private let configuration: HTTPConfiguration

  /// Makes the wire of a server.
  package init(_ configuration: HTTPConfiguration) {
    self.configuration = configuration
  }

  package var applicationProtocols: [String] {
    (configuration.servesHTTP2 ? ["h2"] : []) + (configuration.servesHTTP1 ? ["http/1.1"] : [])
  }

  package func recognition(of first: Span<UInt8>) -> WireRecognition {
    switch HTTPVersionSniffer.guess(first) {
    case .http1: configuration.servesHTTP1 ? .recognized : .other
    case .http2: configuration.servesHTTP2 ? .recognized : .other
    case .undecided: .undecided
    case .neither: .other
    }
  }

  package func makeConnection(
    over transport: any Transport,
    _ first: Span<UInt8>,
    core: ServerCore,
    resources: LoopResources
  ) -> any ServedConnection {
    let isHTTP2 =
      transport.peer.applicationProtocol.map { $0 == "h2" }
      ?? (HTTPVersionSniffer.guess(first) == .http2)
    return isHTTP2
      ? HTTP2Connection(transport, core: core, resources: resources, configuration: configuration)
      : HTTP1Connection(transport, core: core, resources: resources, configuration: configuration)
  }
}

/// Tells the versions of HTTP apart by the first bytes of a connection.
enum HTTPVersionSniffer {
  enum Guess: Hashable {
    case http1
    case http2
    /// One more byte, or two, will tell.
    case undecided
    /// Neither of them.
    case neither
  }

  static func guess(_ first: Span<UInt8>) -> Guess {
    guard first.count > 0 else { return .undecided }
    // An empty line before the request is skipped (RFC 9112 section 2.2).
    if first[0] == UInt8(ascii: "\r") { return .http1 }
    guard first[0].isASCIILetter else { return .neither }
    guard first[0] == UInt8(ascii: "P") else { return .http1 }
    guard first.count > 1 else { return .undecided }
    guard first[1] == UInt8(ascii: "R") else { return .http1 }
    guard first.count > 2 else { return .undecided }
    return first[2] == UInt8(ascii: "I") ? .http2 : .http1
  }
}
