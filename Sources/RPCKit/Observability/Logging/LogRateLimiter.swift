/// Lets a repeated message through a few times a second and counts the rest.
///
/// A message is known by its logger, level and text, so what varies belongs in fields. When a
/// window of one second ends with suppressed lines, a summary says how many. Shared by all loggers
/// derived from one; one lock, taken for a few dictionary operations.
public final class LogRateLimiter: Sendable {
  /// Messages distinguished within one window; the rest are limited together.
  public static let keyCountMax = 1024

  struct Key: Hashable, Sendable {
    var label: String
    var level: LogLevel
    var message: String
  }

  struct Summary: Equatable {
    var key: Key
    var suppressedCount: Int
  }

  private struct State {
    var windowStart: Int64 = .min
    var counts: [Key: Int] = [:]
  }

  private let linesPerSecondMax: Int
  private let state = Lock(State())
  private static let windowMilliseconds: Int64 = 1000
  /// Keys hold at most this much of a message.
  private static let keyByteCountMax = 256
  private static let overflowKey = Key(label: "other", level: .warning, message: "other")

  /// Makes a limiter; a message passes `linesPerSecondMax` times a second.
  public init(linesPerSecondMax: Int = 10) {
    precondition(linesPerSecondMax > 0, "a rate limit lets something through")
    self.linesPerSecondMax = linesPerSecondMax
  }

  /// Whether a line passes, and the summaries of the window that ended, to be written before it.
  func admit(_ key: Key, at now: Int64) -> (isAdmitted: Bool, summaries: [Summary]) {
    var key = key
    key.message = Self.shortened(key.message)
    return state.withLock { state in
      // Subtraction cannot overflow for two dates, but the start is `.min` at first. A clock that
      // was set back also ends the window.
      let age = now.subtractingReportingOverflow(state.windowStart)
      var summaries: [Summary] = []
      if age.overflow || age.partialValue < 0 || age.partialValue >= Self.windowMilliseconds {
        summaries = takeSummaries(&state)
        state.windowStart = now
      }
      if state.counts[key] == nil && state.counts.count >= Self.keyCountMax {
        key = Self.overflowKey
      }
      let count = state.counts[key, default: 0] + 1
      state.counts[key] = count
      return (count <= linesPerSecondMax, summaries)
    }
  }

  /// Ends the window early: for the end of the process.
  func drain() -> [Summary] {
    state.withLock { takeSummaries(&$0) }
  }

  private func takeSummaries(_ state: inout State) -> [Summary] {
    let summaries =
      state.counts
      .filter { $0.value > linesPerSecondMax }
      .map { Summary(key: $0.key, suppressedCount: $0.value - linesPerSecondMax) }
      .sorted { ($0.key.message, $0.key.label) < ($1.key.message, $1.key.label) }
    state.counts.removeAll(keepingCapacity: state.counts.count <= 64)
    state.windowStart = .min
    return summaries
  }

  /// A long message without secrets, cut; cutting first could leave a piece that is not recognised.
  private static func shortened(_ message: String) -> String {
    guard message.utf8.count > keyByteCountMax else { return message }
    let cleaned = Redaction.cleaned(message: message)
    return String(String.UnicodeScalarView(cleaned.unicodeScalars.prefix(keyByteCountMax / 4)))
  }
}
