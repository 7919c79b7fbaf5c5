internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.RoleDefinitions`: roles of tenants' own.
struct RoleDefinitionsHandler: Tenancy_V1.RoleDefinitionsService {
  let core: TenancyCore

  func put(
    _ request: Tenancy_V1.PutRoleDefinitionRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleDefinition {
    let draft = RoleDefinitionRecord(
      id: "",
      rootID: request.entityId,
      name: request.name,
      baseRole: request.baseRole,
      actions: Set(request.actions).sorted()
    )
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      _ = try changes.requireDefining(on: request.entityId, tx)
      let expected = request.expectedRevision
      return core.message(
        definition: try changes.define(draft, expectedRevision: expected, tx)
      )
    }
  }

  func list(
    _ request: Tenancy_V1.ListRoleDefinitionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListRoleDefinitionsResponse {
    let (user, core) = (try call.requireUser(), core)
    let (definitions, revision) = try await core.read { tx in
      try core.requireListing(on: request.entityId, user, tx)
      let definitions = try RoleDefinitionTable.all(of: request.entityId, in: tx).map {
        core.message(definition: $0)
      }
      return (definitions, try tx.newestRevision())
    }
    return Tenancy_V1.ListRoleDefinitionsResponse(
      definitions: try await core.named(definitions),
      revision: core.tokens.token(revision: revision)
    )
  }

  func delete(
    _ request: Tenancy_V1.DeleteRoleDefinitionRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteRoleDefinitionResponse {
    try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      _ = try changes.requireDefining(on: request.entityId, onlyDeletes: true, tx)
      let record = try RoleDefinitionTable.find(request.name, of: request.entityId, in: tx)
      let revision = try record.map { try changes.removeDefinition($0, tx) }
      return Tenancy_V1.DeleteRoleDefinitionResponse(
        deleted: record != nil,
        revision: core.tokens.token(revision: revision ?? tx.revision)
      )
    }
  }
}

extension TenancyCore {
  func message(definition record: RoleDefinitionRecord) -> Tenancy_V1.RoleDefinition {
    Tenancy_V1.RoleDefinition(
      id: record.id,
      entityId: record.rootID,
      name: record.name,
      baseRole: record.baseRole,
      actions: record.actions,
      definedBy: record.definedBy,
      createdAt: .init(milliseconds: record.createdAt),
      updatedAt: .init(milliseconds: record.updatedAt),
      revision: tokens.token(revision: record.revision)
    )
  }
}
