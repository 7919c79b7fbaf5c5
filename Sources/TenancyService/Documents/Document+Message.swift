internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

extension TenancyCore {
  func message(document record: DocumentRecord) -> Tenancy_V1.Document {
    Tenancy_V1.Document(
      collection: record.collection,
      id: record.id,
      json: record.json,
      revision: tokens.token(revision: record.revision),
      createdAt: .init(milliseconds: record.createdAt),
      updatedAt: .init(milliseconds: record.updatedAt)
    )
  }

  func message(written: DocumentWritten) -> Tenancy_V1.DocumentWriteResult {
    Tenancy_V1.DocumentWriteResult(
      collection: written.collection,
      documentId: written.id,
      existed: written.existed,
      revision: tokens.token(revision: written.revision),
      updatedAt: .init(milliseconds: written.updatedAt),
      transformResults: written.transformResults.map(\.text)
    )
  }
}

extension DocumentDraft {
  /// Reads one of a batch; REQUIRED for one that says nothing.
  init(
    _ write: Tenancy_V1.DocumentWrite,
    field: String,
    _ tokens: TokenSealer
  ) throws(RPCError) {
    switch write.write {
    case .put(let put)?:
      self = .put(try DocumentPutDraft(put, field: "\(field).put.", tokens))
    case .delete(let delete)?:
      self = .delete(try DocumentDeletionDraft(delete, tokens))
    case nil: throw ErrorCatalog.tenancy.invalid(field, "REQUIRED", "must have put or delete")
    }
  }
}

extension DocumentPutDraft {
  /// Reads one of a request, whose fields begin with `field`; see `DocumentContent` and `DocumentTransform` for what is
  /// refused.
  init(_ put: Tenancy_V1.DocumentPut, field: String, _ tokens: TokenSealer) throws(RPCError) {
    collection = put.collection
    id = put.documentId
    content = try DocumentContent(json: put.json, field: "\(field)json")
    merges = put.merge
    var transforms: [DocumentTransform] = []
    for (index, transform) in put.transforms.enumerated() {
      transforms.append(
        try DocumentTransform(transform, field: "\(field)transforms[\(index)]")
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

extension DocumentDeletionDraft {
  /// Reads one of a request.
  init(_ delete: Tenancy_V1.DocumentDelete, _ tokens: TokenSealer) throws(RPCError) {
    collection = delete.collection
    id = delete.documentId
    expectedRevision =
      delete.expectedRevision.isEmpty ? nil : try tokens.revision(token: delete.expectedRevision)
  }
}

extension DocumentTransform {
  /// Reads one of a request; REQUIRED for one that does not say to what.
  init(_ transform: Tenancy_V1.FieldTransform, field: String) throws(RPCError) {
    path = try FieldPath(transform.field, field: "\(field).field")
    switch transform.transform {
    case .serverTime(true)?: kind = .serverTime
    case .increment(let amount)?: kind = .increment(amount)
    case .serverTime(false)?, nil:
      throw ErrorCatalog.tenancy.invalid(
        field,
        "REQUIRED",
        "must have server_time (which must be true) or increment"
      )
    }
  }
}

extension DocumentList {
  /// Reads a request; FIELDS_EXCLUSIVE for two orders or two directions.
  init(_ request: Tenancy_V1.ListDocumentsRequest) throws(RPCError) {
    collection = request.collection
    var conditions: [DocumentCondition] = []
    for (index, filter) in request.filters.enumerated() {
      conditions.append(try DocumentCondition(filter, field: "filters[\(index)]"))
    }
    self.conditions = conditions
    guard request.sortBy.isEmpty || request.sortField.isEmpty else {
      throw ErrorCatalog.tenancy.invalid(
        "sort_field",
        "FIELDS_EXCLUSIVE",
        "cannot be set together with sort_by"
      )
    }
    let asked = try RequestedOrder(request.sortBy, descending: request.descending)
    isDescending = asked.isDescending
    order =
      request.sortField.isEmpty
      ? Self.order(by: asked.field)
      : .field(try FieldPath(request.sortField, field: "sort_field"))
  }

  static func order(by field: String) -> DocumentOrder {
    switch field {
    case "created_at": .created
    case "updated_at": .updated
    default: .id
    }
  }
}

extension DocumentCondition {
  /// Reads a filter of a request; FILTER_INVALID when it compares nothing, or with what is no value.
  init(_ filter: Tenancy_V1.DocumentFilter, field: String) throws(RPCError) {
    path = try FieldPath(filter.field, field: "\(field).field")
    var values: [JSONValue] = []
    for (index, text) in filter.values.enumerated() {
      values.append(try Self.scalar(text, field: "\(field).values[\(index)]"))
    }
    self.values = values
    prefix = filter.prefix
    least = try Self.bound(filter.atLeast, field: "\(field).at_least")
    most = try Self.bound(filter.atMost, field: "\(field).at_most")
    guard !values.isEmpty || !prefix.isEmpty || least != nil || most != nil else {
      throw ErrorCatalog.tenancy.invalid(
        "\(field).values",
        "FILTER_INVALID",
        "must be set, or a prefix or bound in its place"
      )
    }
  }
}
