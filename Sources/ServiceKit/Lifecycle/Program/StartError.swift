internal import Glibc
internal import RPCKit

/// Why a service cannot start: the setting that it is about, what is wrong, and what to do.
struct StartError: Error, Equatable, CustomStringConvertible {
  let description: String

  /// A store that cannot be used.
  init(_ error: StoreError, in place: StorePlace) {
    description = "setting \(place.server == nil ? "database" : "store"): \(error)"
  }

  /// Certificates that cannot be used.
  init(tls error: any Error) {
    description = "setting tls: \(error)"
  }

  /// An address that cannot be listened at.
  init(_ setting: String, _ error: ListenError) {
    let advice =
      switch error.cause.errno {
      case EADDRINUSE: "stop what listens there already, or set \(setting) to another address"
      case EADDRNOTAVAIL:
        "the address is not one of this machine's; set \(setting) to one of its addresses, or to "
          + "0.0.0.0 for all"
      case EACCES where error.address.port != nil:
        "this user may not listen on the port; set \(setting) to one above 1023"
      case EACCES, ENOENT, EROFS:
        "the socket needs an existing folder that this user may write to; set \(setting) to another "
          + "path"
      default: "set \(setting) to another address"
      }
    description = "setting \(setting): \(error); \(advice)"
  }
}
