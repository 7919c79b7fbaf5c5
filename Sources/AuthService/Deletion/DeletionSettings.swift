internal import ServiceKit

/// How accounts are deleted.
public struct DeletionSettings: Sendable {
  /// How long a deletion can be cancelled before anything is erased, in milliseconds; 0 erases at once.
  public var grace: Int64 = 7 * 86_400_000
  /// How long it is remembered that something was deleted, in milliseconds: longer than any backup is kept
  /// that could bring it back.
  public var memory: Int64 = 400 * 86_400_000

  /// The defaults.
  public init() {}

  /// Reads the setting `deletion`; what is not there keeps its default.
  init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    if let hours = members.optional("grace_hours") {
      grace = try hours.integer(in: 0...(90 * 24)) * 3_600_000
    }
    if let days = members.optional("remembered_days") {
      memory = try days.integer(in: 30...3650) * 86_400_000
    }
    try members.finish()
  }
}
