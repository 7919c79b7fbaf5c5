/// Finds an order of the calls of a history that explains it, or says that there is none.
///
/// The order must be one in which a call that ended before another one began comes first, and in which
/// each answer is what the model gives. Wing and Gong's search ("Testing and Verifying Concurrent
/// Objects", 1993) with Lowe's memory of what was tried ("Testing for Linearizability", 2017), as in
/// Porcupine: calls are taken in the order in which they began, and a set of calls that has led to a
/// state before does not have to be tried again. What can change nothing is taken as soon as its answer
/// fits, which is never wrong, so only changes are tried one after the other. A call whose answer was
/// lost never ends: it is taken when that helps, or not at all.
struct LinearizabilityChecker<Model: SequentialModel> {
  typealias Call = RecordedCall<Model.Operation, Model.Answer>

  enum Verdict: Equatable {
    /// These calls, by their identifiers, in this order.
    case explained([Int])
    /// No order explains the answers.
    case unexplained
    /// There was too much to try: the history should be shorter.
    case undecided
  }

  let model: Model
  /// Sets of calls that are tried, at most.
  var triedCountMax = 50_000

  /// Whether an order explains the calls.
  func verdict(on calls: [Call]) -> Verdict {
    var search = Search(calls)
    var state = model.initial
    while true {
      takeWhatChangesNothing(calls, state, &search)
      guard search.answeredCount > 0 else { return .explained(search.order.map { calls[$0].id }) }
      var entry = search.next(of: Search.head)
      while true {
        guard search.triedCount < triedCountMax else { return .undecided }
        if entry == Search.head || search.isEnd(entry) {
          // What ends here had to be taken before: one of those that were was taken too early.
          guard let (undone, before) = search.undo() else { return .unexplained }
          state = before
          entry = search.next(of: undone)
        } else if let after = model.state(after: state, calls[search.call(of: entry)]),
          after != state || search.hasAnswer(entry), search.take(entry, from: state, to: after)
        {
          state = after
          break
        } else {
          entry = search.next(of: entry)
        }
      }
    }
  }

  private func takeWhatChangesNothing(
    _ calls: [Call],
    _ state: Model.State,
    _ search: inout Search
  ) {
    var entry = search.next(of: Search.head)
    while entry != Search.head, !search.isEnd(entry) {
      let call = calls[search.call(of: entry)]
      let next = search.next(of: entry)
      guard call.answer != nil, model.isInert(call), model.state(after: state, call) != nil else {
        entry = next
        continue
      }
      search.takeWithoutEffect(entry, state)
      // Its end may have been what came next.
      entry = search.next(of: entry)
    }
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
    private var path: [(entry: Int, before: Model.State, hasEffect: Bool)] = []
    /// Calls with an answer that were not taken yet.
    private(set) var answeredCount: Int
    private var isAnswered: [Bool]

    init(_ history: [Call]) {
      isAnswered = history.map { $0.answer != nil }
      answeredCount = isAnswered.count { $0 }
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

    var triedCount: Int { tried.count }

    func next(of entry: Int) -> Int { nexts[entry] }
    func call(of entry: Int) -> Int { calls[entry] }
    func isEnd(_ entry: Int) -> Bool { ends[entry] == nil }
    func hasAnswer(_ entry: Int) -> Bool { isAnswered[calls[entry]] }

    /// Takes a call as the next one of the order; false when the same calls have led to that state
    /// before.
    mutating func take(_ entry: Int, from before: Model.State, to after: Model.State) -> Bool {
      flip(calls[entry])
      guard tried.insert(Tried(taken: taken, state: after)).inserted else {
        flip(calls[entry])
        return false
      }
      remove(entry, from: before, hasEffect: true)
      return true
    }

    /// Takes a call that leaves the state as it is.
    mutating func takeWithoutEffect(_ entry: Int, _ state: Model.State) {
      flip(calls[entry])
      remove(entry, from: state, hasEffect: false)
    }

    private mutating func remove(_ entry: Int, from before: Model.State, hasEffect: Bool) {
      path.append((entry, before, hasEffect))
      if let end = ends[entry] { unlink(end) }
      unlink(entry)
      if isAnswered[calls[entry]] { answeredCount -= 1 }
    }

    /// Gives calls back up to the last one that had an effect; nil when there is none.
    mutating func undo() -> (entry: Int, before: Model.State)? {
      while let last = path.popLast() {
        link(last.entry)
        if let end = ends[last.entry] { link(end) }
        flip(calls[last.entry])
        if isAnswered[calls[last.entry]] { answeredCount += 1 }
        if last.hasEffect { return (last.entry, last.before) }
      }
      return nil
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
