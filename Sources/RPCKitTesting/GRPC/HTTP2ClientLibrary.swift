internal import CNghttp2

/// The set-up of libnghttp2 that all client sessions share, and its callbacks.
enum HTTP2ClientLibrary {
  /// Options of every session; never freed, and nothing changes them.
  nonisolated(unsafe) static let options: OpaquePointer = unsafe makeOptions()

  /// Callbacks of every session; as the options.
  nonisolated(unsafe) static let callbacks: OpaquePointer = unsafe makeCallbacks()

  private static func makeOptions() -> OpaquePointer {
    var options: OpaquePointer?
    guard unsafe nghttp2_option_new(&options) == 0, let options = unsafe options else {
      preconditionFailure("out of memory")
    }
    // Windows are given back as messages are taken.
    unsafe nghttp2_option_set_no_auto_window_update(options, 1)
    return unsafe options
  }

  private static func makeCallbacks() -> OpaquePointer {
    var callbacks: OpaquePointer?
    guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks = unsafe callbacks
    else {
      preconditionFailure("out of memory")
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
      unsafe HTTP2ClientLibrary.session(data).received(
        field: UnsafeBufferPointer(start: name, count: nameCount),
        UnsafeBufferPointer(start: value, count: valueCount)
      )
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      _,
      _,
      stream,
      bytes,
      count,
      data in
      unsafe HTTP2ClientLibrary.session(data).received(
        content: UnsafeBufferPointer(start: bytes, count: count),
        UInt32(stream)
      )
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, data in
      guard let frame = unsafe frame else { return 0 }
      let header = unsafe frame.pointee.hd
      let isGoAway = header.type == UInt8(NGHTTP2_GOAWAY.rawValue)
      unsafe HTTP2ClientLibrary.session(data).received(
        header,
        lastStreamID: isGoAway ? UInt32(frame.pointee.goaway.last_stream_id) : 0
      )
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, data in
      guard let frame = unsafe frame else { return 0 }
      unsafe HTTP2ClientLibrary.session(data).sent(frame.pointee.hd)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) {
      _,
      frame,
      _,
      data in
      guard let frame = unsafe frame else { return 0 }
      unsafe HTTP2ClientLibrary.session(data).didNotSend(frame.pointee.hd)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
      _,
      stream,
      code,
      data in
      unsafe HTTP2ClientLibrary.session(data).closed(UInt32(stream), code: code)
      return 0
    }
    return unsafe callbacks
  }

  /// The session that a callback is about.
  static func session(_ data: UnsafeMutableRawPointer?) -> HTTP2ClientSession {
    guard let data = unsafe data else { preconditionFailure("a session calls with itself") }
    return unsafe Unmanaged<HTTP2ClientSession>.fromOpaque(data).takeUnretainedValue()
  }
}
