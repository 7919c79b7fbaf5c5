internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// Documents by their paths, as clients of REST expect them: each call is one of the others with fewer choices.
extension DocumentsHandler {
  func set(
    _ request: Tenancy_V1.SetDocumentRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DocumentWriteResult {
    let put = Tenancy_V1.DocumentPut(
      collection: request.collection,
      documentId: request.documentId,
      json: request.json,
      expectedRevision: request.expectedRevision,
      createOnly: request.createOnly
    )
    let draft = try DocumentPutDraft(put, field: "", core.tokens)
    return try await write([.put(draft)], call, request, key: \.idempotencyKey) { $0[0] }
  }

  func merge(
    _ request: Tenancy_V1.MergeDocumentRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DocumentWriteResult {
    let put = Tenancy_V1.DocumentPut(
      collection: request.collection,
      documentId: request.documentId,
      json: request.json,
      merge: true,
      expectedRevision: request.expectedRevision
    )
    let draft = try DocumentPutDraft(put, field: "", core.tokens)
    return try await write([.put(draft)], call, request, key: \.idempotencyKey) { $0[0] }
  }

  func remove(
    _ request: Tenancy_V1.RemoveDocumentRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DocumentWriteResult {
    let deletion = Tenancy_V1.DocumentDelete(
      collection: request.collection,
      documentId: request.documentId,
      expectedRevision: request.expectedRevision
    )
    let draft = try DocumentDeletionDraft(deletion, core.tokens)
    return try await write([.delete(draft)], call, request, key: \.idempotencyKey) { $0[0] }
  }

  func browse(
    _ request: Tenancy_V1.BrowseDocumentsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListDocumentsResponse {
    let asked = Tenancy_V1.ListDocumentsRequest(
      collection: request.collection,
      filters: request.filter.map { [$0] } ?? [],
      sortBy: request.sortBy,
      pageSize: request.pageSize,
      pageToken: request.pageToken,
      atLeastRevision: request.atLeastRevision,
      page: request.page
    )
    return try await page(of: try DocumentList(request), asked, call)
  }
}

extension DocumentList {
  /// Stands before the fields of documents in an order.
  private static let fieldPrefix = "json."

  /// Reads a query.
  init(_ request: Tenancy_V1.BrowseDocumentsRequest) throws(RPCError) {
    collection = request.collection
    conditions =
      if let filter = request.filter {
        [try DocumentCondition(filter, field: "filter")]
      } else {
        []
      }
    let asked = RequestedOrder(request.sortBy)
    isDescending = asked.isDescending
    if asked.field.hasPrefix(Self.fieldPrefix) {
      let name = String(asked.field.dropFirst(Self.fieldPrefix.count))
      order = .field(try FieldPath(name, field: "sort_by"))
    } else {
      order = Self.order(by: asked.field)
    }
  }
}
