internal import RPCKit
internal import ServiceKit
internal import ShelfContracts

/// Answers the calls of `shelf.v1.Items`: users see their own items and no others.
struct ItemsHandler: Shelf_V1.ItemsService {
  private static let itemPrefix = IdentifierPrefix("itm")
  private static let listCountMax = 100

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
    let now = clock.now
    let item = Shelf_V1.Item(
      id: identifiers.make(Self.itemPrefix),
      name: request.name,
      createdAt: .init(milliseconds: now)
    )
    return try await store.write(call, once: request.idempotencyKey, request.protobufBytes) { tx in
      try tx.execute(
        "INSERT INTO item (id, owner, name, created_at) VALUES (?, ?, ?, ?)",
        .text(item.id),
        .text(owner),
        .text(item.name),
        .integer(now)
      )
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
        "SELECT id, name, created_at FROM item WHERE id = ? AND owner = ?",
        .text(request.itemId),
        .text(owner)
      ) { Self.item($0) }
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
        """
        SELECT id, name, created_at FROM item WHERE owner = ?
        ORDER BY created_at DESC, id DESC LIMIT ?
        """,
        .text(owner),
        .integer(Int64(Self.listCountMax))
      ) { Self.item($0) }
    }
    return Shelf_V1.ListItemsResponse(items: items)
  }

  private static func item(_ row: borrowing Row) -> Shelf_V1.Item {
    Shelf_V1.Item(
      id: row.text(0),
      name: row.text(1),
      createdAt: .init(milliseconds: row.integer(2))
    )
  }
}
