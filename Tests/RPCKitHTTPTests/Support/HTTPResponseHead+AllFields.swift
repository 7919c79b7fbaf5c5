@testable import RPCKitHTTP

extension HTTPResponseHead {
  /// All header fields but those of the wire.
  var allFields: HTTPFields {
    var all = common?.fields ?? [:]
    for field in fields.fields { all.append(field.name, field.value) }
    if let contentLength { all.append("content-length", String(contentLength)) }
    return all
  }
}
