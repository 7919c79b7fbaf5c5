/// A call that can wait in a `CallQueue`.
protocol QueuedCall {
  /// The connection that it came on.
  var connectionID: ObjectIdentifier { get }
  /// Where that connection comes from, as `Limits.connectionsPerSourceMax` counts them.
  var source: String { get }
}

/// The calls of one loop that wait for a worker.
///
/// They leave in the order of their arrival until the server is so full that a call has to be refused.
/// From then until none is left, sources take turns, and so do the connections of a source, so that
/// whoever sent a thousand requests waits longer than whoever sent one; a call that held the loop for long
/// costs further turns. A new call of somebody with less than an equal share of the waiting calls takes
/// the place of the newest one of whoever has the most ("longest queue drop", as in fq_codel, RFC 8290).
///
/// Who waits is only known while the server is full. Until then a call costs what it costs in a plain
/// list. Confined to its loop.
struct CallQueue<Call: QueuedCall> {
  /// Who takes turns.
  private class Party {
    /// How long its calls held the loop beyond its turns, in nanoseconds.
    var debt: Int64 = 0

    func owe(_ nanoseconds: Int64) {
      debt = min(debt + min(nanoseconds, CallQueue.debtMax), CallQueue.debtMax)
    }
  }

  /// The calls of one connection.
  private final class Line: Party {
    let connectionID: ObjectIdentifier
    unowned let source: Source
    var calls = Backlog<Call>()

    init(_ connectionID: ObjectIdentifier, _ source: Source) {
      self.connectionID = connectionID
      self.source = source
    }
  }

  /// The lines of one source.
  private final class Source: Party {
    let name: String
    /// Each has a call; the one whose turn it is comes first.
    var lines = Backlog<Line>()
    var callCount = 0

    init(_ name: String) { self.name = name }
  }

  /// What a turn is worth, in nanoseconds: a call that takes longer costs further turns.
  static var turnNanoseconds: Int64 { 100_000 }
  /// The most that is owed, in nanoseconds, so that a call that took seconds is forgotten.
  static var debtMax: Int64 { 50_000_000 }

  /// Calls in the order of their arrival; empty while any wait in lines.
  private var arrivals = Backlog<Call>()
  /// Each has a call; the one whose turn it is comes first.
  private var sources = Backlog<Source>()
  private var sourcesByName: [String: Source] = [:]
  private var linesByConnection: [ObjectIdentifier: Line] = [:]
  /// Calls that wait in lines.
  private var lineCallCount = 0

  /// Makes an empty queue.
  init() {}

  var isEmpty: Bool { arrivals.isEmpty && lineCallCount == 0 }

  /// Calls that wait.
  var count: Int { arrivals.count + lineCallCount }

  /// Places that memory is held for, those of taken calls included.
  var placeCount: Int {
    linesByConnection.values.reduce(arrivals.placeCount) { $0 + $1.calls.placeCount }
  }

  /// Lets a call wait.
  mutating func append(_ call: Call) {
    if lineCallCount == 0 { arrivals.append(call) } else { appendToLine(call) }
  }

  /// Takes the call whose turn it is; nil when none waits.
  mutating func popFirst() -> Call? {
    if let call = arrivals.popFirst() { return call }
    guard let source = Self.takeTurn(&sources), let line = Self.takeTurn(&source.lines) else {
      return nil
    }
    let call = line.calls.popFirst()
    source.callCount -= 1
    lineCallCount -= 1
    if line.calls.isEmpty {
      linesByConnection[line.connectionID] = nil
    } else {
      source.lines.append(line)
    }
    if source.callCount == 0 {
      sourcesByName[source.name] = nil
    } else {
      sources.append(source)
    }
    return call
  }

  /// Notes that a call held the loop for so long.
  mutating func charge(_ call: Call, nanoseconds: Int64) {
    guard lineCallCount > 0, nanoseconds > Self.turnNanoseconds else { return }
    // Who has nothing that waits owes nothing.
    linesByConnection[call.connectionID]?.owe(nanoseconds - Self.turnNanoseconds)
    sourcesByName[call.source]?.owe(nanoseconds - Self.turnNanoseconds)
  }

  /// Takes the call that gives its place to a new one of `connectionID` and `source`; nil when those have
  /// their share.
  mutating func popToMakeRoom(for connectionID: ObjectIdentifier, of source: String) -> Call? {
    formLines()
    let line = linesByConnection[connectionID]
    guard let longest = sourceToMakeRoom(for: line, of: line?.source ?? sourcesByName[source])
    else {
      return nil
    }
    guard let giver = longest.lines.elements.max(by: { $0.calls.count < $1.calls.count }) else {
      return nil
    }
    // The source itself is not left without a call, because it has more than a share.
    let call = giver.calls.popLast()
    longest.callCount -= 1
    lineCallCount -= 1
    if giver.calls.isEmpty {
      linesByConnection[giver.connectionID] = nil
      longest.lines.removeFirst { $0 === giver }
    }
    return call
  }

  /// Takes the first one that owes nothing out of the order; each of the others pays with a turn.
  private static func takeTurn<Taker: Party>(_ order: inout Backlog<Taker>) -> Taker? {
    while let taker = order.popFirst() {
      // One that is alone keeps nobody waiting.
      if order.isEmpty { taker.debt = 0 }
      guard taker.debt > 0 else { return taker }
      taker.debt -= turnNanoseconds
      order.append(taker)
    }
    return nil
  }

  /// The source with the most calls, for one that has less than its share of all; its own source for a
  /// connection that has less than its share of that.
  private func sourceToMakeRoom(for line: Line?, of source: Source?) -> Source? {
    let isNewSource = source == nil
    let sourceShare = lineCallCount / (sources.count + (isNewSource ? 1 : 0))
    if (source?.callCount ?? 0) < sourceShare {
      return sources.elements.max { $0.callCount < $1.callCount }
    }
    guard let source else { return nil }
    let lineShare = source.callCount / (source.lines.count + (line == nil ? 1 : 0))
    return (line?.calls.count ?? 0) < lineShare ? source : nil
  }

  /// Sorts the calls by who sent them.
  private mutating func formLines() {
    while let call = arrivals.popFirst() { appendToLine(call) }
  }

  private mutating func appendToLine(_ call: Call) {
    let line = linesByConnection[call.connectionID] ?? makeLine(for: call)
    line.calls.append(call)
    line.source.callCount += 1
    lineCallCount += 1
  }

  private mutating func makeLine(for call: Call) -> Line {
    let source = sourcesByName[call.source] ?? makeSource(call.source)
    let line = Line(call.connectionID, source)
    source.lines.append(line)
    linesByConnection[call.connectionID] = line
    return line
  }

  private mutating func makeSource(_ name: String) -> Source {
    let source = Source(name)
    sources.append(source)
    sourcesByName[name] = source
    return source
  }
}
