internal import RPCKit
internal import ServiceKit
internal import ShelfContracts

/// Answers the calls of `shelf.v1.Items`: users see their own items and no others.
struct ItemsHandler: Shelf_V1.ItemsService {
  private static let itemPrefix = IdentifierPrefix("itm")
  private static let listCountMax = 100

  private static let columns = RecordColumns<Shelf_V1.Item>(
    "item",
    beside: ["owner"],
    .text("id", \.id),
    .text("name", \.name),
    .integer("created_at") { $0.createdAt?.milliseconds ?? 0 }
  ) { row in
    Shelf_V1.Item(
      id: row.text(),
      name: row.text(),
      createdAt: .init(milliseconds: row.integer())
    )
  }

  let store: ServiceStore
  let identifiers: IdentifierFactory
  let clock: any WallClock

  /// An item that does not exist or belongs to somebody else: the same answer, so that nobody can find
  /// out which items there are.
  static let notFound = RPCError(
    .notFound,
    reason: "NOT_FOUND",
    domain: ServiceDomain.of(ShelfService.identity.name),
    message: "object not found"
  )

  func add(
    _ request: Shelf_V1.AddItemRequest,
    _ call: CallContext
  ) async throws -> Shelf_V1.Item {
    let owner = try call.requireUser().userID
    let item = Shelf_V1.Item(
      id: identifiers.make(Self.itemPrefix),
      name: request.name,
      createdAt: .init(milliseconds: clock.now)
    )
    return try await store.write(call, once: request.idempotencyKey, request.protobufBytes) { tx in
      try tx.insert(item, Self.columns, beside: .text(owner))
      try tx.audit("item.add", object: item.id)
      return item
    }
  }

  func get(
    _ request: Shelf_V1.GetItemRequest,
    _ call: CallContext
  ) async throws -> Shelf_V1.Item {
    let owner = try call.requireUser().userID
    let item = try await store.read { tx in
      try tx.first(
        Self.columns,
        "WHERE id = ? AND owner = ?",
        .text(request.itemId),
        .text(owner)
      )
    }
    guard let item else { throw Self.notFound }
    return item
  }

  func list(
    _ request: Shelf_V1.ListItemsRequest,
    _ call: CallContext
  ) async throws -> Shelf_V1.ListItemsResponse {
    let owner = try call.requireUser().userID
    let items = try await store.read { tx in
      try tx.query(
        Self.columns,
        "WHERE owner = ? ORDER BY created_at DESC, id DESC LIMIT ?",
        .text(owner),
        .integer(Self.listCountMax)
      )
    }
    return Shelf_V1.ListItemsResponse(items: items)
  }
}
