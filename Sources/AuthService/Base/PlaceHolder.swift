internal import ServiceKit

/// The holder of a shared place: the caller who asked for a mail or for a challenge.
enum PlaceHolder: Hashable, Sendable {
  /// An account, by its identifier.
  case account(String)
  /// Where a call without an account comes from; nil for a source that is not counted.
  case source(SourceAddress?)

  /// As it is stored: keyed, so that it names nobody; empty for callers who cannot be distinguished.
  func name(_ key: HMACKey) -> [UInt8] {
    switch self {
    case .account(let id): Array(key.code(of: Array("places of account \(id)".utf8)).prefix(16))
    case .source(nil): []
    case .source(let source?):
      Array(key.code(of: Array("places of source ".utf8) + source.bytes).prefix(16))
    }
  }
}
