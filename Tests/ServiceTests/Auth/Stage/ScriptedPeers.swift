import PeerContracts
import RPCKit
import ServiceKit

/// TenancyService and EntitlementService as far as AuthService asks them: what they answer is set by
/// the test.
final class ScriptedPeers: Sendable {
  struct State {
    var associations: [String: [Tenancy_V1.RoleAssociation]] = [:]
    /// Users whom an operator has suspended.
    var suspended: Set<String> = []
    /// Entities that are seen through a role on what they are in: `user/entity`.
    var inherited: Set<String> = []
    /// Who is what in families: roles by user, by family.
    var families: [String: [String: String]] = [:]
    /// The families of children.
    var children: [String: String] = [:]
    /// Devices of children that are paired, as `usr_… ipad`.
    var childDevices: Set<String> = []
    /// Runs while TenancyService pairs a device of a child.
    var onPairing: (@Sendable () async throws -> Void)?
    /// People whom a user may see.
    var visiblePeople: [String: Set<String>] = [:]
    /// Products that users bought.
    var products: [String: [String]] = [:]
    /// Features that users have, bought or not.
    var features: [String: [String]] = [:]
    /// Users who administer everything.
    var operators: Set<String> = []
    var supporters: Set<String> = []
    /// What TenancyService tells of everybody: sections with their records.
    var tenancyExport: [(section: String, records: [String])] = [("audit", [])]
    /// Verified addresses that it was told of users whose accounts were exported.
    var exportedEmails: [String] = []
    /// Runs as it is asked for an export.
    var onExport: (@Sendable () async throws -> Void)?
    var isTenancyDown = false
    var isEntitlementDown = false
    /// What users would leave without anybody who must be there.
    var soleHoldings: [String: [String]] = [:]
    /// What TenancyService was last told of accounts, by user.
    var areReportsRefused = false
    var accountStates: [String: Tenancy_V1.SetAccountStateRequest] = [:]
    /// What the services were asked to erase, in order: `tenancy usr_… cursor`.
    var erasing: [String] = []
    /// Addresses whose invitations TenancyService was to end with a user, by user.
    var erasedAddresses: [String: [String]] = [:]
    /// Users whom a service has erased, as `tenancy usr_…`.
    var erased: Set<String> = []
    /// Says before each part of erasing how it is to end; by itself it works.
    var erasureFault: (@Sendable (_ count: Int) -> ErasureFault?)?
  }

  /// How a part of erasing ends that does not end well.
  enum ErasureFault: Sendable {
    /// Nothing was done.
    case refused
    /// It was done, and the answer is lost.
    case answerLost
    /// It was done, and has to be done again from its beginning.
    case repeated
  }

  /// Parts in which a service erases a user.
  static let erasurePartCount = 3

  private let state = Lock(State())

  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
  func changing<Value>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }
  func read<Value>(_ body: (State) throws -> Value) rethrows -> Value {
    let state = state.withLock { $0 }
    return try body(state)
  }

  /// Gives a user a role.
  func give(_ user: String, _ role: String, on id: String, _ type: String) {
    change { state in
      state.associations[user, default: []].append(
        .init(
          id: "asc_\(id)",
          userId: user,
          entityType: type,
          entityId: id,
          role: role,
          inApp: true
        )
      )
    }
  }

  var services: [ServiceDefinition] {
    [
      Associations(peers: self).definition, Permissions(peers: self).definition,
      Entitlements(peers: self).definition, TenancyExports(peers: self).definition,
      EntitlementExports(peers: self).definition, Erasure(peers: self).definition,
      Holders(peers: self).definition, People(peers: self).definition,
      ChildDevices(peers: self).definition,
    ]
  }

  /// Does a part of erasing a user; the cursor of the next one, empty when all was done.
  private func erase(_ userID: String, in service: String, from cursor: String) throws -> String {
    let fault = state.withLock { state -> ErasureFault? in
      state.erasing.append("\(service) \(userID) \(cursor)")
      return state.erasureFault?(state.erasing.count)
    }
    if case .refused = fault { throw Self.down }
    let part = (Int(cursor) ?? 0) + 1
    let isLast = part >= Self.erasurePartCount
    if isLast { state.withLock { _ = $0.erased.insert("\(service) \(userID)") } }
    if case .answerLost = fault { throw Self.down }
    if case .repeated = fault { return "0" }
    return isLast ? "" : "\(part)"
  }

  private struct Erasure: Tenancy_V1.ErasureService {
    let peers: ScriptedPeers

    func listSoleHoldings(
      _ request: Tenancy_V1.ListSoleHoldingsRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.ListSoleHoldingsResponse {
      try peers.read { state in
        guard !state.isTenancyDown else { throw down }
        let held = state.soleHoldings[request.userId] ?? []
        return .init(
          holdings: held.map { .init(entityId: $0, entityType: "portfolio", role: "owner") },
          count: UInt32(held.count)
        )
      }
    }

    func setAccountState(
      _ request: Tenancy_V1.SetAccountStateRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.SetAccountStateResponse {
      try peers.read { state in
        guard !state.isTenancyDown, !state.areReportsRefused else { throw down }
        guard request.refuseLast, let sole = state.soleHoldings[request.userId], !sole.isEmpty
        else { return }
        throw Self.mustHandOver(sole)
      }
      return peers.changing { state in
        if let known = state.accountStates[request.userId], known.version > request.version {
          return .init(version: known.version)
        }
        state.accountStates[request.userId] = request
        return .init(version: request.version)
      }
    }

    private static func mustHandOver(_ entities: [String]) -> RPCError {
      RPCError(
        .failedPrecondition,
        reason: "MUST_HAND_OVER",
        domain: "gatehouse.tenancy",
        message: "hand over first",
        metadata: ["count": "\(entities.count)", "entities": entities.joined(separator: " ")]
      )
    }

    func eraseUser(
      _ request: Tenancy_V1.EraseUserRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.EraseUserResponse {
      try peers.read { state in
        guard !state.isTenancyDown else { throw down }
        guard let sole = state.soleHoldings[request.userId], !sole.isEmpty else { return }
        throw Self.mustHandOver(sole)
      }
      if request.cursor.isEmpty {
        peers.change { $0.erasedAddresses[request.userId] = request.addresses }
      }
      let next = try peers.erase(request.userId, in: "tenancy", from: request.cursor)
      return .init(finished: next.isEmpty, cursor: next)
    }
  }

  private struct Holders: Entitlement_V1.HoldersService {
    let peers: ScriptedPeers

    func eraseUser(
      _ request: Entitlement_V1.EraseUserRequest,
      _ call: CallContext
    ) async throws -> Entitlement_V1.EraseUserResponse {
      try peers.read { state in if state.isEntitlementDown { throw down } }
      let next = try peers.erase(request.userId, in: "entitlement", from: request.cursor)
      return .init(finished: next.isEmpty, cursor: next)
    }

    func end(
      _ request: Entitlement_V1.EndHolderRequest,
      _ call: CallContext
    ) async throws -> Entitlement_V1.EndHolderResponse { throw unused }
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
        if state.suspended.contains(request.userId) { return .init(userSuspended: true) }
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

    func revokeSupport(
      _ request: Tenancy_V1.RevokeSupportRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.RemoveRoleResponse { throw unused }

    func grantSupport(
      _ request: Tenancy_V1.GrantSupportRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.RoleAssociation { throw unused }
  }

  private struct People: Tenancy_V1.PeopleService {
    let peers: ScriptedPeers

    func lookup(
      _ request: Tenancy_V1.LookupPeopleRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.LookupPeopleResponse {
      try peers.read { state in
        guard !state.isTenancyDown else { throw down }
        let visible = state.visiblePeople[request.askerId] ?? []
        return .init(userIds: request.userIds.filter { visible.contains($0) })
      }
    }
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
            if check.action.hasPrefix("family.") { return Self.decision(check, state) }
            if let allowed = Self.rolesOfChildren[check.action] {
              let family = state.children[check.entityId] ?? ""
              let role = state.families[family]?[check.subjectId] ?? ""
              return .init(allowed: allowed.contains(role))
            }
            return .init(allowed: state.inherited.contains("\(check.subjectId)/\(check.entityId)"))
          }
        )
      }
    }

    private static let rolesOfChildren = [
      "child.pair_devices": ["organizer", "parent"], "child.manage_account": ["organizer"],
    ]

    /// As the policy of families decides.
    private static func decision(
      _ check: Tenancy_V1.CheckRequest,
      _ state: State
    ) -> Tenancy_V1.Decision {
      guard let role = state.families[check.entityId]?[check.subjectId] else {
        return .init(reason: .entityUnknown)
      }
      guard check.action == "family.set_pin" else { return .init(reason: .stepUpRequired) }
      let isAllowed = role == "organizer"
      return .init(allowed: isAllowed, reason: isAllowed ? .allowed : .roleLacksAction)
    }

    func check(
      _ request: Tenancy_V1.CheckRequest,
      _ call: CallContext
    ) throws -> Reply<Tenancy_V1.Decision> {
      try peers.read { state in
        guard !state.isTenancyDown else { throw down }
        guard ["system.administer", "system.inspect"].contains(request.action),
          request.entityId == "sys_root"
        else { throw unused }
        let isAllowed =
          state.operators.contains(request.subjectId)
          || request.action == "system.inspect" && state.supporters.contains(request.subjectId)
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
    ) async throws -> Tenancy_V1.ListSubjectsResponse {
      try peers.read { state in
        guard request.action == "family.pair_devices" else { throw unused }
        let parents = (state.families[request.entityId] ?? [:]).filter {
          ["organizer", "parent"].contains($0.value)
        }
        return .init(subjects: parents.sorted { $0.key < $1.key }.map { .init(userId: $0.key) })
      }
    }

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

  private struct ChildDevices: Tenancy_V1.ChildDevicesService {
    let peers: ScriptedPeers

    func pair(
      _ request: Tenancy_V1.PairChildDeviceRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.PairChildDeviceResponse {
      try peers.read { state in if state.isTenancyDown { throw down } }
      try await peers.read { $0.onPairing }?()
      return peers.changing { state in
        state.childDevices.insert("\(request.userId) \(request.deviceId)")
        return .init(
          pairingId: "par_\(request.deviceId)",
          familyId: state.children[request.childId] ?? "",
          childName: "Ann"
        )
      }
    }

    func unpair(
      _ request: Tenancy_V1.UnpairChildDeviceRequest,
      _ call: CallContext
    ) async throws -> Tenancy_V1.UnpairChildDeviceResponse {
      try peers.read { state in if state.isTenancyDown { throw down } }
      let place = "\(request.userId) \(request.deviceId)"
      return .init(unpaired: peers.changing { $0.childDevices.remove(place) != nil })
    }
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

    func getPlans(
      _ request: Entitlement_V1.GetPlansRequest,
      _ call: CallContext
    ) async throws -> Entitlement_V1.GetPlansResponse {
      guard peers.read({ !$0.isEntitlementDown }) else { throw down }
      return .init(plans: request.subjects.map { .init(tier: "pro", subject: $0) })
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
