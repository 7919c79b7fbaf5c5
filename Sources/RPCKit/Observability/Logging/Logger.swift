/// Writes structured log lines: one JSON object each.
///
/// A cheap value: copy it, and bind fields with `with(_:)`. Messages and fields are not evaluated
/// when the level is off. Values under secret-sounding keys and texts that look like credentials
/// are replaced by `[redacted]`.
///
/// ```swift
/// let logger = Logger(label: "tenancy", level: .info, sink: StandardErrorSink.shared)
/// let call = logger.with(["trace_id": "\(trace.traceID)"])
/// call.warning("store is slow", ["milliseconds": 180])
/// // {"time":"2026-…Z","level":"warning","logger":"tenancy","message":"store is slow",
/// //  "trace_id":"…","milliseconds":180}
/// ```
public struct Logger: Sendable {
  /// Which part of the program speaks.
  public let label: String
  /// Lines below this level are not written.
  public var level: LogLevel
  /// Fields of every line.
  public private(set) var fields: LogFields

  private let sink: any LogSink
  private let clock: any WallClock
  private let limiter: LogRateLimiter?
  private let surroundings: (@Sendable () -> LogFields)?

  /// Makes a logger; without a limiter every line is written.
  ///
  /// `surroundings` gives fields of whatever the line is written in, such as the call that the current
  /// task serves. It is asked for lines that are written and no others; what a line says itself counts
  /// more.
  public init(
    label: String,
    level: LogLevel,
    sink: any LogSink,
    clock: any WallClock = SystemWallClock(),
    limiter: LogRateLimiter? = LogRateLimiter(),
    fields: LogFields = [:],
    surroundings: (@Sendable () -> LogFields)? = nil
  ) {
    self.label = label
    self.level = level
    self.sink = sink
    self.clock = clock
    self.limiter = limiter
    self.fields = fields
    self.surroundings = surroundings
  }

  /// This logger with more fields; where a key is bound already, the new value counts.
  public func with(_ fields: LogFields) -> Logger {
    var logger = self
    logger.fields = self.fields.merging(fields)
    return logger
  }

  /// A logger for another part of the program, with the same sink, clock, limiter and fields.
  public func with(label: String) -> Logger {
    Logger(
      label: label,
      level: level,
      sink: sink,
      clock: clock,
      limiter: limiter,
      fields: fields,
      surroundings: surroundings
    )
  }

  /// A logger without the limiter, for lines that their writer rations by caller.
  public func withoutLimiter() -> Logger {
    Logger(
      label: label,
      level: level,
      sink: sink,
      clock: clock,
      limiter: nil,
      fields: fields,
      surroundings: surroundings
    )
  }

  /// Whether lines of this level are written.
  public func isEnabled(_ level: LogLevel) -> Bool {
    level >= self.level
  }

  /// Writes a line.
  ///
  /// The message is constant text; what varies goes into fields.
  public func log(
    _ level: LogLevel,
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> LogFields = [:]
  ) {
    guard isEnabled(level) else { return }
    let now = clock.now
    let message = message()
    if let limiter {
      let key = LogRateLimiter.Key(label: label, level: level, message: message)
      let (isAdmitted, summaries) = limiter.admit(key, at: now)
      write(summaries, at: now)
      guard isAdmitted else { return }
    }
    sink.write(
      LogLineEncoder.line(
        time: now,
        level: level,
        label: label,
        message: message,
        fields: (surroundings.map { self.fields.merging($0()) } ?? self.fields).merging(fields())
      )
    )
  }

  /// Writes pending summaries of suppressed lines, then waits for the sink.
  ///
  /// Not on a loop.
  public func flush() {
    if let limiter { write(limiter.drain(), at: clock.now) }
    sink.flush()
  }

  private func write(_ summaries: [LogRateLimiter.Summary], at now: Int64) {
    for summary in summaries {
      sink.write(
        LogLineEncoder.line(
          time: now,
          level: summary.key.level,
          label: summary.key.label,
          message: "repeated message suppressed",
          fields: [
            "suppressed_message": .string(Redaction.cleaned(message: summary.key.message)),
            "suppressed_count": LogValue(summary.suppressedCount),
          ]
        )
      )
    }
  }
}

extension Logger {
  /// Every step; for a developer with one connection.
  public func trace(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> LogFields = [:]
  ) {
    log(.trace, message(), fields())
  }

  /// Logs a detail for a developer who looks for an error.
  public func debug(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> LogFields = [:]
  ) {
    log(.debug, message(), fields())
  }

  /// Logs a rare event of normal operation.
  public func info(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> LogFields = [:]
  ) {
    log(.info, message(), fields())
  }

  /// Normal, but worth a look.
  public func notice(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> LogFields = [:]
  ) {
    log(.notice, message(), fields())
  }

  /// Something is wrong and was dealt with.
  public func warning(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> LogFields = [:]
  ) {
    log(.warning, message(), fields())
  }

  /// An operation failed.
  public func error(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> LogFields = [:]
  ) {
    log(.error, message(), fields())
  }

  /// The process cannot do its work.
  public func critical(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> LogFields = [:]
  ) {
    log(.critical, message(), fields())
  }
}
