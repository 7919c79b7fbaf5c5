internal import RPCKit

extension HTTP1Connection {
  /// The most bytes of a request that are read and dropped so that the connection can be used again.
  static let droppedByteCountMax = 64 << 10

  /// Bytes of shared content that are copied into the output at a time.
  private static let sharedPieceByteCount = 64 << 10

  // MARK: - Writing

  /// Writes what is known of the answer to the current request.
  ///
  /// At the end of the request and at the end of each turn, not as the exchange speaks: an answer that is complete
  /// by then has a length, and whether the request is complete decides on what becomes of the connection.
  func writeAnswer() {
    guard isInUse, let transaction else { return }
    if case .begun(let head) = transaction.answer { writeHead(head, transaction) }
    guard case .written(let framing) = transaction.answer else { return }
    let isWhole =
      sharedContent == nil
      ? writeContent(framing, of: transaction) : writeShared(framing, of: transaction)
    guard transaction.hasAnswerEnded, sharedContent == nil else { return }
    complete(transaction, isWhole: isWhole && !transaction.isBrokenOff)
  }

  private func writeHead(_ head: HTTPResponseHead, _ transaction: HTTP1Transaction) {
    let framing = framing(of: head, transaction)
    if case .untilClose = framing { transaction.isPersistent = false }
    if phase == .draining || !mayFinishRequest(transaction) { transaction.isPersistent = false }
    HTTP1ResponseHead(
      head: head,
      content: said(framing, head, transaction),
      isLast: !transaction.isPersistent,
      date: configuration.dates.now
    ).append(to: &output)
    transaction.answer = .written(framing)
  }

  /// Whether the rest of the request has come, or will within little.
  private func mayFinishRequest(_ transaction: HTTP1Transaction) -> Bool {
    guard !transaction.hasRequestEnded else { return true }
    // A client that got no 100 (Continue) may send the content or leave it out (RFC 9110 section 10.1.1).
    guard transaction.hasAnswerEnded, !transaction.awaitsContinue,
      let missing = missingContentByteCount
    else { return false }
    return missing <= Self.droppedByteCountMax
  }

  private func framing(
    of head: HTTPResponseHead,
    _ transaction: HTTP1Transaction
  ) -> HTTP1Transaction.Framing {
    if transaction.isEmpty(head.status) { return .empty }
    if let given = head.contentLength { return .length(given) }
    if transaction.hasAnswerEnded, !transaction.isBrokenOff { return .length(content.byteCount) }
    return transaction.exchange.head.version == .http1_0 ? .untilClose : .chunked
  }

  private func said(
    _ framing: HTTP1Transaction.Framing,
    _ head: HTTPResponseHead,
    _ transaction: HTTP1Transaction
  ) -> HTTP1ResponseHead.Content {
    switch framing {
    case .length(let byteCount): return .length(byteCount)
    case .chunked: return .chunked
    case .untilClose: return .unsaid
    case .empty:
      // Of the lengths that an answer to GET would have (RFC 9110 section 8.6), and 204 has none.
      if head.status == 204 { return .unsaid }
      if let given = head.contentLength { return .length(given) }
      let isKnown = transaction.hasAnswerEnded && !content.isEmpty && head.status != 304
      return isKnown ? .length(content.byteCount) : .unsaid
    }
  }

  /// Frames the content that waits; false when the answer, as far as it goes, is not as long as was said.
  private func writeContent(
    _ framing: HTTP1Transaction.Framing,
    of transaction: HTTP1Transaction
  ) -> Bool {
    var waiting = ByteBuffer()
    swap(&waiting, &content)
    switch framing {
    case .empty: return true
    case .untilClose: waiting.withBytes { output.append($0) }
    case .chunked:
      guard !waiting.isEmpty else { return true }
      output.append(text: String(waiting.byteCount, radix: 16) + "\r\n")
      waiting.withBytes { output.append($0) }
      output.append(text: "\r\n")
    case .length(let missing):
      let byteCount = max(0, min(missing, waiting.byteCount))
      waiting.withBytes { output.append($0.extracting(first: byteCount)) }
      transaction.answer = .written(.length(missing - waiting.byteCount))
      return missing == waiting.byteCount
    }
    return true
  }

  /// Frames as much of shared content as there is room for, which is the rest when the output has gone out; what it
  /// returns means something when nothing is left.
  ///
  /// Anyone who shares content says its length.
  private func writeShared(
    _ framing: HTTP1Transaction.Framing,
    of transaction: HTTP1Transaction
  ) -> Bool {
    guard case .length(let missing) = framing, var rest = sharedContent else {
      sharedContent = nil
      return true
    }
    let room = max(0, Self.sharedPieceByteCount - output.byteCount)
    let count = min(room, rest.byteCount, max(0, missing))
    rest.take(count, into: &output)
    transaction.answer = .written(.length(missing - count))
    let isOver = rest.byteCount == 0 || missing == count
    sharedContent = isOver ? nil : rest
    return missing - count == rest.byteCount
  }

  private func complete(_ transaction: HTTP1Transaction, isWhole: Bool) {
    guard case .written(let framing) = transaction.answer else { return }
    guard isWhole else {
      // It was broken off, or said another length than it has: nobody may take what there is for all of it.
      return end(.limit)
    }
    if case .chunked = framing { output.append(text: "0\r\n\r\n") }
    transaction.answer = .complete
    close(transaction.exchange, isAbandoned: false)
    lastProgress = loop.now
    guard transaction.isPersistent else { return end(phase == .draining ? .drained : .peer) }
    if transaction.hasRequestEnded { self.transaction = nil }
    scheduleFlush()
  }

  /// Answers what is no request, or was not one to its end, and ends the connection (RFC 9112 section 9.6).
  func refuse(_ rejection: HTTP1Rejection, _ reason: ConnectionCloseReason) {
    guard isInUse else { return }
    transaction?.isPersistent = false
    if transaction?.hasAnswerEnded == true { writeAnswer() }
    switch transaction?.answer {
    case .some(.none), .some(.begun), nil:
      if isInUse { appendAnswer(to: rejection) }
    // Part of an answer is out, which nobody can take for all of it without the last chunk.
    case .some(.written), .some(.complete): break
    }
    end(reason)
  }

  private func appendAnswer(to rejection: HTTP1Rejection) {
    let path = transaction?.exchange.head.path ?? unfinishedPath
    let own = configuration.router.refusal(at: path, rejection)
    let text =
      own?.text
      ?? "\(rejection.status) \(HTTP1ReasonPhrase.text(rejection.status)): \(rejection.message)\n"
    var fields: HTTPFields =
      own?.fields
      ?? ["content-type": "text/plain; charset=utf-8", "cache-control": "no-store"]
    fields.appendForBrowsers()
    if rejection.status == 405 {
      fields.append("allow", HTTPRequestHead.methods.joined(separator: ", "))
    }
    HTTP1ResponseHead(
      head: HTTPResponseHead(status: rejection.status, fields: fields),
      content: .length(text.utf8.count),
      isLast: true,
      date: configuration.dates.now
    ).append(to: &output)
    output.append(text: text)
  }
}
