internal import RPCKit
internal import ServiceKit

extension TimeZoneName {
  /// INVALID_ARGUMENT for what is not a name; empty is none at all.
  static func check(_ name: String, field: String) throws(RPCError) {
    guard !name.isEmpty, !isName(name) else { return }
    throw TenancyError.invalidField(
      field,
      "TIME_ZONE_INVALID",
      "is not an IANA time zone; use a name like Europe/Berlin"
    )
  }
}
