internal import CNghttp2
internal import RPCKit

/// The set-up of the library that all sessions share, and its callbacks.
///
/// Needs libnghttp2 1.52.0-1+deb12u3 of Debian 12 or newer, whose patches (CVE-2023-44487, CVE-2024-28182,
/// CVE-2026-27135) the version number of the library does not show, so nothing here can check them:
/// `scripts/setup` and the build of the image look at the version of the package.
enum HTTP2Library {
  /// Options of every session.
  ///
  /// Never freed; the library copies what it needs, and nothing changes them.
  nonisolated(unsafe) static let options: OpaquePointer = unsafe makeOptions()

  /// Callbacks of every session; as the options.
  nonisolated(unsafe) static let callbacks: OpaquePointer = unsafe makeCallbacks()

  private static func makeOptions() -> OpaquePointer {
    var options: OpaquePointer?
    guard unsafe nghttp2_option_new(&options) == 0, let options = unsafe options else {
      preconditionFailure("out of memory")
    }
    // Windows are given back as content is used.
    unsafe nghttp2_option_set_no_auto_window_update(options, 1)
    // The tree of priorities for which closed streams would be kept is not used (RFC 9113 section 5.3.2), and those
    // that the library keeps to find frames on them take 240 bytes each: `EndedStreams` takes four.
    unsafe nghttp2_option_set_no_closed_streams(options, 1)
    // The library counts every piece of a CONTINUATION frame that is read in pieces, and would end the
    // connections of honest clients at eight; `HTTP2Session` counts frames.
    unsafe nghttp2_option_set_max_continuations(options, Int.max)
    // It answers floods of resets with INTERNAL_ERROR, and counts those of streams that were answered, which
    // some gateways send for each: ours comes first.
    unsafe nghttp2_option_set_stream_reset_rate_limit(options, 1 << 20, 1 << 20)
    // Above what `HTTPLimits.frameCountMax` lets a client have answered at once.
    unsafe nghttp2_option_set_max_outbound_ack(options, 4000)
    unsafe nghttp2_option_set_max_settings(options, 32)
    // Frames of unknown types are dropped, but not before they are counted.
    for type in UInt8(0x0A)...0xFF {
      unsafe nghttp2_option_set_user_recv_extension_type(options, type)
    }
    unsafe nghttp2_option_set_max_send_header_block_length(options, 256 << 10)
    // Answers repeat few fields, and each second brings a new date, which would fill a table of 4 KiB on every
    // connection.
    unsafe nghttp2_option_set_max_deflate_dynamic_table_size(options, 1024)
    return unsafe options
  }

  private static func makeCallbacks() -> OpaquePointer {
    var callbacks: OpaquePointer?
    guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks = unsafe callbacks
    else {
      preconditionFailure("out of memory")
    }
    unsafe nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, data in
      guard let header = unsafe header else { return 0 }
      unsafe HTTP2Library.lend(data) { session in unsafe session.frameBegins(header.pointee) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, data in
      guard let frame = unsafe frame else { return 0 }
      unsafe HTTP2Library.lend(data) { session in
        unsafe session.fieldsBegin(
          UInt32(frame.pointee.hd.stream_id),
          isRequest: frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
        )
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _,
      _,
      name,
      nameCount,
      value,
      valueCount,
      _,
      data in
      unsafe HTTP2Library.lend(data) { session in
        unsafe session.received(
          field: UnsafeBufferPointer(start: name, count: nameCount),
          UnsafeBufferPointer(start: value, count: valueCount)
        )
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) {
      _,
      _,
      _,
      _,
      _,
      _,
      _,
      _ in
      // Left to itself the library would drop the field and go on: a proxy may have read another request.
      NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      _,
      _,
      stream,
      bytes,
      count,
      data in
      guard let bytes = unsafe bytes else { return 0 }
      unsafe HTTP2Library.lend(data) { session in
        unsafe session.received(content: bytes, count: count, UInt32(stream))
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, data in
      guard let frame = unsafe frame else { return 0 }
      let isContent = unsafe frame.pointee.hd.type == UInt8(NGHTTP2_DATA.rawValue)
      unsafe HTTP2Library.lend(data) { session in
        unsafe session.received(
          frame.pointee.hd,
          paddingByteCount: isContent ? frame.pointee.data.padlen : 0
        )
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, data in
      guard let frame = unsafe frame else { return 0 }
      let code =
        switch unsafe UInt32(frame.pointee.hd.type) {
        case NGHTTP2_RST_STREAM.rawValue: unsafe frame.pointee.rst_stream.error_code
        case NGHTTP2_GOAWAY.rawValue: unsafe frame.pointee.goaway.error_code
        default: UInt32(0)
        }
      unsafe HTTP2Library.lend(data) { session in unsafe session.sent(frame.pointee.hd, code: code)
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) {
      _,
      frame,
      _,
      data in
      guard let frame = unsafe frame else { return 0 }
      unsafe HTTP2Library.lend(data) { session in unsafe session.didNotSend(frame.pointee.hd) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_unpack_extension_callback(callbacks) { _, _, _, _ in
      NGHTTP2_ERR_CANCEL.rawValue
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, data in
      unsafe HTTP2Library.lend(data) { session in session.closed(UInt32(stream)) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_send_data_callback(callbacks) {
      _,
      frame,
      header,
      count,
      _,
      data in
      guard let frame = unsafe frame, let header = unsafe header else {
        return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
      }
      return unsafe HTTP2Library.lend(data) { session in
        unsafe session.sendContent(
          UInt32(frame.pointee.hd.stream_id),
          header: UnsafeRawBufferPointer(start: header, count: 9),
          count: count
        )
      }
    }
    return unsafe callbacks
  }

  /// For what is submitted without any flag.
  static let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

  /// Lends the session that a callback is about.
  ///
  /// It is alive, as the caller of the library holds it; a reference that is counted would cost 50 instructions for each
  /// of eight callbacks a call.
  static func lend<Result>(
    _ data: UnsafeMutableRawPointer?,
    _ body: (HTTP2Session) -> Result
  ) -> Result {
    guard let data = unsafe data else { preconditionFailure("a session calls with itself") }
    return unsafe Unmanaged<HTTP2Session>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
  }
}
