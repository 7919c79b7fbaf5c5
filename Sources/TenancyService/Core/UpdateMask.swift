internal import RPCKit
internal import ServiceKit

/// Which fields of a request to change: those that it names, or without a mask those that are given.
struct UpdateMask {
  private let paths: Set<String>

  /// INVALID_ARGUMENT for the name of a field that cannot be changed.
  init(_ mask: Google_Protobuf.FieldMask?, fields: Set<String>) throws(RPCError) {
    paths = Set(mask?.paths ?? [])
    guard paths.isSubset(of: fields) else {
      throw ErrorCatalog.tenancy.invalid(
        "update_mask",
        "FIELD_UNKNOWN",
        "must name fields among: \(fields.sorted().joined(separator: ", "))"
      )
    }
  }

  /// Whether a field is changed that is `isGiven`, or was left at its default.
  func changes(_ field: String, isGiven: Bool) -> Bool {
    paths.isEmpty ? isGiven : paths.contains(field)
  }

  /// Whether a part of a message is changed: `city` of `address`, because the mask names `address.city` or all of
  /// `address`.
  func changes(_ part: String, of field: String, isGiven: Bool) -> Bool {
    changes(field, isGiven: isGiven) || paths.contains("\(field).\(part)")
  }
}
