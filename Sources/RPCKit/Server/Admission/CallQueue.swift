/// A line of calls that wait one behind the other: a connection's own, or those of one client among the many whose calls a
/// proxy makes on it.
struct CallLineID: Hashable {
  let connection: ObjectIdentifier
  /// The source of the client; nil for the connection's own calls.
  let client: String?
}

/// A call that can wait in a `CallQueue`.
protocol QueuedCall {
  /// The calls among which it waits.
  var lineID: CallLineID { get }
  /// Where those come from, as `Limits.connectionsPerSourceMax` counts connections.
  var source: String { get }
  /// How many bytes its request has.
  var byteCount: Int { get }
}

extension QueuedCall {
  /// The weight in shares: one, and one more for each further KiB.
  fileprivate var weight: Int { CallWeight.of(byteCount: byteCount) }
}

/// How much of a share of a full server a call takes up.
enum CallWeight {
  /// A question of a thousand parts is as much work as many small ones, and its bytes are what is known of
  /// it before it is decoded.
  static func of(byteCount: Int) -> Int { 1 + max(0, byteCount - 1) / 1024 }
}

/// The calls of one loop that wait for a worker.
///
/// They leave in the order of their arrival until the server is so full that a call has to be refused.
/// From then until none is left, sources take turns, and so do the connections of a source, so that
/// the one who sent a thousand requests waits longer than the one who sent one; a call that held the loop for
/// long costs further turns. A new call of somebody with less than an equal share of the waiting calls takes
/// the place of the newest one of the holder with the most ("longest queue drop", as in fq_codel, RFC 8290).
/// Shares count calls by their size, so that large questions do not crowd out small ones.
///
/// Who waits is only known while the server is full. Until then a call costs what it costs in a plain
/// list. Confined to its loop.
struct CallQueue<Call: QueuedCall> {
  /// A party that takes turns.
  private class Party {
    /// How long its calls held the loop beyond its turns, in nanoseconds.
    var debt: Int64 = 0

    func owe(_ nanoseconds: Int64) {
      debt = min(debt + min(nanoseconds, CallQueue.debtMax), CallQueue.debtMax)
    }
  }

  /// The calls of one connection, or of one client of a proxy on it.
  private final class Line: Party {
    let id: CallLineID
    unowned let source: Source
    var calls = Backlog<Call>()
    var weight = 0

    init(_ id: CallLineID, _ source: Source) {
      self.id = id
      self.source = source
    }
  }

  /// The lines of one source.
  private final class Source: Party {
    let name: String
    /// Each has a call; the one whose turn it is comes first.
    var lines = Backlog<Line>()
    var callCount = 0
    var weight = 0

    init(_ name: String) { self.name = name }
  }

  /// The worth of a turn, in nanoseconds: a call that takes longer costs further turns.
  static var turnNanoseconds: Int64 { 100_000 }
  /// The most that is owed, in nanoseconds, so that a call that took seconds is forgotten.
  static var debtMax: Int64 { 50_000_000 }

  /// Calls in the order of their arrival; empty while any wait in lines.
  private var arrivals = Backlog<Call>()
  /// Each has a call; the one whose turn it is comes first.
  private var sources = Backlog<Source>()
  private var sourcesByName: [String: Source] = [:]
  private var linesByID: [CallLineID: Line] = [:]
  /// Calls that wait in lines.
  private var lineCallCount = 0
  /// The weight of those.
  private var lineWeight = 0

  /// Makes an empty queue.
  init() {}

  var isEmpty: Bool { arrivals.isEmpty && lineCallCount == 0 }

  /// Calls that wait.
  var count: Int { arrivals.count + lineCallCount }

  /// Places that memory is held for, those of taken calls included.
  var placeCount: Int {
    linesByID.values.reduce(arrivals.placeCount) { $0 + $1.calls.placeCount }
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
    if let call { left(call, line) }
    if line.calls.isEmpty {
      linesByID[line.id] = nil
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
    linesByID[call.lineID]?.owe(nanoseconds - Self.turnNanoseconds)
    sourcesByName[call.source]?.owe(nanoseconds - Self.turnNanoseconds)
  }

  /// Takes the call that gives its place to a new one of `lineID` and `source`; nil when those have
  /// their share, or would have more than it with the new one.
  mutating func popToMakeRoom(
    for lineID: CallLineID,
    of source: String,
    byteCount: Int
  ) -> Call? {
    formLines()
    let line = linesByID[lineID]
    let newcomer = Newcomer(
      line: line,
      source: line?.source ?? sourcesByName[source],
      weight: CallWeight.of(byteCount: byteCount)
    )
    guard let giver = lineToMakeRoom(for: newcomer) else { return nil }
    let call = giver.calls.popLast()
    if let call { left(call, giver) }
    if giver.calls.isEmpty {
      linesByID[giver.id] = nil
      giver.source.lines.removeFirst { $0 === giver }
    }
    if giver.source.callCount == 0 {
      sourcesByName[giver.source.name] = nil
      let name = giver.source.name
      sources.removeFirst { $0.name == name }
    }
    return call
  }

  /// A call that asks for a place.
  private struct Newcomer {
    let line: Line?
    let source: Source?
    let weight: Int

    /// Whether it may take a place of somebody with `largest`, when `held` is what its own side has and
    /// `share` an equal part of all.
    ///
    /// Anyone who has nothing may begin whatever its share. Nobody ends up with more than the one who gave way,
    /// or the place would go back and forth.
    func fits(held: Int, share: Int, largest: Int) -> Bool {
      share > 0 && (held == 0 || held + weight <= share) && held + weight < largest
    }
  }

  /// The line whose newest call gives way: the longest of the source with the most, or of the newcomer's
  /// own source if that has its share and the newcomer's connection has not.
  private func lineToMakeRoom(for newcomer: Newcomer) -> Line? {
    guard let longest = sources.elements.max(by: { $0.weight < $1.weight }) else { return nil }
    let sourceShare = lineWeight / (sources.count + (newcomer.source == nil ? 1 : 0))
    let held = newcomer.source?.weight ?? 0
    if newcomer.fits(held: held, share: sourceShare, largest: longest.weight) {
      return longest.lines.elements.max { $0.weight < $1.weight }
    }
    guard let source = newcomer.source,
      let own = source.lines.elements.max(by: { $0.weight < $1.weight })
    else { return nil }
    let lineShare = source.weight / (source.lines.count + (newcomer.line == nil ? 1 : 0))
    let isFit = newcomer.fits(
      held: newcomer.line?.weight ?? 0,
      share: lineShare,
      largest: own.weight
    )
    return isFit ? own : nil
  }

  /// A call is no longer in a line.
  private mutating func left(_ call: Call, _ line: Line) {
    line.weight -= call.weight
    line.source.callCount -= 1
    line.source.weight -= call.weight
    lineCallCount -= 1
    lineWeight -= call.weight
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

  /// Sorts the calls by who sent them.
  private mutating func formLines() {
    while let call = arrivals.popFirst() { appendToLine(call) }
  }

  private mutating func appendToLine(_ call: Call) {
    let line = linesByID[call.lineID] ?? makeLine(for: call)
    line.calls.append(call)
    line.weight += call.weight
    line.source.callCount += 1
    line.source.weight += call.weight
    lineCallCount += 1
    lineWeight += call.weight
  }

  private mutating func makeLine(for call: Call) -> Line {
    let source = sourcesByName[call.source] ?? makeSource(call.source)
    let line = Line(call.lineID, source)
    source.lines.append(line)
    linesByID[call.lineID] = line
    return line
  }

  private mutating func makeSource(_ name: String) -> Source {
    let source = Source(name)
    sources.append(source)
    sourcesByName[name] = source
    return source
  }
}
