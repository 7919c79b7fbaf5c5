/// Where chance comes from, so that a seed can replay it in tests.
public protocol RandomSource: Sendable {
  /// Fresh bytes.
  func bytes(_ count: Int) -> [UInt8]
}

extension RandomSource {
  /// Eight fresh bytes as a number.
  package func number() -> UInt64 { bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
