internal import CNghttp2
internal import RPCKit

/// The library's callbacks about frames while `receive` or `send` runs.
extension HTTP2Session {
  /// CONTINUATION frames of one block of fields; the limit of fields is reached with two.
  private static let continuationCountMax = 8

  func frameBegins(_ header: nghttp2_frame_hd) {
    look(at: header)
    switch Int(header.type) {
    case Int(NGHTTP2_HEADERS.rawValue):
      continuationCount = 0
    case Int(NGHTTP2_CONTINUATION.rawValue):
      counts.emptyFrameCount += 1
      continuationCount += 1
      if continuationCount > Self.continuationCountMax { counts.hasTooManyContinuations = true }
    case Int(NGHTTP2_DATA.rawValue):
      break
    case Int(NGHTTP2_SETTINGS.rawValue):
      // Each is answered, and can make the table of the compressor anew.
      counts.emptyFrameCount += 10
    default:
      counts.emptyFrameCount += 1
    }
  }

  /// Finds what the library does not: it reads no PRIORITY frame of a client that knows that they mean nothing,
  /// and forgets streams that are closed.
  private func look(at header: nghttp2_frame_hd) {
    let id = UInt32(header.stream_id)
    switch UInt32(header.type) {
    // RFC 9113 section 6.3.
    case NGHTTP2_PRIORITY.rawValue where id == 0: counts.violation = .protocolError
    case NGHTTP2_PRIORITY.rawValue where header.length != 5: counts.violation = .frameSizeError
    // RFC 9113 section 5.1, "closed". DATA on a stream that the library has forgotten is not shown to us.
    case NGHTTP2_HEADERS.rawValue where endedStreams.contains(id):
      counts.violation = .streamClosed
    default: break
    }
  }

  func fieldsBegin(_ id: UInt32, isRequest: Bool) {
    guard isRequest else { return block = HTTP2FieldBlock(streamID: id, received: now) }
    let stream = newStream(id)
    block = stream.request
    stream.request.isUnwanted = fieldRoom <= 0
    counts.openedCount += 1
    streams.set(id, stream)
  }

  /// A stream made of one that is closed, if there is one.
  private func newStream(_ id: UInt32) -> HTTP2Stream {
    guard let stream = spareStreams.popLast() else { return HTTP2Stream(id: id, now: now) }
    stream.begin(id: id, now: now)
    return stream
  }

  func received(field name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    guard let block, !block.isUnwanted else { return }
    guard block.admits(nameByteCount: name.count, valueByteCount: value.count, limits) else {
      block.takeRepeated(recent)
      block.drop()
      return unsafe passOver(name, value)
    }
    let (name, value) = unsafe (name.span, value.span)
    let place = block.count - 1
    if recent.has(at: place, name, value) {
      return block.repeats() ? () : block.take(recent.fields[place])
    }
    block.takeRepeated(recent)
    guard let text = try? UTF8Span(validating: value) else { return block.noteMalformed() }
    let field = HTTPFields.Field(
      name: recent.name(at: place, name) ?? HTTPFieldNames.known(name) ?? HTTP1Syntax.text(name),
      value: String(copying: text)
    )
    recent.note(field, at: place)
    block.take(field)
  }

  /// Of fields that are too many only the short one is looked at that says whom to refuse.
  private func passOver(
    _ name: UnsafeBufferPointer<UInt8>,
    _ value: UnsafeBufferPointer<UInt8>
  ) {
    guard name.count == Self.typeName.utf8.count, value.count <= 128,
      unsafe name.elementsEqual(Self.typeName.utf8)
    else { return }
    unsafe block?.passOver(Self.typeName, String(decoding: value, as: UTF8.self))
  }

  private static let typeName = "content-type"

  func received(content: UnsafePointer<UInt8>, count: Int, _ id: UInt32) {
    guard let input = unsafe input else { return }
    events.append(.content(id, offset: unsafe content - input, count: count))
  }

  func received(_ header: nghttp2_frame_hd, paddingByteCount: Int) {
    let id = UInt32(header.stream_id)
    let isEnd = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
      receivedFields(isEnd: isEnd)
    case NGHTTP2_DATA.rawValue:
      if isEnd {
        if let stream = streams[id] { ended(stream) }
      } else if header.length <= paddingByteCount {
        counts.emptyFrameCount += 1
      }
    case NGHTTP2_RST_STREAM.rawValue:
      // One of a stream that was answered, or never was, is a frame that carries nothing and no more.
      if streams[id]?.isAnswerEnded == false { events.append(.reset(id)) }
      streams[id]?.isRequestEnded = true
    case NGHTTP2_SETTINGS.rawValue:
      hasSettings = true
    case NGHTTP2_PING.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0:
      events.append(.pong)
    default:
      break
    }
  }

  private func receivedFields(isEnd: Bool) {
    guard let block = block.take() else { return }
    block.isEnd = isEnd
    fieldRoom -= block.keptByteCount
    guard let stream = streams[block.streamID] else { return }
    if stream.hasFields {
      block.takeRepeated(recent)
      stream.requestTrailers = block
      ended(stream)
    } else {
      readHead(block)
      // Room for the requests of one read, as few clients send more.
      if events.isEmpty { events.reserveCapacity(48) }
      stream.hasFields = true
      stream.isRequestEnded = isEnd
      events.append(.head(block.streamID))
    }
  }

  /// Makes the head of a block, or takes that of the last request if all fields are the same.
  private func readHead(_ block: HTTP2FieldBlock) {
    if let recentHead, block.isRepeated(recent) { return block.head = .success(recentHead) }
    block.takeRepeated(recent)
    guard !block.isUnwanted else { return }
    let head = Result { [recentHead] () throws(HTTPRequestHead.HTTP2Refusal) in
      try HTTPRequestHead(block, after: recentHead)
    }
    block.head = head
    guard case .success(let head) = head, !block.isTooLarge else { return }
    recent.finish(block.count)
    recentHead = recent.wholeCount == nil ? nil : head
  }

  private func ended(_ stream: HTTP2Stream) {
    stream.isRequestEnded = true
    events.append(.end(stream.id))
  }

  func sent(_ frame: nghttp2_frame_hd, code: UInt32) {
    let id = UInt32(frame.stream_id)
    switch UInt32(frame.type) {
    case NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue:
      if UInt32(frame.type) == NGHTTP2_DATA.rawValue { counts.sentContentCount += 1 }
      if frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { events.append(.answered(id)) }
    case NGHTTP2_RST_STREAM.rawValue:
      switch HTTP2ErrorCode(rawValue: code) {
      // These we send for reasons of our own; all others the client provokes.
      case .noError, .internalError, .cancel: break
      default: counts.provokedResetCount += 1
      }
    case NGHTTP2_GOAWAY.rawValue:
      if code != 0 { goAwayCode = code }
    default:
      break
    }
  }

  func didNotSend(_ frame: nghttp2_frame_hd) {
    guard UInt32(frame.type) == NGHTTP2_HEADERS.rawValue else { return }
    events.append(.unsendable(UInt32(frame.stream_id)))
  }

  func closed(_ id: UInt32) {
    if block?.streamID == id { block = nil }
    guard let stream = streams.remove(id) else { return }
    drop(stream)
    // What the client has ended itself it knows to be over; what this end has reset may be under way still.
    if stream.isRequestEnded { endedStreams.insert(id) }
    events.append(.closed(id))
    stream.end()
    if spareStreams.count < Self.spareStreamCountMax { spareStreams.append(stream) }
  }
}
