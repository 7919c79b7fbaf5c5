/// How much of a message was looked at, until it is known to be long.
public struct MessageMeasure: Sendable {
  @usableFromInline
  var left: Int

  /// Starts to look for more than so many bytes.
  @inlinable
  init(max byteCount: Int) { left = byteCount }

  /// Whether the message is longer.
  @inlinable public var isExceeded: Bool { left < 0 }

  /// Adds bytes of the message.
  @inlinable
  public mutating func add(_ byteCount: Int) { left -= byteCount }
}
