import PeerContracts
import RPCKit
import ServiceKit

@testable import TenancyService

/// A small EntitlementService: who has what is what the test says, and changes are told to watchers.
final class SmallEntitlementService: Entitlement_V1.EntitlementsService, Sendable {
  private struct State {
    var features: [String: [String]] = [:]
    var limits: [String: [String: Int64?]] = [:]
    var validUntil: [String: Int64] = [:]
    var getCount = 0
    var lastAtLeast: UInt64 = 0
    var watchCount = 0
    var isDown = false
    var revision: UInt64 = 1
    var watchers: [AsyncStream<Entitlement_V1.Change>.Continuation] = []
    var heldID: String?
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  /// Makes a service whose newest change has this number; 0 is a store without any.
  init(revision: UInt64 = 1) { state.withLock { $0.revision = revision } }

  /// How often it was asked.
  var getCount: Int { state.withLock { $0.getCount } }
  /// The change that the last question is to be answered from, at least.
  var lastAtLeast: UInt64 { state.withLock { $0.lastAtLeast } }
  /// How many have watched.
  var watchCount: Int { state.withLock { $0.watchCount } }

  /// Gives a portfolio or a user features, and tells watchers if they are to be told.
  func set(_ features: [String], of portfolio: String, validUntil: Int64? = nil, tells: Bool = true)
  {
    change(portfolio, tells: tells) { state in
      state.features[portfolio] = features
      state.validUntil[portfolio] = validUntil
    }
  }

  /// Gives an organization limits, nil for unlimited ones, and tells watchers.
  func set(limits: [String: Int64?], of organization: String) {
    change(organization, tells: true) { $0.limits[organization] = limits }
  }

  private func change(_ id: String, tells: Bool, _ body: (inout State) -> Void) {
    let kind: Entitlement_V1.SubjectKind =
      id.hasPrefix("usr_")
      ? .user
      : id.hasPrefix("org_")
        ? .organization
        : id.hasPrefix("fam_") ? .family : .portfolio
    let (watchers, change) = state.withLock { state in
      body(&state)
      state.revision += 1
      let change = Entitlement_V1.Change(
        revision: state.revision,
        kind: .subject,
        subject: .init(kind: kind, id: id)
      )
      return (state.watchers, change)
    }
    guard tells else { return }
    for watcher in watchers { watcher.yield(change) }
  }

  /// Tells watchers a change of a number that is not the next one, as another program may that is behind.
  func tell(_ change: Entitlement_V1.Change) {
    let watchers = state.withLock { $0.watchers }
    for watcher in watchers { watcher.yield(change) }
  }

  /// Tells watchers that any feature may have changed.
  func changeCatalog() {
    let (watchers, change) = state.withLock { state in
      state.revision += 1
      return (state.watchers, Entitlement_V1.Change(revision: state.revision, kind: .tiers))
    }
    for watcher in watchers { watcher.yield(change) }
  }

  /// Refuses to answer, or answers again.
  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

  /// Keeps answers about a portfolio back, once they are decided on, until `release`.
  func hold(_ portfolio: String) { state.withLock { $0.heldID = portfolio } }

  /// Lets go of what was kept back.
  func release() {
    let held = state.withLock { state in
      state.heldID = nil
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Whether an answer is kept back.
  var isHolding: Bool { state.withLock { !$0.held.isEmpty } }

  /// Ends all watches; those who come back are refused while it is down.
  func dropWatchers() {
    let watchers = state.withLock { state in
      defer { state.watchers = [] }
      return state.watchers
    }
    for watcher in watchers { watcher.finish() }
  }

  func get(
    _ request: Entitlement_V1.GetEntitlementsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.GetEntitlementsResponse {
    let id = request.subject?.id ?? ""
    let answer = state.withLock { state -> ([String], [String: Int64?], Int64?)? in
      state.getCount += 1
      state.lastAtLeast = request.atLeastRevision
      guard !state.isDown else { return nil }
      return (state.features[id] ?? [], state.limits[id] ?? [:], state.validUntil[id])
    }
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        guard state.heldID == id else { return false }
        state.held.append(continuation)
        return true
      }
      if !isHeld { continuation.resume() }
    }
    guard let (features, limits, until) = answer else { throw RPCError(.unavailable, "down") }
    return Entitlement_V1.GetEntitlementsResponse(
      subject: request.subject,
      entitlements: features.map { .init(key: $0, available: true) } + Self.lacked(features)
        + limits.map { key, maximum in
          .init(
            key: key,
            available: maximum != 0,
            limit: .init(value: maximum.map { .maximum($0) } ?? .unlimited(true))
          )
        },
      validUntil: until.map { .init(milliseconds: $0) }
    )
  }

  /// What else there is: nobody can buy the last one.
  private static func lacked(_ features: [String]) -> [Entitlement_V1.Entitlement] {
    let remote = Entitlement_V1.Entitlement(
      key: "remote",
      available: false,
      unlockedBy: .init(tier: "standard", addons: ["away", "anywhere"])
    )
    return (features.contains("remote") ? [] : [remote]) + [.init(key: "unpaid", available: false)]
  }

  func watch(
    _ request: Entitlement_V1.WatchRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Entitlement_V1.Change>
  ) async throws {
    let (changes, continuation) = AsyncStream<Entitlement_V1.Change>.makeStream()
    let revision = state.withLock { state -> UInt64? in
      guard !state.isDown else { return nil }
      state.watchCount += 1
      state.watchers.append(continuation)
      return state.revision
    }
    guard let revision else { throw RPCError(.unavailable, "down") }
    try await writer.write(.init(revision: revision, kind: .heartbeat))
    for await change in changes { try await writer.write(change) }
  }

  func getPlans(
    _ request: Entitlement_V1.GetPlansRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.GetPlansResponse { throw RPCError(.unimplemented, "") }

  func checkFeature(
    _ request: Entitlement_V1.CheckFeatureRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.CheckResponse { throw RPCError(.unimplemented, "") }

  /// Forty are sold as `standard`, and more as nothing.
  func checkLimit(
    _ request: Entitlement_V1.CheckLimitRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.CheckResponse {
    guard !state.withLock({ $0.isDown }) else { throw RPCError(.unavailable, "down") }
    let isSold = request.currentCount + (request.requested ?? 1) <= 40
    return .init(unlockedBy: .init(tier: isSold ? "standard" : ""))
  }

  func consume(
    _ request: Entitlement_V1.ConsumeRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ConsumeResponse { throw RPCError(.unimplemented, "") }

  func batchCheck(
    _ request: Entitlement_V1.BatchCheckRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.BatchCheckResponse { throw RPCError(.unimplemented, "") }

  func listChanges(
    _ request: Entitlement_V1.ListEntitlementChangesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListEntitlementChangesResponse {
    throw RPCError(.unimplemented, "")
  }
}
