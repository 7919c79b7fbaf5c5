internal import RPCKit
internal import ServiceKit

/// An object of which clients send back all that they have read, as interfaces that show it in a form do.
protocol PutBackMessage: Message {
  /// The revision that was read.
  var revision: String { get }
  /// The fields that an update of it cannot change.
  static var readOnlyFields: [ReadOnlyField<Self>] { get }
}

extension TenancyCore {
  /// Throws unless what a client sends back of an object is what it is shown of it now, as far as an update cannot
  /// change it.
  ///
  /// A revision that is another one by now is ABORTED before any field is looked at: then the object has changed, and
  /// not the client's copy of it.
  func requireKept<Object: PutBackMessage>(
    _ given: Object?,
    of record: EntityRecord,
    asIn shown: @autoclosure () throws -> Object
  ) throws {
    guard let given else { return }
    try requireRevision(given.revision, of: record)
    let shown = try shown()
    guard let field = Object.readOnlyFields.firstChanged(in: given, of: shown) else { return }
    throw EntityError.fieldReadOnly("current.\(field)")
  }
}
