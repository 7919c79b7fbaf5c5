internal import COpenSSL

/// The ciphertext on both sides of one session: OpenSSL reads from and writes to it as if it were
/// a socket.
///
/// Takes the place of OpenSSL's memory BIOs, which never give memory back and need one more copy.
struct TLSByteStore: ~Copyable {
  /// Arrived, not yet taken by OpenSSL.
  var inbound = ByteBuffer()
  /// Made by OpenSSL, not yet taken by the transport.
  var outbound = ByteBuffer()

  /// Makes the table of functions that a BIO calls; the caller frees it after the last BIO.
  static func makeMethod() -> OpaquePointer {
    let type = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
    guard let method = unsafe BIO_meth_new(type, "ByteBuffer") else {
      preconditionFailure("no memory for a BIO method")
    }
    unsafe BIO_meth_set_read_ex(method, readFromStore)
    unsafe BIO_meth_set_write_ex(method, writeToStore)
    unsafe BIO_meth_set_ctrl(method, controlStore)
    return unsafe method
  }
}

private func readFromStore(
  _ bio: OpaquePointer?,
  _ target: UnsafeMutablePointer<CChar>?,
  _ room: Int,
  _ taken: UnsafeMutablePointer<Int>?
) -> CInt {
  unsafe COpenSSL_BIO_clear_retry_flags(bio)
  unsafe taken?.pointee = 0
  guard let store = unsafe BIO_get_data(bio)?.assumingMemoryBound(to: TLSByteStore.self),
    let target = unsafe target
  else { return 0 }
  let count = unsafe min(room, store.pointee.inbound.byteCount)
  guard count > 0 else {
    unsafe COpenSSL_BIO_set_retry_read(bio)
    return 0
  }
  unsafe store.pointee.inbound.withUnsafeBytes { bytes in
    unsafe UnsafeMutableRawBufferPointer(start: target, count: count)
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
  }
  unsafe store.pointee.inbound.consume(count)
  unsafe taken?.pointee = count
  return 1
}

private func writeToStore(
  _ bio: OpaquePointer?,
  _ source: UnsafePointer<CChar>?,
  _ count: Int,
  _ written: UnsafeMutablePointer<Int>?
) -> CInt {
  unsafe COpenSSL_BIO_clear_retry_flags(bio)
  guard let store = unsafe BIO_get_data(bio)?.assumingMemoryBound(to: TLSByteStore.self) else {
    return 0
  }
  let bytes = unsafe UnsafeRawBufferPointer(start: source, count: count)
  unsafe store.pointee.outbound.append(Span(_unsafeBytes: bytes))
  unsafe written?.pointee = count
  return 1
}

private func controlStore(
  _ bio: OpaquePointer?,
  _ command: CInt,
  _ number: CLong,
  _ pointer: UnsafeMutableRawPointer?
) -> CLong {
  // A handshake is not finished before its last flight is flushed; everything else is optional.
  command == BIO_CTRL_FLUSH ? 1 : 0
}
