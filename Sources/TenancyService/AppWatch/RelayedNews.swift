internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The newest changes of other services, for apps that watch.
///
/// In memory alone: an app with a place of another process reads what these changes are about again.
final class RelayedNews: Sendable {
  /// A change of another service.
  enum Item: Hashable, Sendable {
    /// The entitlements of a subject.
    case plan(Entitlement_V1.SubjectKind, String)
    /// The points of a holder.
    case points(String)
    /// The account of a user.
    case profile(String)
    /// Anything of a part, because it all changed, or changes may have been missed.
    case all(Part)
  }

  /// The parts that other services tell of.
  enum Part: String, CaseIterable, Sendable {
    case plan
    case points
    case profile
  }

  /// Up to where an app has them.
  struct Place: Equatable, Sendable {
    /// Tells processes apart.
    var epoch: Int64 = 0
    /// The number of the next change.
    var next: Int64 = 0
  }

  private struct State {
    var items: [Item] = []
    /// The number of the first of them.
    var first: Int64 = 0

    var next: Int64 { first + Int64(items.count) }
  }

  /// Changes that are remembered.
  private static let countMax = 4096

  private let epoch: Int64
  private let state = Lock(State())

  init(random: any RandomSource) { epoch = Int64(truncatingIfNeeded: random.number()) }

  /// The place behind everything.
  var end: Place { state.withLock { Place(epoch: epoch, next: $0.next) } }

  func append(_ item: Item) {
    state.withLock { state in
      state.items.append(item)
      // Half as many again, so that the rest is not moved up at each change.
      guard state.items.count > Self.countMax * 3 / 2 else { return }
      let surplus = state.items.count - Self.countMax
      state.items.removeFirst(surplus)
      state.first += Int64(surplus)
    }
  }

  /// The changes after a place, and where they end; nil when some of it is no longer known.
  func items(after place: Place) -> (items: [Item], end: Place)? {
    state.withLock { state in
      guard place.epoch == epoch, place.next >= state.first, place.next <= state.next else {
        return nil
      }
      let items = state.items[Int(place.next - state.first)...]
      return (Array(items), Place(epoch: epoch, next: state.next))
    }
  }
}

extension AppWatchers {
  /// Takes over a change of entitlements.
  func relay(_ change: Entitlement_V1.Change) {
    switch change.kind {
    case .heartbeat: break
    case .subject:
      guard let subject = change.subject else { return }
      relay(.plan(subject.kind, subject.id))
    case .points: relay(.points(change.holderId))
    case .tiers: relay(.all(.plan))
    default:
      relay(.all(.plan))
      relay(.all(.points))
    }
  }

  /// Takes over a change of a user.
  func relay(_ change: Auth_V1.UserChange) {
    switch change.kind {
    case .displayName, .profile: relay(.profile(change.userId))
    case .resync: relay(.all(.profile))
    default: break
    }
  }
}
