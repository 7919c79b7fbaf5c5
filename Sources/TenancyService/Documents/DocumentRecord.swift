internal import ServiceKit

/// The head of a document, without its content.
struct DocumentHead: Hashable, Sendable {
  /// Of the content, for the audit log.
  var digest: [UInt8]
  /// The size in its owner's quota.
  var byteCount: Int64
  /// The revision of its last change.
  var revision: Int64
  /// Milliseconds since 1970.
  var createdAt: Int64
}

/// A document as the store keeps it.
struct DocumentRecord: Hashable, Sendable {
  var collection: String
  var id: String
  var json: String
  /// The revision of its last change.
  var revision: Int64
  /// Milliseconds since 1970.
  var createdAt: Int64
  /// Milliseconds since 1970.
  var updatedAt: Int64

  /// The size in its owner's quota.
  var byteCount: Int64 { Self.byteCount(json, as: id, in: collection) }

  /// The size of a document in its owner's quota.
  static func byteCount(_ json: String, as id: String, in collection: String) -> Int64 {
    Int64(collection.utf8.count + id.utf8.count + json.utf8.count)
  }
}

/// One document on its way to a page of a list.
struct DocumentEntry: Sendable {
  let id: String
  let byteCount: Int64
  /// The key it is sorted by, before its identifier.
  let key: SQLValue
}

/// One change of a collection.
struct DocumentChange: Sendable {
  let id: String
  let revision: Int64
  let isDeletion: Bool
}

struct CollectionSize: Hashable, Sendable {
  var collection: String
  var documentCount: Int64
  var byteCount: Int64
}
