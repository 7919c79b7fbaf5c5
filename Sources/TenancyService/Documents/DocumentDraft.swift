internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// A change of a document that a caller asks for, checked as far as it can be without the store.
enum DocumentDraft: Sendable {
  case put(DocumentPutDraft)
  case delete(DocumentDeletionDraft)

  /// Reads one of a batch; REQUIRED for one that says nothing.
  init(
    _ write: Tenancy_V1.DocumentWrite,
    field: String,
    _ tokens: TokenSealer
  ) throws(RPCError) {
    switch write.write {
    case .put(let put)?:
      self = .put(try DocumentPutDraft(put, field: "\(field).put", tokens))
    case .delete(let delete)?:
      self = .delete(try DocumentDeletionDraft(delete, tokens))
    case nil: throw ErrorCatalog.tenancy.invalid(field, "REQUIRED", "must have put or delete")
    }
  }

  /// Bytes that it took to read it, about.
  var byteCount: Int {
    switch self {
    case .put(let put): put.sentByteCount
    case .delete: 0
    }
  }
}

/// A document as a caller wants to have it.
struct DocumentPutDraft: Sendable {
  let collection: String
  let id: String
  let content: DocumentContent
  let merges: Bool
  let transforms: [DocumentTransform]
  /// The revision that the document must still have, if any.
  let expectedRevision: Int64?
  let createsOnly: Bool
  /// Where it is in the request, for errors.
  let field: String
  let sentByteCount: Int

  /// Reads one of a request; see `DocumentContent` and `DocumentTransform` for what is refused.
  init(_ put: Tenancy_V1.DocumentPut, field: String, _ tokens: TokenSealer) throws(RPCError) {
    collection = put.collection
    id = put.documentId
    content = try DocumentContent(json: put.json, field: "\(field).json")
    merges = put.merge
    var transforms: [DocumentTransform] = []
    for (index, transform) in put.transforms.enumerated() {
      transforms.append(
        try DocumentTransform(transform, field: "\(field).transforms[\(index)]")
      )
    }
    self.transforms = transforms
    expectedRevision =
      put.expectedRevision.isEmpty ? nil : try tokens.revision(token: put.expectedRevision)
    createsOnly = put.createOnly
    self.field = field
    sentByteCount = put.json.utf8.count
  }
}

/// A document that a caller wants to be gone.
struct DocumentDeletionDraft: Sendable {
  let collection: String
  let id: String
  /// The revision that the document must still have, if any.
  let expectedRevision: Int64?

  /// Reads one of a request.
  init(_ delete: Tenancy_V1.DocumentDelete, _ tokens: TokenSealer) throws(RPCError) {
    collection = delete.collection
    id = delete.documentId
    expectedRevision =
      delete.expectedRevision.isEmpty ? nil : try tokens.revision(token: delete.expectedRevision)
  }
}
