internal import RPCKit

/// Holdings of subjects that were asked for lately, so that a check reads no store.
///
/// Exact, not merely fresh: a subject that is being changed is not served from here from before the
/// commit until after it, and what was read before a change began is not kept after it.
final class HoldingsCache: Sendable {
  /// The outcome of a look-up for a reader.
  enum Lookup {
    /// Use this.
    case known(Holdings)
    /// Read the store and hand the result in with this ticket.
    case unknown(Ticket)
  }

  /// The right to keep what is read now, unless the subject changes before.
  struct Ticket {
    fileprivate let number: UInt64?
  }

  private struct State {
    /// Two generations: what was used since the last turn, and before it.
    ///
    /// When the young are too many the old are forgotten, which bounds memory and keeps what is
    /// used.
    var young: [Subject: Holdings] = [:]
    var old: [Subject: Holdings] = [:]
    /// Subjects in changes that have not ended, and how many.
    var changing: [Subject: Int] = [:]
    /// Reads in progress.
    var reading: [Subject: UInt64] = [:]
    var lastTicket: UInt64 = 0
  }

  private let state = Lock(State())
  private let countMax: Int

  /// Keeps `countMax` subjects, at most.
  init(countMax: Int) {
    self.countMax = max(2, countMax)
  }

  func lookup(_ subject: Subject) -> Lookup {
    state.withLock { state in
      if let known = state.young[subject] { return .known(known) }
      if let known = state.old[subject] {
        insert(known, into: &state)
        return .known(known)
      }
      guard state.changing[subject] == nil else { return .unknown(Ticket(number: nil)) }
      state.lastTicket += 1
      state.reading[subject] = state.lastTicket
      return .unknown(Ticket(number: state.lastTicket))
    }
  }

  /// Ends a read: keeps what it found if its ticket is still good.
  func finish(_ ticket: Ticket, _ subject: Subject, _ holdings: Holdings?) {
    guard let number = ticket.number else { return }
    state.withLock { state in
      guard state.reading[subject] == number else { return }
      state.reading[subject] = nil
      if let holdings { insert(holdings, into: &state) }
    }
  }

  func beginChange(_ subject: Subject) {
    state.withLock { state in
      state.changing[subject, default: 0] += 1
      state.young[subject] = nil
      state.old[subject] = nil
      state.reading[subject] = nil
    }
  }

  func endChange(_ subject: Subject) {
    state.withLock { state in
      guard let count = state.changing[subject] else { return }
      state.changing[subject] = count > 1 ? count - 1 : nil
    }
  }

  /// Subjects kept now.
  var count: Int { state.withLock { $0.young.count + $0.old.count } }

  private func insert(_ holdings: Holdings, into state: inout State) {
    if state.young.count >= countMax / 2 {
      state.old = state.young
      state.young = [:]
    }
    state.old[holdings.subject] = nil
    state.young[holdings.subject] = holdings
  }
}
