internal import COpenSSL

/// ALPN names as RFC 7301 section 3.1 writes them: each behind one byte of length.
struct ApplicationProtocolList {
  /// The names, the preferred one first.
  let names: [[UInt8]]

  /// The names as a client sends them.
  var wire: [UInt8] { names.flatMap { [UInt8($0.count)] + $0 } }

  init(_ names: [String]) throws(TLSError) {
    self.names = names.map { Array($0.utf8) }
    guard !names.isEmpty, self.names.allSatisfy({ (1...255).contains($0.count) }),
      wire.count <= UInt16.max
    else {
      throw TLSError(
        .refusedBySecurityLevel,
        "ALPN needs at least one name, of 1 to 255 bytes each and 65535 together: \(names)"
      )
    }
  }
}

/// Picks our most preferred name that the client has too, or refuses the client.
func selectApplicationProtocol(
  _ ssl: OpaquePointer?,
  _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ selectedCount: UnsafeMutablePointer<UInt8>?,
  _ offered: UnsafePointer<UInt8>?,
  _ offeredCount: CUnsignedInt,
  _ ours: UnsafeMutableRawPointer?
) -> CInt {
  guard let selected = unsafe selected, let selectedCount = unsafe selectedCount,
    let ours = unsafe ours?.assumingMemoryBound(to: ApplicationProtocolList.self)
  else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  let offer = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))

  // By hand, because `SSL_select_next_proto` may return a pointer into our list, which here is a
  // Swift array whose address lasts only for the call.
  for name in unsafe ours.pointee.names {
    var index = 0
    while index < offer.count {
      let end = unsafe index + 1 + Int(offer[index])
      guard end <= offer.count else { return SSL_TLSEXT_ERR_ALERT_FATAL }
      if unsafe name.elementsEqual(offer[(index + 1)..<end]) {
        unsafe selected.pointee = offer.baseAddress.map { unsafe $0 + index + 1 }
        unsafe selectedCount.pointee = offer[index]
        return SSL_TLSEXT_ERR_OK
      }
      index = end
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}

/// Refuses a client that sends no ALPN at all; the selection above is not asked then.
func refuseHelloWithoutApplicationProtocol(
  _ ssl: OpaquePointer?,
  _ alert: UnsafeMutablePointer<CInt>?,
  _ context: UnsafeMutableRawPointer?
) -> CInt {
  var bytes: UnsafePointer<UInt8>?
  var count = 0
  let type = CUnsignedInt(TLSEXT_TYPE_application_layer_protocol_negotiation)
  if unsafe SSL_client_hello_get0_ext(ssl, type, &bytes, &count) == 1 {
    return SSL_CLIENT_HELLO_SUCCESS
  }
  // Otherwise the log would say no more than "callback failed".
  COpenSSL_raise_no_application_protocol()
  unsafe alert?.pointee = SSL_AD_NO_APPLICATION_PROTOCOL
  return SSL_CLIENT_HELLO_ERROR
}
