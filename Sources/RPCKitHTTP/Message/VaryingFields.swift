internal import RPCKit

/// Names of fields whose values differ from one request of a client to the next, and which say nothing of how a call is
/// read from its request: they are metadata of it, or a reading takes them from its own head.
///
/// Only these: a name that is not here has the head read as if it were the first.
enum VaryingFields {
  static func contain(_ name: String) -> Bool {
    // Lengths first, as most names differ in them.
    switch (name.utf8.count, name) {
    case (2, "b3"), (6, "cookie"), (7, "baggage"), (10, "tracestate"), (11, "traceparent"),
      (11, "x-b3-spanid"), (12, "x-b3-traceid"), (12, "x-request-id"), (13, "authorization"),
      (14, "content-length"),
      (15, "idempotency-key"), (15, "x-forwarded-for"), (16, "x-correlation-id"),
      (17, "x-b3-parentspanid"):
      true
    default: false
    }
  }
}

extension HTTPRequestHead {
  /// Whether two requests ask for the same in the same way: all is equal but values of fields that vary.
  func asksLike(_ other: HTTPRequestHead) -> Bool {
    let (own, others) = (fields.fields, other.fields.fields)
    guard method == other.method, path == other.path, query == other.query,
      authority == other.authority, version == other.version, own.count == others.count
    else { return false }
    for index in own.indices {
      guard own[index].name == others[index].name,
        own[index].value == others[index].value || VaryingFields.contain(own[index].name)
      else { return false }
    }
    return true
  }
}

extension Metadata {
  /// The metadata of a request whose head asks for the same as that of which this is, with its own values of the fields
  /// that vary.
  ///
  /// Nil where a pair is not that of one field. See `HTTPRequestHead.asksLike`.
  func withVaryingValues(of fields: HTTPFields) -> Metadata? {
    var (metadata, place) = (self, 0)
    for field in fields.fields where place < count && field.name == entries[place].key {
      if VaryingFields.contain(field.name) { metadata.setValue(field.value, at: place) }
      place += 1
    }
    return place == count ? metadata : nil
  }
}
