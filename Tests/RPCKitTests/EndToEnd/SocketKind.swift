import Foundation
import RPCKit
import Testing

/// What carries the bytes of a test: the same calls must work over each.
enum SocketKind: String, CaseIterable, CustomTestStringConvertible {
  case tcp
  case unix

  var testDescription: String { rawValue }

  /// An address that nobody else has.
  func address(in folder: SocketFolder) -> SocketAddress {
    switch self {
    case .tcp: .ipv4([127, 0, 0, 1], port: 0)
    case .unix: .unix(path: folder.path("socket"))
    }
  }
}

extension SocketAddress {
  /// The address as a channel's target.
  var target: String {
    if case .unix(let path) = self { return "unix://\(path)" }
    return "tcp://\(self)"
  }
}

/// A folder that lasts as long as the object.
///
/// Its path is short, because that of a Unix socket has to be.
final class SocketFolder: Sendable {
  let root: String

  init() throws {
    root = "/tmp/rpckit-\(UInt64.random(in: 0...(.max)))"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
  }

  deinit {
    // The system empties the place anyway.
    try? FileManager.default.removeItem(atPath: root)
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }
}
