internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Associations`.
struct AssociationsHandler: Tenancy_V1.AssociationsService {
  let core: TenancyCore

  func listByUser(
    _ request: Tenancy_V1.ListByUserRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    let user = try await core.listedUser(request.userId, call)
    return try await core.associations(.init(of: user, request), call)
  }

  func listByEntity(
    _ request: Tenancy_V1.ListByEntityRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    try await core.associations(
      .init(on: request.entityId, role: request.role, request),
      call
    )
  }
}

extension TenancyCore {
  /// A list of associations as an answer: those of a user whom the caller may ask about and who is not
  /// suspended, or those on an entity if the policy lets the caller see them.
  func associations(
    _ list: AssociationList,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    var isSuspended = false
    switch list.anchor {
    case .user(let id):
      // A suspended user reads nothing of a tenant, whatever service asks for it; operators read what they
      // have to decide on.
      let isOperator = call.caller.user.map { $0.userID != id } ?? false
      let suspension = engine.peek { $0.isSuspended(id) ? $0.revision : nil }
      isSuspended = suspension != nil
      if let suspension, !isOperator {
        return .init(revision: tokens.token(revision: suspension), userSuspended: true)
      }
      // Anyone who signs up holds nothing yet: memory knows that, and reading the store for it would
      // keep checks waiting while many sign in.
      let revision = engine.peek { $0.isKnownToHoldNothing(id) ? $0.revision : nil }
      if let revision, list.pageToken.isEmpty {
        return Tenancy_V1.ListAssociationsResponse(
          revision: tokens.token(revision: revision),
          userSuspended: isSuspended
        )
      }
    case .entity(let id, _): try await requireListing(on: id, try call.requireUser())
    }
    let page = try await page(
      list,
      method: "\(call.method.service)/\(call.method.method)",
      call.caller
    )
    return Tenancy_V1.ListAssociationsResponse(
      associations: page.items,
      nextPageToken: page.nextToken,
      revision: tokens.token(revision: page.revision),
      userSuspended: isSuspended
    )
  }

  private func requireListing(on id: String, _ user: UserIdentity) async throws {
    _ = try await read { [self] tx in try requireListing(on: id, user, tx) }
  }

  /// Throws unless the policy lets a user see who has which role on an entity.
  @discardableResult
  func requireListing(
    on id: String,
    _ user: UserIdentity,
    _ tx: borrowing ReadTransaction
  ) throws -> HeldEntity {
    // Who administers everything is nobody's to read.
    let record = try EntityTable.all([id], in: tx).first.flatMap {
      $0.type == BuiltIn.system ? nil : $0
    }
    let action = record.flatMap { policy.action(of: .listAssociations, on: $0.type) }
    let deed = EntityDeed.listAssociations.rawValue
    return try require(action, deed, on: id, record, user, tx)
  }

  /// Whether the policy lets a user see who has which role on an entity of a type.
  func mayList(
    on id: String,
    type: String,
    _ user: UserIdentity,
    _ tx: borrowing ReadTransaction
  ) throws -> Bool {
    guard type != BuiltIn.system, let action = policy.action(of: .listAssociations, on: type) else {
      return false
    }
    let explanation = try ruling(action, on: id, type: type, user, tx)
    return explanation.isAllowed
  }
}
