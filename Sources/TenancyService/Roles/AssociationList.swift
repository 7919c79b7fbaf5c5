internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// The query of a list of associations, apart from the caller.
struct AssociationList: PagedRequest, Sendable {
  /// The user, or the entity.
  enum Anchor: Sendable {
    case user(String)
    /// Of one role, if that is not empty.
    case entity(String, role: String)
  }

  let anchor: Anchor
  /// Without those whose time is over or has not come.
  var isInForce: Bool
  var pageSize: UInt32
  var pageToken: String

  init(_ anchor: Anchor, _ request: some AssociationListRequest) {
    (self.anchor, isInForce) = (anchor, request.inForce)
    (pageSize, pageToken) = (request.pageSize, request.pageToken)
  }
}

/// A request for a list of associations.
protocol AssociationListRequest: PagedRequest {
  var inForce: Bool { get }
}

extension Tenancy_V1.ListByUserRequest: AssociationListRequest {}
extension Tenancy_V1.ListByEntityRequest: AssociationListRequest {}
extension Tenancy_V1.ListRolesByUserRequest: AssociationListRequest {}
extension Tenancy_V1.ListRolesByEntityRequest: AssociationListRequest {}
extension Tenancy_V1.ListTenantsRequest: AssociationListRequest {}

extension TenancyCore {
  /// A page of associations in the order in which they were given.
  func page(
    _ list: AssociationList,
    method: String,
    _ caller: Caller
  ) async throws -> (items: [Tenancy_V1.RoleAssociation], nextToken: String) {
    var condition: String
    var values: [SQLValue]
    let filter: [String]
    switch list.anchor {
    case .user(let id):
      (condition, values) = ("a.user_id = ?", [.text(id)])
      filter = [method, id]
    case .entity(let id, let role):
      (condition, values) = ("a.entity_id = ?", [.text(id)])
      filter = [method, id, role]
      if !role.isEmpty {
        condition += " AND (a.role = ? OR d.name = ?)"
        values += [.text(role), .text(role)]
      }
    }
    if list.isInForce {
      condition += """
         AND (a.valid_from IS NULL OR a.valid_from <= ?)
        AND (a.valid_until IS NULL OR a.valid_until > ?)
        """
      values += [.integer(clock.now), .integer(clock.now)]
    }
    let asked = try asked(list, for: filter + ["\(list.isInForce)"], caller)
    let after = asked.cursor.flatMap { Int64($0[0]) } ?? 0
    let query = condition
    let arguments = values + [.integer(after), .integer(asked.size + 1)]
    let rows = try await read { tx in
      try tx.query(
        AssociationRecord.columns,
        "WHERE \(query) AND a.added > ? ORDER BY a.added LIMIT ?",
        values: arguments
      )
    }
    return page(of: rows, asked, after: { ["\($0.added)"] }) { message(association: $0) }
  }
}
