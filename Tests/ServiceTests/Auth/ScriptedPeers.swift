import Contracts
import RPCKit
import ServiceKit

/// TenancyService and EntitlementService as far as AuthService asks them: what they answer is set by
/// the test.
final class ScriptedPeers: Sendable {
  struct State {
    var associations: [String: [Tenancy_V1.RoleAssociation]] = [:]
    /// Entities that are seen through a role on what they are in: `user/entity`.
    var inherited: Set<String> = []
    /// Products that users bought.
    var products: [String: [String]] = [:]
    /// Features that users have, bought or not.
    var features: [String: [String]] = [:]
    /// Users who administer everything.
    var operators: Set<String> = []
    /// What TenancyService tells of everybody: sections with their records.
    var tenancyExport: [(section: String, records: [String])] = [("audit", [])]
    /// Verified addresses that it was told of users whose accounts were exported.
    var exportedEmails: [String] = []
    /// Runs as it is asked for an export.
    var onExport: (@Sendable () async throws -> Void)?
    var isTenancyDown = false
    var isEntitlementDown = false
  }

  private let state = Lock(State())

  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
  func read<Value>(_ body: (State) throws -> Value) rethrows -> Value {
    let state = state.withLock { $0 }
    return try body(state)
  }

  /// Gives a user a role.
  func give(_ user: String, _ role: String, on id: String, _ type: String) {
    change { state in
      state.associations[user, default: []].append(
        .init(id: "asc_\(id)", userId: user, entityType: type, entityId: id, role: role)
      )
    }
  }

  var services: [ServiceDefinition] {
    [
      Associations(peers: self).definition, Permissions(peers: self).definition,
      Entitlements(peers: self).definition, TenancyExports(peers: self).definition,
      EntitlementExports(peers: self).definition,
    ]
  }

  private static let down = RPCError(.unavailable, "down")
  private static let unused = RPCError(.unimplemented, "not asked by AuthService")

  private struct Associations: Tenancy_V1.AssociationsService {
    let peers: ScriptedPeers

    /// Two a page, so that paging is walked.
    func listByUser(
      _ request: Tenancy_V1.ListByUserRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.ListAssociationsResponse {
      try peers.read { state in
        guard !state.isTenancyDown else { throw down }
        let all = state.associations[request.userId] ?? []
        let start = Int(request.pageToken) ?? 0
        let page = all.dropFirst(start).prefix(2)
        let next = start + page.count
        return .init(
          associations: Array(page),
          nextPageToken: next < all.count ? "\(next)" : ""
        )
      }
    }

    func listByEntity(
      _ request: Tenancy_V1.ListByEntityRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.ListAssociationsResponse { throw unused }

    func revokeSuperAdmin(
      _ request: Tenancy_V1.RevokeSuperAdminRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.RemoveRoleResponse { throw RPCError(.unimplemented, "") }

    func grantSuperAdmin(
      _ request: Tenancy_V1.GrantSuperAdminRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.RoleAssociation { throw unused }
  }

  private struct Permissions: Tenancy_V1.PermissionsService {
    let peers: ScriptedPeers

    func batchCheck(
      _ request: Tenancy_V1.BatchCheckRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.BatchCheckResponse {
      try peers.read { state in
        guard !state.isTenancyDown else { throw down }
        return .init(
          decisions: request.checks.map { check in
            .init(allowed: state.inherited.contains("\(check.subjectId)/\(check.entityId)"))
          }
        )
      }
    }

    func check(
      _ request: Tenancy_V1.CheckRequest,
      _ call: CallContext
    ) throws -> Reply<Tenancy_V1.Decision> {
      try peers.read { state in
        guard !state.isTenancyDown else { throw down }
        guard request.action == "system.administer", request.entityId == "sys_root" else {
          throw unused
        }
        let isAllowed = state.operators.contains(request.subjectId)
        return .now(.init(allowed: isAllowed, reason: isAllowed ? .allowed : .noAssociation))
      }
    }

    func listActions(
      _ request: Tenancy_V1.ListActionsRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.ListActionsResponse { throw unused }

    func listSubjects(
      _ request: Tenancy_V1.ListSubjectsRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.ListSubjectsResponse { throw unused }

    func explain(
      _ request: Tenancy_V1.ExplainRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.Explanation { throw unused }

    func fetch(
      _ request: Tenancy_V1.FetchPermissionsRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.FetchPermissionsResponse { throw unused }

    func listAccessible(
      _ request: Tenancy_V1.ListAccessibleRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.ListAccessibleResponse { throw unused }

    func watchChanges(
      _ request: Tenancy_V1.WatchChangesRequest,
      _ call: CallContext,
      to writer: ResponseWriter<Tenancy_V1.Change>
    ) async throws { throw unused }
  }

  private struct TenancyExports: Tenancy_V1.TenancyExportsService {
    let peers: ScriptedPeers

    func exportUser(
      _ request: Tenancy_V1.ExportUserRequest,
      _ call: CallContext,
      to writer: ResponseWriter<Tenancy_V1.ExportPart>
    ) async throws {
      peers.change { $0.exportedEmails.append(request.verifiedEmail) }
      let state = peers.read { $0 }
      try await state.onExport?()
      for (section, records) in state.tenancyExport {
        try await writer.write(.init(section: section, records: records))
      }
      // Whoever fails may have told something before.
      if state.isTenancyDown { throw down }
    }
  }

  private struct EntitlementExports: Entitlement_V1.EntitlementExportsService {
    let peers: ScriptedPeers

    func exportUser(
      _ request: Entitlement_V1.ExportUserRequest,
      _ call: CallContext,
      to writer: ResponseWriter<Entitlement_V1.ExportPart>
    ) async throws {
      try await writer.write(.init(section: "audit"))
      if peers.read({ $0.isEntitlementDown }) { throw down }
    }
  }

  private struct Entitlements: Entitlement_V1.EntitlementsService {
    let peers: ScriptedPeers

    func get(
      _ request: Entitlement_V1.GetEntitlementsRequest,
      _ call: CallContext
    ) async throws -> Entitlement_V1.GetEntitlementsResponse {
      try peers.read { state in
        guard !state.isEntitlementDown else { throw down }
        let user = request.subject?.id ?? ""
        let available = state.features[user] ?? []
        return .init(
          tier: "free",
          entitlements: ["analytics", "compliancePack"].map { key in
            .init(key: key, available: available.contains(key))
          },
          products: state.products[user] ?? []
        )
      }
    }

    func checkFeature(
      _ request: Entitlement_V1.CheckFeatureRequest,
      _ call: CallContext
    ) async throws -> Entitlement_V1.CheckResponse { throw unused }

    func checkLimit(
      _ request: Entitlement_V1.CheckLimitRequest,
      _ call: CallContext
    ) async throws -> Entitlement_V1.CheckResponse { throw unused }

    func consume(
      _ request: Entitlement_V1.ConsumeRequest,
      _ call: CallContext
    ) async throws -> Entitlement_V1.ConsumeResponse { throw unused }

    func listChanges(
      _ request: Entitlement_V1.ListEntitlementChangesRequest,
      _ call: CallContext
    ) async throws -> Entitlement_V1.ListEntitlementChangesResponse { throw unused }

    func batchCheck(
      _ request: Entitlement_V1.BatchCheckRequest,
      _ call: CallContext
    ) async throws -> Entitlement_V1.BatchCheckResponse { throw unused }

    func watch(
      _ request: Entitlement_V1.WatchRequest,
      _ call: CallContext,
      to writer: ResponseWriter<Entitlement_V1.Change>
    ) async throws { throw unused }
  }
}
