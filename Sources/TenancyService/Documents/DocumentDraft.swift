/// A change of a document that a caller asks for, checked as far as it can be without the store.
enum DocumentDraft: Sendable {
  case put(DocumentPutDraft)
  case delete(DocumentDeletionDraft)

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
  /// The beginning of the names of its fields in the request, for errors: `put.`, or nothing.
  let field: String
  let sentByteCount: Int
}

/// A document that a caller wants to be gone.
struct DocumentDeletionDraft: Sendable {
  let collection: String
  let id: String
  /// The revision that the document must still have, if any.
  let expectedRevision: Int64?
}
