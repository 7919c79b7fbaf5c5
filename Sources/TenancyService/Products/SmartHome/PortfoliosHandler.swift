internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Portfolios`.
struct PortfoliosHandler: Tenancy_V1.PortfoliosService {
  let core: TenancyCore
  let properties: PropertiesHandler

  func create(
    _ request: Tenancy_V1.CreatePortfolioRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Portfolio {
    let user = try call.requireUser()
    let administrators = request.administratorUserIds
    if try await core.mayCreateRoot(of: SmartHome.portfolio, user) {
      try await core.requireUsers(administrators, field: "administrator_user_ids")
    }
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let record = try changes.create(
        EntityDraft(
          type: SmartHome.portfolio,
          prefix: .portfolio,
          parentID: Forest.systemIdentifier,
          name: request.name
        ),
        tx
      ).record
      let policy = core.policy
      let selfService = policy.selfService(of: SmartHome.portfolio)
      if selfService == nil {
        _ = try changes.grant(
          SmartHome.owner,
          to: user.userID,
          on: record,
          asCreator: true,
          tx
        )
      }
      let role = selfService.map { policy[$0.administratorRole].name }
      for id in administrators where id != user.userID {
        _ = try changes.grant(role ?? SmartHome.portfolioAdmin, to: id, on: record, tx)
      }
      return try core.message(portfolio: changes.current(record, tx), user, tx)
    }
  }

  func list(
    _ request: Tenancy_V1.ListPortfoliosRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListPortfoliosResponse {
    let listed = try await core.places(request, of: SmartHome.portfolio, call) { record, user, tx in
      try core.message(portfolio: record, user, tx)
    }
    return .init(portfolios: listed.items, nextPageToken: listed.nextToken, totalSize: listed.total)
  }

  func get(
    _ request: Tenancy_V1.GetPortfolioRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Portfolio {
    try await core.place(
      request.portfolioId,
      of: SmartHome.portfolio,
      atLeast: request.atLeastRevision,
      call
    ) { held, user, tx in try core.message(portfolio: held.record, user, tx) }
  }

  func update(
    _ request: Tenancy_V1.UpdatePortfolioRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Portfolio {
    let user = try call.requireUser()
    let mask = try UpdateMask(request.updateMask, fields: ["name", "administrator_user_ids"])
    let id = request.portfolioId
    let action = SmartHome.setting(
      "portfolio.set_admins",
      or: "portfolio.manage_admins",
      core.policy
    )
    let list = PlaceList("administrator_user_ids", request.administratorUserIds, mask)
    try await list.requireUsers(on: id, ifMay: action, core, user)
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let held = try changes.held("portfolio.update", on: id, tx)
      try core.requireKept(
        request.current,
        of: held.record,
        asIn: core.message(portfolio: held.record, user, tx)
      )
      let (owner, admin) = (SmartHome.owner, SmartHome.portfolioAdmin)
      let replaces = list.changes(try core.holders(of: [owner, admin], on: held.record, tx))
      if replaces { try changes.require(action, on: id, tx) }
      var record = try changes.update(held, expectedRevision: request.expectedRevision, tx) {
        if let name = request.name, mask.changes("name", isGiven: true) { $0.name = name }
      }
      if replaces {
        try changes.replaceHolders(
          of: admin,
          besides: [owner],
          on: record,
          by: list.userIDs,
          action: action,
          tx
        )
        record = try changes.current(record, tx)
      }
      return try core.message(portfolio: record, user, tx)
    }
  }

  func delete(
    _ request: Tenancy_V1.DeletePortfolioRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteResponse {
    try await core.delete(request.portfolioId, of: SmartHome.portfolio, request, call)
  }

  func createProperty(
    _ request: Tenancy_V1.CreatePortfolioPropertyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Property {
    try await properties.create(
      Tenancy_V1.CreatePropertyRequest(
        portfolioId: request.portfolioId,
        name: request.name,
        address: request.address,
        managerUserIds: request.managerUserIds,
        defaultTimeZone: request.defaultTimeZone,
        idempotencyKey: request.idempotencyKey
      ),
      call
    )
  }

  func listProperties(
    _ request: Tenancy_V1.ListPropertiesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListPropertiesResponse {
    guard !request.portfolioId.isEmpty else {
      throw ErrorCatalog.tenancy.invalid("portfolio_id", "REQUIRED", "is required")
    }
    return try await properties.list(request, call)
  }

  func addAdmin(
    _ request: Tenancy_V1.AddPortfolioAdminRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    // The first product's applications write roles in capital letters.
    let role = request.role.isEmpty ? SmartHome.portfolioAdmin : request.role.lowercased()
    try requireRole(role)
    return try await core.addRole(
      RoleGrant(
        action: "portfolio.manage_admins",
        entityID: request.portfolioId,
        role: role,
        user: try NamedUser(id: request.userId, email: request.email)
      ),
      call,
      request,
      key: \.idempotencyKey
    )
  }

  func removeAdmin(
    _ request: Tenancy_V1.RemovePortfolioAdminRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    // In small or capital letters, as it is given.
    let role = request.role.lowercased()
    if !role.isEmpty { try requireRole(role) }
    return try await core.removeRoles(
      role.isEmpty ? [SmartHome.owner, SmartHome.portfolioAdmin] : [role],
      from: request.userId,
      on: request.portfolioId,
      by: "portfolio.manage_admins",
      call,
      request,
      key: \.idempotencyKey
    )
  }

  private func requireRole(_ role: String) throws(RPCError) {
    guard role == SmartHome.owner || role == SmartHome.portfolioAdmin else {
      throw ErrorCatalog.tenancy.invalid("role", "ROLE_INVALID", "is not a role on a portfolio")
    }
  }
}
