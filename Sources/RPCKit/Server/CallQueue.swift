/// The calls of one loop: which of them wait for a worker and whose turn it is, and what a connection
/// may still begin while the server is full.
///
/// Sources take turns, and the connections of a source do: a client that sends a thousand requests waits
/// for them longer than one that sends one, over however many connections. Whose call took long misses
/// turns, while somebody else waits. While the server is full,
/// what it may do at a time is divided in the same way, so that the one who floods is refused and the
/// others are not.
///
/// Confined to its loop; knows no clock and no worker.
struct CallQueue<Call> {
  /// Where connections come from, as `Limits.connectionsPerSourceMax` counts them.
  final class Source {
    fileprivate let name: String
    fileprivate var connectionCount = 0
    /// Connections with calls in the server.
    fileprivate var busyCount = 0
    /// Lines in which calls wait.
    fileprivate var lines = ListPool<Line>.List()
    /// Turns that it misses because a call took long.
    fileprivate var missedTurns = 0

    fileprivate init(_ name: String) { self.name = name }
  }

  /// The calls of one connection.
  final class Line {
    fileprivate let source: Source
    /// Calls that count for admission control: they wait for a worker, or their handlers work.
    fileprivate(set) var workingCount = 0
    fileprivate var calls = ListPool<Call>.List()
    /// Since when some call has been waiting for a worker, whichever it is.
    fileprivate var waitingSince = MonotonicInstant(nanoseconds: 0)
    /// Turns of its source that it misses because a call took long.
    fileprivate var missedTurns = 0

    fileprivate init(_ source: Source) { self.source = source }
  }

  /// How long a call may take until it costs another turn, in nanoseconds.
  static var turn: Int64 { 100_000 }
  /// Turns that may be missed at most, so that a call that took seconds is forgotten.
  static var missedTurnsMax: Int { 64 }

  private var sources: [String: Source] = [:]
  private var calls = ListPool<Call>()
  private var lines = ListPool<Line>()
  private var turns = ListPool<Source>()
  /// Sources of which calls wait; the one whose turn it is comes first.
  private var order = ListPool<Source>.List()
  /// Sources with calls in the server.
  private var busySourceCount = 0

  /// Makes an empty queue.
  init() {}

  // MARK: - Connections

  /// Makes the line of a new connection.
  mutating func join(_ name: String) -> Line {
    let source = sources[name] ?? Source(name)
    sources[name] = source
    source.connectionCount += 1
    return Line(source)
  }

  /// Forgets a connection that closed; its calls end as all others do.
  mutating func leave(_ line: Line) {
    let source = line.source
    source.connectionCount -= 1
    if source.connectionCount == 0, sources[source.name] === source { sources[source.name] = nil }
  }

  /// Sources that are known.
  var sourceCount: Int { sources.count }

  // MARK: - Shares

  /// A call of a connection works from now on.
  mutating func began(_ line: Line) {
    line.workingCount += 1
    guard line.workingCount == 1 else { return }
    line.source.busyCount += 1
    if line.source.busyCount == 1 { busySourceCount += 1 }
  }

  /// A call of a connection ended, or only waits from now on.
  mutating func ended(_ line: Line) {
    line.workingCount -= 1
    guard line.workingCount == 0 else { return }
    line.source.busyCount -= 1
    if line.source.busyCount == 0 { busySourceCount -= 1 }
  }

  /// Whether a connection has fewer calls in the server than its share of what this loop may do at a
  /// time.
  ///
  /// A connection whose calls have not been waiting for `patience` has a share of `burst` at least: what
  /// comes all at once is no sign of more than the server can do.
  func hasShareLeft(
    _ line: Line,
    of limit: Int,
    burst: Int,
    patience: Duration,
    now: MonotonicInstant
  ) -> Bool {
    let isLate = !line.calls.isEmpty && line.waitingSince.duration(to: now) >= patience
    let source = line.source
    let sourceCount = busySourceCount + (source.busyCount == 0 ? 1 : 0)
    let lineCount = source.busyCount + (line.workingCount == 0 ? 1 : 0)
    return line.workingCount < (isLate ? limit : max(limit, burst)) / sourceCount / lineCount
  }

  // MARK: - Turns

  /// Calls that wait.
  var count: Int { calls.count }

  /// Places that memory is held for.
  var placeCount: Int { calls.placeCount }

  /// Lets a call of a connection wait.
  mutating func append(_ call: Call, of line: Line, now: MonotonicInstant) {
    if line.calls.isEmpty {
      let source = line.source
      // Nothing is owed by those of whom nothing waited to those who did.
      if source.lines.isEmpty {
        source.missedTurns = 0
        turns.append(source, to: &order)
      }
      line.missedTurns = 0
      line.waitingSince = now
      lines.append(line, to: &source.lines)
    }
    calls.append(call, to: &line.calls)
  }

  /// A call of a connection held the loop for so long, in one go.
  mutating func charge(_ line: Line, nanoseconds: Int64) {
    guard nanoseconds > Self.turn else { return }
    let missed = Int(min(nanoseconds / Self.turn, Int64(Self.missedTurnsMax)))
    line.missedTurns = min(line.missedTurns + missed, Self.missedTurnsMax)
    line.source.missedTurns = min(line.source.missedTurns + missed, Self.missedTurnsMax)
  }

  /// The call whose turn it is; nil when none waits.
  mutating func next() -> Call? {
    guard let source = nextSource() else { return nil }
    let line = nextLine(of: source)
    let call = calls.removeFirst(of: &line.calls)
    if line.calls.isEmpty {
      _ = lines.removeFirst(of: &source.lines)
    } else {
      passTurn(of: source)
    }
    if source.lines.isEmpty {
      _ = turns.removeFirst(of: &order)
    } else {
      passTurn()
    }
    return call
  }

  /// The first source that does not miss its turn; one that is alone misses none.
  private mutating func nextSource() -> Source? {
    while let source = turns.first(of: order) {
      if source.missedTurns == 0 || order.hasOne { return source }
      source.missedTurns -= 1
      passTurn()
    }
    return nil
  }

  /// The same among the lines of a source, of which there is one.
  private mutating func nextLine(of source: Source) -> Line {
    while let line = lines.first(of: source.lines) {
      if line.missedTurns == 0 || source.lines.hasOne { return line }
      line.missedTurns -= 1
      passTurn(of: source)
    }
    preconditionFailure("a source waits for its turn without a call that does")
  }

  /// Lets the source that is first be the last.
  private mutating func passTurn() {
    guard !order.hasOne, let source = turns.removeFirst(of: &order) else { return }
    turns.append(source, to: &order)
  }

  /// Lets the line of a source that is first be the last.
  private mutating func passTurn(of source: Source) {
    guard !source.lines.hasOne, let line = lines.removeFirst(of: &source.lines) else { return }
    lines.append(line, to: &source.lines)
  }
}
