internal import RPCKit
internal import ServiceKit

/// How many challenges wait for an answer: those that anybody may ask for, and those of sessions.
///
/// Both have a bound of their own, so that no stranger's challenge takes the place of a user's. Nobody is refused
/// one: at its share a holder's own oldest makes room, at the total the oldest of the holder with the most.
final class CeremonyPlaces: Sendable {
  /// Challenges of callers who are not signed in.
  static let ofSources = SharedBound(total: 100_000, share: 3_000, ofEach: .source)
  /// Challenges of sessions.
  static let ofAccounts = SharedBound(total: 100_000, share: 300, ofEach: .account)

  /// The challenge that makes room for another.
  enum Room: Hashable, Sendable {
    /// There is room.
    case free
    /// The oldest challenge of this holder goes.
    case oldest(of: [UInt8])
    /// The oldest of all of its kind goes: nobody has several.
    case oldestOfAll
  }

  private struct State {
    var ofSources: SharedPlaces
    var ofAccounts: SharedPlaces

    subscript(isOfSession: Bool) -> SharedPlaces {
      get { isOfSession ? ofAccounts : ofSources }
      _modify { if isOfSession { yield &ofAccounts } else { yield &ofSources } }
    }
  }

  /// As the store had them when they were last counted, and those that came and went since.
  private let state: Lock<State>

  init(ofSources: SharedBound = ofSources, ofAccounts: SharedBound = ofAccounts) {
    state = Lock(
      State(ofSources: SharedPlaces(ofSources), ofAccounts: SharedPlaces(ofAccounts))
    )
  }

  /// Makes room for a challenge that is about to be stored.
  func take(_ ceremony: PasskeyCeremony) -> Room {
    state.withLock { state in
      switch state[ceremony.isOfSession].take(ceremony.holder) {
      case .taken: .free
      case .replaces(let holder): .oldest(of: holder)
      case .refused(.share): .oldest(of: ceremony.holder)
      case .refused(.total):
        state[ceremony.isOfSession].count(of: ceremony.holder) > 0
          ? .oldest(of: ceremony.holder) : .oldestOfAll
      }
    }
  }

  /// A challenge was answered.
  func release(_ ceremony: PasskeyCeremony) {
    state.withLock { $0[ceremony.isOfSession].release(ceremony.holder) }
  }

  /// Begins anew with what the store has.
  func reset(to stored: [CeremonyTable.Holding]) {
    state.withLock { state in
      for isOfSession in [false, true] {
        state[isOfSession].reset(
          to: stored.filter { $0.isOfSession == isOfSession }.map { ($0.holder, $0.count) }
        )
      }
    }
  }
}
