import TestingContracts
import RPCKit
import RPCKitTesting

/// Makes one planned call and checks what comes back.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class SimulatedCaller: @unchecked Sendable {
  private typealias Request = SimulatedService.Request
  private typealias Response = SimulatedService.Response

  private let call: PlannedCall
  private let ledger: CallLedger
  private let channel: Channel
  private let loop: SimulatedEventLoop

  init(
    _ call: PlannedCall,
    _ ledger: CallLedger,
    _ channel: Channel,
    on loop: SimulatedEventLoop
  ) {
    self.call = call
    self.ledger = ledger
    self.channel = channel
    self.loop = loop
  }

  func run() async {
    let start = loop.now
    var code = StatusCode.ok
    do {
      switch call.method {
      case .echo, .list, .read: try await ask()
      case .watch: try await watch()
      case .collect: try await collect()
      case .chat: try await chat()
      }
    } catch let error as RPCError {
      code = error.code
    } catch {
      ledger.problem("\(call): threw \(error)")
    }
    ledger.callEnded(call.number, code, after: start.duration(to: loop.now))
  }

  private var descriptor: MethodDescriptor { SimulatedService.descriptor(call.method) }

  private var options: CallOptions {
    CallOptions(
      timeout: call.timeout,
      metadata: SimulatedService.metadata(call),
      waitsForReady: call.waitsForReady,
      compressesRequest: call.compressesRequest
    )
  }

  private func message(_ index: Int) -> Request {
    Request(subject: "\(index)", entity: call.text)
  }

  private func ask() async throws {
    let response: Response = try await channel.unary(descriptor, message(0), options: options)
    check(response.reason == "0" + call.text, "got another answer")
  }

  private func watch() async throws {
    var count = 0
    let responses: ResponseStream<Response> = channel.serverStreaming(
      descriptor,
      message(0),
      options: options
    )
    if call.leavesAfter == 0 { return }
    for try await response in responses {
      check(response.reason == "\(count)" + call.text, "got another message than \(count)")
      count += 1
      if count == call.leavesAfter { return }
      if call.readerPause > .zero { await loop.sleep(call.readerPause) }
    }
    check(count == call.messageCount, "got \(count) messages")
  }

  private func collect() async throws {
    let response: Response = try await channel.clientStreaming(descriptor, options: options) {
      (writer: RequestWriter<Request>) in
      for index in 0..<call.messageCount { try await writer.write(message(index)) }
    }
    check(response.reason == "\(call.messageCount)", "the server got \(response.reason) messages")
  }

  private func chat() async throws {
    try await channel.bidirectional(descriptor, options: options) {
      (writer: RequestWriter<Request>, responses: ResponseStream<Response>) in
      var iterator = responses.makeAsyncIterator()
      for index in 0..<call.messageCount {
        if index == call.leavesAfter { return }
        try await writer.write(message(index))
        guard let response = try await iterator.next() else {
          return check(false, "the server ended early")
        }
        check(response.reason == "\(index)" + call.text, "got another message than \(index)")
      }
      try await writer.finish()
      check(try await iterator.next() == nil, "got more messages than were sent")
    }
  }

  private func check(_ isTrue: Bool, _ problem: @autoclosure () -> String) {
    if !isTrue { ledger.problem("\(call): \(problem())") }
  }
}
