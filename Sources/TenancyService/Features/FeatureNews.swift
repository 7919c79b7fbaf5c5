internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Changed features that watchers of permissions have not been notified of yet.
///
/// A cached decision may depend on a feature for 300 s, so the services that keep it must hear when it changes. They
/// follow the change log: `run` appends a row for each holder, which every watcher gets in its place among the changes
/// of roles and can resume after.
final class FeatureNews: Sendable {
  /// The holders with changed features.
  enum Pending: Equatable, Sendable {
    case holders(Set<FeatureHolder>)
    /// Any holder: the catalogue changed, or changes may have been missed.
    case all
  }

  /// Holders that are remembered one by one; more are `all`.
  static let holderCountMax = 1024
  /// Time until a failed write is repeated.
  static let pause = Duration.seconds(1)

  private let pending: Lock<Pending> = Lock(.holders([]))
  private let signal = WakeSignal()

  /// Whether a change is still to be appended.
  var isPending: Bool { pending.withLock { $0 != .holders([]) } }

  /// The features of a holder changed.
  ///
  /// Call it when they are no longer answered with: anyone who hears of it asks again at once.
  func note(_ holder: FeatureHolder) {
    pending.withLock { pending in
      guard case .holders(var holders) = pending else { return }
      holders.insert(holder)
      pending = holders.count > Self.holderCountMax ? .all : .holders(holders)
    }
    signal.announce()
  }

  /// The features of any holder may have changed.
  func noteAll() {
    pending.withLock { $0 = .all }
    signal.announce()
  }

  /// Appends what is noted to the change log until the task is cancelled.
  ///
  /// Begins with all holders if the policy has conditions on features: the previous process may have stopped before
  /// it appended what it had heard.
  func run(_ core: TenancyCore, on loop: any EventLoop) async {
    if core.policy.hasFeatures { noteAll() }
    while !Task.isCancelled {
      let version = signal.version
      if let taken = take() {
        do {
          try await append(taken, core)
        } catch {
          putBack(taken)
          core.logger.warning("feature change not announced", ["error": .string("\(error)")])
          await loop.sleep(Self.pause)
        }
        continue
      }
      await signal.wait(past: version)
    }
  }

  private func append(_ pending: Pending, _ core: TenancyCore) async throws {
    let places = try await Self.places(pending, core)
    guard !places.isEmpty else { return }
    _ = try await core.changeOwn { tx in
      for place in places {
        try tx.appendChange(
          kind: ForestChange.featuresKind,
          subject: place.entity,
          scope: place.root
        )
      }
    }
  }

  /// The entities below which decisions may have changed, and the roots of their trees.
  ///
  /// Those of the store, because other services keep decisions about trees that are no longer in memory. No kept
  /// decision depends on the features of a user.
  private static func places(
    _ pending: Pending,
    _ core: TenancyCore
  ) async throws -> [(entity: String, root: String)] {
    guard case .holders(let holders) = pending else {
      return [(Forest.systemIdentifier, Forest.systemIdentifier)]
    }
    let ids = holders.map(\.id).sorted()
    return try await core.store.read { tx in
      try ids.compactMap { id in try TreeReader.root(of: id, in: tx).map { (id, $0) } }
    }
  }

  private func take() -> Pending? {
    pending.withLock { pending in
      guard pending != .holders([]) else { return nil }
      defer { pending = .holders([]) }
      return pending
    }
  }

  private func putBack(_ taken: Pending) {
    switch taken {
    case .all: noteAll()
    case .holders(let holders): for holder in holders { note(holder) }
    }
  }
}
