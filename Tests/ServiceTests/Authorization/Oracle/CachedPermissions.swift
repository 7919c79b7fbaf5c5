import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Synchronization
import Testing

@testable import ServiceTesting

/// The five-minute cache of a service, filled by TenancyService, with a clock that can be put forward.
final class CachedPermissions: Sendable {
  let permissions: Permissions
  private let product: Product
  private let kind: OracleProduct
  private let channel: Channel
  private let loop: ShiftedLoop
  private let registry = MetricRegistry()
  private let listener = Lock<Task<Void, Never>?>(nil)
  /// Gets and loses a role, to see when changes arrive.
  private let (owner, witness): (Person, Person)
  /// What the witness sees, a root; nothing of the estate.
  let witnessed: String

  init(_ product: Product, _ kind: OracleProduct) async throws {
    (self.product, self.kind) = (product, kind)
    channel = try product.channel(of: "entitlement", to: "tenancy")
    loop = ShiftedLoop(product.loops.loops[0])
    permissions = Permissions(
      channel,
      clock: product.clock,
      loop: loop,
      logger: Logger(label: "cache", level: .critical, sink: CollectingSink()),
      metrics: PermissionMetrics(registry)
    )
    owner = try await product.signUp("witness.owner")
    witness = try await product.signUp("witness")
    witnessed = try await product.entities.create(
      .init(entity: .init(type: kind.rootType, name: "witnessed")),
      options: try await product.call(owner)
    ).id
    listen()
  }

  /// Puts the clock of the cache forward by milliseconds.
  func advance(by milliseconds: Int64) { loop.advance(by: milliseconds) }

  /// Begins to hear of changes.
  func listen() {
    listener.withLock { $0 = Task { [permissions] in await permissions.run() } }
  }

  /// Hears of no more changes.
  func stopListening() async {
    let task = listener.withLock { $0.take() }
    task?.cancel()
    await task?.value
  }

  func end() async {
    await stopListening()
    await channel.close()
  }

  /// Answers that were given without a call, so far.
  var hits: Int {
    let name = #"gatehouse_service_permission_cache_lookups_total{result="hit"} "#
    let text = String(decoding: registry.render(), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
  }

  private func isSeen() async throws -> Bool {
    try await permissions.check(witness.id, kind.viewAction, witnessed).isAllowed
  }

  /// Gives the witness its role, or takes it away.
  private func toggle() async throws -> Bool {
    // Roles of a family take a PIN.
    let options =
      kind.name == "family"
      ? try await product.call(owner, provingPINFor: "family.enter_parent_mode")
      : try await product.call(owner)
    let isAdmin = try await product.permissions.check(
      .init(action: kind.viewAction, entityId: witnessed),
      options: try await product.call(witness)
    ).allowed
    if isAdmin {
      _ = try await product.roles.revoke(
        .init(entityId: witnessed, role: kind.administratorRole, userId: witness.id),
        options: options
      )
    } else {
      _ = try await product.roles.grant(
        .init(
          role: .init(entityId: witnessed, role: kind.administratorRole, userId: witness.id)
        ),
        options: options
      )
    }
    return !isAdmin
  }

  /// Waits until the stream is believed and an answer about the witness is remembered.
  func beWarm() async throws {
    let isWarm = try await product.eventually {
      _ = try await isSeen()
      let before = hits
      _ = try await isSeen()
      if hits > before { return true }
      // A change is pushed at once, and a sign of life only every three seconds.
      _ = try await toggle()
      return false
    }
    try #require(isWarm, "the push stream does not come back")
  }

  /// Waits until every change so far was pushed: they come in order, and the witness's is the last.
  ///
  /// The old answer about the witness is remembered, so the new one cannot come by itself; see
  /// `beWarm`.
  func hearEverything() async throws {
    let isAdmin = try await toggle()
    let isHeard = try await product.eventually { try await isSeen() == isAdmin }
    try #require(isHeard, "a change was not pushed")
  }
}
