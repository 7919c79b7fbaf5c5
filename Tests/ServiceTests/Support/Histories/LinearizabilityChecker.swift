/// Finds an order of the calls of a history that explains it, or says that there is none.
///
/// The order must be one in which a call that ended before another one began comes first, and in which
/// each answer is what the model gives. Wing and Gong's search ("Testing and Verifying Concurrent
/// Objects", 1993) with Lowe's memory of what was tried ("Testing for Linearizability", 2017), as in
/// Porcupine: calls are taken in the order in which they began, and a set of calls that has led to a
/// state before does not have to be tried again. A call whose answer was lost never ends, so it may come
/// last, where nobody sees what it did.
struct LinearizabilityChecker<Model: SequentialModel> {
  typealias Call = RecordedCall<Model.Operation, Model.Answer>

  let model: Model

  /// Identifiers of the calls in an order that explains them; nil when none does.
  func order(of calls: [Call]) -> [Int]? {
    var search = Search(calls)
    var state = model.initial
    var entry = search.next(of: Search.head)
    while search.next(of: Search.head) != Search.head {
      let isCall = entry != Search.head && !search.isEnd(entry)
      if isCall, let after = model.state(after: state, calls[search.call(of: entry)]),
        search.take(entry, from: state, to: after)
      {
        state = after
        entry = search.next(of: Search.head)
      } else if isCall {
        entry = search.next(of: entry)
      } else {
        // What ends here had to be taken before: one of those that were was taken too early.
        guard let (undone, before) = search.undo() else { return nil }
        state = before
        entry = search.next(of: undone)
      }
    }
    return search.order.map { calls[$0].id }
  }

  /// The beginnings and ends of calls that were not taken yet, as a list in the order of time.
  private struct Search {
    static var head: Int { 0 }

    private struct Tried: Hashable {
      let taken: [UInt64]
      let state: Model.State
    }

    // Entry 0 is before and after all others. Calls have an entry for the beginning and one for the
    // end.
    private var nexts: [Int]
    private var previouses: [Int]
    private var calls: [Int]
    private var ends: [Int?]
    private var taken: [UInt64]
    private var tried: Set<Tried> = []
    private var path: [(entry: Int, before: Model.State)] = []

    init(_ history: [Call]) {
      var events: [(time: Int, call: Int, isEnd: Bool)] = []
      for (index, call) in history.enumerated() {
        events.append((call.began, index, false))
        events.append((call.ended ?? .max, index, true))
      }
      events.sort { ($0.time, $0.isEnd ? 1 : 0, $0.call) < ($1.time, $1.isEnd ? 1 : 0, $1.call) }
      let count = events.count + 1
      nexts = (0..<count).map { ($0 + 1) % count }
      previouses = (0..<count).map { ($0 + count - 1) % count }
      calls = [-1] + events.map(\.call)
      ends = [Int?](repeating: nil, count: count)
      taken = [UInt64](repeating: 0, count: (history.count + 63) / 64)
      var endOfCall: [Int: Int] = [:]
      for (index, event) in events.enumerated() where event.isEnd {
        endOfCall[event.call] = index + 1
      }
      for (index, event) in events.enumerated() where !event.isEnd {
        ends[index + 1] = endOfCall[event.call]
      }
    }

    var order: [Int] { path.map { calls[$0.entry] } }

    func next(of entry: Int) -> Int { nexts[entry] }
    func call(of entry: Int) -> Int { calls[entry] }
    func isEnd(_ entry: Int) -> Bool { ends[entry] == nil }

    /// Takes a call as the next one of the order; false when the same calls have led to that state
    /// before.
    mutating func take(_ entry: Int, from before: Model.State, to after: Model.State) -> Bool {
      flip(calls[entry])
      guard tried.insert(Tried(taken: taken, state: after)).inserted else {
        flip(calls[entry])
        return false
      }
      path.append((entry, before))
      unlink(entry)
      if let end = ends[entry] { unlink(end) }
      return true
    }

    /// Gives the last call back; nil when none was taken.
    mutating func undo() -> (entry: Int, before: Model.State)? {
      guard let last = path.popLast() else { return nil }
      if let end = ends[last.entry] { link(end) }
      link(last.entry)
      flip(calls[last.entry])
      return last
    }

    private mutating func flip(_ call: Int) { taken[call / 64] ^= 1 << UInt64(call % 64) }

    private mutating func unlink(_ entry: Int) {
      nexts[previouses[entry]] = nexts[entry]
      previouses[nexts[entry]] = previouses[entry]
    }

    private mutating func link(_ entry: Int) {
      nexts[previouses[entry]] = entry
      previouses[nexts[entry]] = entry
    }
  }
}
