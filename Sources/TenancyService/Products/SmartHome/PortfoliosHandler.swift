internal import AccessEngine
internal import Contracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Portfolios`.
struct PortfoliosHandler: Tenancy_V1.PortfoliosService {
  let core: TenancyCore
  let properties: PropertiesHandler

  private static let creation = "portfolio.create"

  func create(
    _ request: Tenancy_V1.CreatePortfolioRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Portfolio {
    let user = try call.requireUser()
    let core = core
    let administrators = request.administratorUserIds
    let ruling = try await core.ruling(
      Self.creation,
      on: Forest.systemIdentifier,
      type: SmartHome.system,
      user
    )
    if mayCreate(ruling) {
      try await core.requireUsers(administrators, field: "administrator_user_ids")
    }
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      try requireMayCreate(user, tx)
      let policy = core.policy
      guard let system = try tx.entity(Forest.systemIdentifier, type: SmartHome.system) else {
        preconditionFailure("the store has no system")
      }
      let record = try changes.insert(
        SmartHome.portfolio,
        .portfolio,
        under: system,
        name: request.name,
        tx
      )
      let creator = policy.selfService.map { policy[$0.creatorRole].name } ?? SmartHome.owner
      let other = policy.selfService.map { policy[$0.administratorRole].name }
      _ = try changes.grant(creator, to: user.userID, on: record, tx)
      for id in administrators where id != user.userID {
        _ = try changes.grant(other ?? SmartHome.portfolioAdmin, to: id, on: record, tx)
      }
      return try core.message(portfolio: record, user, tx)
    }
  }

  /// Users may when self-service is on, unless they may do nothing at all.
  private func mayCreate(_ ruling: Ruling) -> Bool {
    let isSelfService =
      ruling.reason != .subjectSuspended && ruling.policy.selfService?.isEnabled == true
    return ruling.isAllowed || isSelfService
  }

  private func requireMayCreate(
    _ user: UserIdentity,
    _ tx: borrowing WriteTransaction
  ) throws {
    let ruling = try core.decide(
      Self.creation,
      on: Forest.systemIdentifier,
      type: SmartHome.system,
      user,
      tx
    )
    guard !mayCreate(ruling) else { return }
    core.denied(user, Self.creation, Forest.systemIdentifier, ruling.reason)
    throw ruling.reason == .subjectSuspended
      ? TenancyError.denied(ruling.evidence, action: Self.creation)
      : TenancyError.selfServiceDisabled
  }

  func list(
    _ request: Tenancy_V1.ListPortfoliosRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListPortfoliosResponse {
    let user = try call.requireUser()
    try await core.reach(atLeast: request.atLeastRevision)
    let list = EntityList(
      action: "portfolio.view",
      type: SmartHome.portfolio,
      text: request.text,
      sortBy: request.sortBy,
      pageSize: request.pageSize,
      pageToken: request.pageToken
    )
    let page = try await core.page(list, call, user)
    let filled = try await core.read { tx in
      try core.fill(page, tx) { try core.message(portfolio: $0, user, tx) }
    }
    return Tenancy_V1.ListPortfoliosResponse(
      portfolios: filled.items,
      nextPageToken: filled.nextToken,
      totalSize: UInt64(page.total)
    )
  }

  func get(
    _ request: Tenancy_V1.GetPortfolioRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Portfolio {
    let user = try call.requireUser()
    try await core.reach(atLeast: request.atLeastRevision)
    let id = request.portfolioId
    try await core.permit("portfolio.view", on: id, type: SmartHome.portfolio, user)
    return try await core.read { tx in
      let record = try tx.known(id, type: SmartHome.portfolio)
      return try core.message(portfolio: record, user, tx)
    }
  }

  func update(
    _ request: Tenancy_V1.UpdatePortfolioRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Portfolio {
    let user = try call.requireUser()
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      let id = request.portfolioId
      try core.require("portfolio.update", on: id, type: SmartHome.portfolio, user, tx)
      let before = try tx.known(id, type: SmartHome.portfolio)
      try core.requireRevision(request.expectedRevision, of: before)
      var after = before
      if let name = request.name { after.name = name }
      let record = try changes.update(from: before, to: after, action: "portfolio.update", tx)
      return try core.message(portfolio: record, user, tx)
    }
  }

  func delete(
    _ request: Tenancy_V1.DeletePortfolioRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteResponse {
    let user = try call.requireUser()
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      let id = request.portfolioId
      try core.require("portfolio.delete", on: id, type: SmartHome.portfolio, user, tx)
      let portfolio = try tx.known(id, type: SmartHome.portfolio)
      let keeping = try changes.keeping(
        devicesOf: portfolio,
        home: request.moveDevicesTo,
        deletesDevices: request.deleteDevices,
        tx
      )
      return try changes.delete(
        portfolio,
        .init(cascades: request.cascade, isDryRun: request.dryRun, keeping: keeping),
        tx
      )
    }
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
      throw TenancyError.invalidField("portfolio_id", "REQUIRED", "is required")
    }
    return try await properties.list(request, call)
  }

  func addAdmin(
    _ request: Tenancy_V1.AddPortfolioAdminRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    let role = request.role.isEmpty ? SmartHome.portfolioAdmin : request.role
    try requireRole(role)
    return try await core.addRole(
      RoleGrant(
        action: "portfolio.manage_admins",
        type: SmartHome.portfolio,
        entityID: request.portfolioId,
        role: role,
        user: try NamedUser(id: request.userId, email: request.email)
      ),
      key: request.idempotencyKey,
      request: request,
      call
    )
  }

  func removeAdmin(
    _ request: Tenancy_V1.RemovePortfolioAdminRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    let user = try call.requireUser()
    if !request.role.isEmpty { try requireRole(request.role) }
    let roles =
      request.role.isEmpty ? [SmartHome.owner, SmartHome.portfolioAdmin] : [request.role]
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      let id = request.portfolioId
      try core.require("portfolio.manage_admins", on: id, type: SmartHome.portfolio, user, tx)
      let portfolio = try tx.known(id, type: SmartHome.portfolio)
      return try changes.revoke(roles, from: request.userId, on: portfolio, tx)
    }
  }

  private func requireRole(_ role: String) throws(RPCError) {
    guard role == SmartHome.owner || role == SmartHome.portfolioAdmin else {
      throw TenancyError.invalidField("role", "ROLE_INVALID", "is not a role on a portfolio")
    }
  }
}
