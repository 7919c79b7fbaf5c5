// Fuzz target: what clients put into X-Forwarded-For and Forwarded before a proxy writes its own words there.
@testable import RPCKit
@testable import RPCKitHTTP

/// What must hold whatever a client sends: the client is the one that the proxy saw, or unknown, and never one of the
/// client's choice.
enum ForwardedProperties {
  static func check(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    for field in TrustedProxies.Field.allCases {
      let entries =
        field == .forwarded
        ? ["for=203.0.113.7", "for=\"203.0.113.7:80\";proto=https", "proto=http;for=203.0.113.7"]
        : ["203.0.113.7", "203.0.113.7:80"]
      for entry in entries {
        // As proxies write it: behind the client's line, or on a line of its own.
        let joined = source([text + ", " + entry], field)
        precondition(joined == "203.0.113.7" || joined == "proxy")
        precondition(field == .forwarded || joined == "203.0.113.7")
        precondition(source([text, entry], field) == "203.0.113.7")
      }
      // A proxy that adds nothing: an address, or nothing that is believed.
      _ = source([text], field)
    }
  }

  private static func source(_ lines: [String], _ field: TrustedProxies.Field) -> String? {
    var proxies = TrustedProxies()
    proxies.networks = [AddressNetwork(ipv4: [10], 8)]
    proxies.field = field
    let fields = HTTPFields(lines.map { HTTPFields.Field(name: field.rawValue, value: $0) })
    return proxies.client(of: fields, through: Peer(address: "10.0.0.9:1", source: "proxy"))?.source
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForwarded(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  ForwardedProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
