/// A change that the person's screens show, from `GET /watch`.
public struct AppEvent: Decodable, Hashable, Sendable {
  /// Its kind: `device`, `document`, `invitation`, `points`, `rights`, `plan`, `profile`, or a newer one.
  public var kind: String
  /// The object, if it is about one.
  public var objectId: String?
  /// The object's type; for `resync`, which objects to read again.
  public var objectType: String?
  /// The collection of a document.
  public var collection: String?
  /// The object was deleted, or the person may no longer see it.
  public var gone: Bool?
  /// The device as it is now.
  public var device: JSONValue?
  /// The document as it is now.
  public var document: JSONValue?
  /// The invitation as it is now.
  public var invitation: JSONValue?
}
