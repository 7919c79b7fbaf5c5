/// Where log lines go.
///
/// Called from any thread, also from event loops: must not block.
public protocol LogSink: Sendable {
  /// Takes one complete line: a JSON object and a line feed, at most 16 KiB.
  func write(_ line: [UInt8])

  /// Returns when everything taken so far is written, or cannot be. May block: not on a loop.
  func flush()
}

/// Keeps lines in memory, for tests.
public final class CollectingSink: LogSink {
  private let collected = Lock<[String]>([])

  /// Makes an empty sink.
  public init() {}

  /// The lines so far, without their line feeds.
  public var lines: [String] { collected.withLock { $0 } }

  /// See `LogSink.write(_:)`.
  public func write(_ line: [UInt8]) {
    let text = String(decoding: line.dropLast(), as: UTF8.self)
    collected.withLock { $0.append(text) }
  }

  /// Nothing waits in this sink.
  public func flush() {}
}
