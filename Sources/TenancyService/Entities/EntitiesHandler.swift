internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Entities`: entities of every type that the policy has.
struct EntitiesHandler: Tenancy_V1.EntitiesService {
  let core: TenancyCore

  func create(
    _ request: Tenancy_V1.CreateEntityRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Entity {
    _ = try call.requireUser()
    let (core, checked, new) = (core, core.policy, request.entity ?? .init())
    // Before the write's turn: looking at attributes takes a while.
    let draft = try EntityDraft(new, field: "entity", checked)
    return try await core.write(
      call,
      key: request.idempotencyKey,
      request: AttributeMapping.bytes(of: request, [new.attributes]) {
        $0.entity?.attributes = nil
      },
      heads: .any
    ) { changes, tx in
      let policy = core.policy
      let isAsChecked = policy === checked
      let (record, level) = try changes.create(
        isAsChecked ? draft : EntityDraft(new, field: "entity", policy),
        tx
      )
      return core.message(entity: record, accessLevel: level, policy)
    }
  }

  func batchCreate(
    _ request: Tenancy_V1.BatchCreateEntitiesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.BatchCreateEntitiesResponse {
    _ = try call.requireUser()
    let (core, checked) = (core, core.policy)
    let drafts = try drafts(request, checked)
    return try await core.write(
      call,
      key: request.idempotencyKey,
      request: AttributeMapping.bytes(of: request, request.entities.map(\.attributes)) { request in
        for index in request.entities.indices { request.entities[index].attributes = nil }
      },
      heads: .any
    ) { changes, tx in
      // Another policy may be in force by now.
      let isAsChecked = core.policy === checked
      var response = Tenancy_V1.BatchCreateEntitiesResponse()
      let drafts = isAsChecked ? drafts : try self.drafts(request, core.policy)
      for record in try changes.create(drafts, tx) {
        response.entityIds.append(record.id)
        response.revision = core.tokens.token(revision: record.revision)
      }
      return response
    }
  }

  private func drafts(
    _ request: Tenancy_V1.BatchCreateEntitiesRequest,
    _ policy: Policy
  ) throws -> [EntityDraft] {
    try request.entities.enumerated().map { index, new in
      try EntityDraft(new, field: "entities[\(index)]", policy)
    }
  }

  func get(
    _ request: Tenancy_V1.GetEntityRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Entity {
    let (user, core) = (try call.requireUser(), core)
    try await core.reach(atLeast: request.atLeastRevision)
    return try await core.read { tx in
      let held = try core.require(.view, on: request.entityId, user, tx)
      return core.message(entity: held.record, held.explanation)
    }
  }

  func update(
    _ request: Tenancy_V1.UpdateEntityRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Entity {
    let core = core
    return try await core.write(
      call,
      key: request.idempotencyKey,
      request: AttributeMapping.bytes(
        of: request,
        [request.attributes, request.current?.attributes]
      ) { request in
        request.attributes = nil
        var current = request.current
        current?.attributes = nil
        request.current = current
      },
      heads: .any
    ) { changes, tx in
      let held = try core.require(.update, on: request.entityId, changes.user, tx)
      try core.requireKept(
        request.current,
        of: held.record,
        asIn: core.message(entity: held.record, changes.viewing(held, tx))
      )
      let record = try changes.update(
        held,
        name: request.name,
        attributes: request.attributes,
        expectedRevision: request.expectedRevision,
        tx
      )
      return core.message(entity: record, held.explanation)
    }
  }

  func move(
    _ request: Tenancy_V1.MoveEntityRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Entity {
    let core = core
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let held = try core.require(.move, on: request.entityId, changes.user, tx)
      try core.requireRevision(request.expectedRevision, of: held.record)
      let record = try changes.move(held, under: request.parentId, tx)
      return core.message(entity: record, held.explanation)
    }
  }

  func delete(
    _ request: Tenancy_V1.DeleteEntityRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteEntityResponse {
    let core = core
    let response = try await core.write(call, request, key: \.idempotencyKey) {
      changes,
      tx in
      let held = try core.require(.delete, on: request.entityId, changes.user, tx)
      let deletion = try changes.delete(
        held.record,
        DeletionOptions(cascades: request.cascade, isDryRun: request.dryRun),
        tx
      )
      return Tenancy_V1.DeleteEntityResponse(
        deleted: deletion.deleted.map { .init(type: $0.name, count: UInt64($0.count)) },
        endedRoleCount: UInt64(deletion.endedRoles.reduce(0) { $0 + $1.count }),
        revision: core.tokens.token(revision: deletion.revision),
        holderCount: UInt64(deletion.holderCount),
        deletionId: deletion.recordID
      )
    }
    if !response.deletionId.isEmpty { core.endings?.wake() }
    if !request.dryRun { core.familyEndings?.wake() }
    return response
  }
}
