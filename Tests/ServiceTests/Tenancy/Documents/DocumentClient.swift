import PeerContracts
import TenancyContracts
import RPCKit

/// The documents of one user, as a program of that user sees them.
struct DocumentClient: Sendable {
  let stage: TenancyStage
  let user: String
  var collection = "moods"

  var calls: Tenancy_V1.DocumentsClient { stage.documents }
  var options: CallOptions { .by(user) }

  @discardableResult
  func put(
    _ id: String,
    _ json: String = "{}",
    merge: Bool = false,
    transforms: [Tenancy_V1.FieldTransform] = [],
    expectedRevision: String = "",
    createOnly: Bool = false,
    key: String = ""
  ) async throws -> Tenancy_V1.DocumentWriteResult {
    try await calls.put(
      .init(
        put: draft(id, json, merge, transforms, expectedRevision, createOnly),
        idempotencyKey: key
      ),
      options: options
    )
  }

  func get(_ id: String) async throws -> Tenancy_V1.Document {
    try await calls.get(.init(collection: collection, documentId: id), options: options)
  }

  @discardableResult
  func delete(
    _ id: String,
    expectedRevision: String = ""
  ) async throws -> Tenancy_V1.DocumentWriteResult {
    try await calls.delete(
      .init(
        delete: .init(
          collection: collection,
          documentId: id,
          expectedRevision: expectedRevision
        )
      ),
      options: options
    )
  }

  @discardableResult
  func write(_ writes: [Tenancy_V1.DocumentWrite]) async throws -> [Tenancy_V1.DocumentWriteResult]
  {
    try await calls.batchWrite(.init(writes: writes), options: options).results
  }

  /// A put for a batch.
  func putting(
    _ id: String,
    _ json: String = "{}",
    merge: Bool = false,
    transforms: [Tenancy_V1.FieldTransform] = [],
    createOnly: Bool = false
  ) -> Tenancy_V1.DocumentWrite {
    .init(write: .put(draft(id, json, merge, transforms, "", createOnly)))
  }

  /// A deletion for a batch.
  func deleting(_ id: String) -> Tenancy_V1.DocumentWrite {
    .init(write: .delete(.init(collection: collection, documentId: id)))
  }

  /// Identifiers on all pages of a list, page after page.
  func pages(
    _ change: (inout Tenancy_V1.ListDocumentsRequest) -> Void = { _ in }
  ) async throws -> [[String]] {
    var request = Tenancy_V1.ListDocumentsRequest(collection: collection)
    change(&request)
    var pages: [[String]] = []
    repeat {
      let page = try await calls.list(request, options: options)
      pages.append(page.documents.map(\.id))
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return pages
  }

  private func draft(
    _ id: String,
    _ json: String,
    _ merge: Bool,
    _ transforms: [Tenancy_V1.FieldTransform],
    _ expectedRevision: String,
    _ createOnly: Bool
  ) -> Tenancy_V1.DocumentPut {
    .init(
      collection: collection,
      documentId: id,
      json: json,
      merge: merge,
      transforms: transforms,
      expectedRevision: expectedRevision,
      createOnly: createOnly
    )
  }
}

extension TenancyStage {
  /// The documents of a user.
  func documents(of user: String, in collection: String = "moods") -> DocumentClient {
    DocumentClient(stage: self, user: user, collection: collection)
  }
}
