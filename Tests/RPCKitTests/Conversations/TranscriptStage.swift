import TestingContracts
import RPCKit
import RPCKitTesting

/// Plays one end of a transcript against our other end, over a simulated network.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class TranscriptStage: @unchecked Sendable {
  private typealias Text = TranscriptService.Text

  struct UnknownAction: Error {
    var action: String
  }

  /// Small, so that credit and limits show in short conversations.
  private static let windowByteCount = 40
  private static let frameByteCountMax = 2048

  private let transcript: Transcript
  private let simulation = Simulation(seed: 1)
  private let network: SimulatedNetwork
  private let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
  private let service = TranscriptService()
  private let loop: SimulatedEventLoop
  /// The end that the test plays.
  private var peer: WirePeer?
  private var server: Server?
  private var channel: Channel?
  private var lastCall: Task<Void, any Error>?
  private var events: [String] = []
  private var hasToldEnd = false
  private var hasToldClose = false

  init(_ transcript: Transcript) {
    self.transcript = transcript
    network = SimulatedNetwork(simulation)
    loop = simulation.loop("caller")
  }

  /// The transcript with everything that our end did in it.
  func played() throws -> Transcript {
    try start()
    var result: [Transcript.Line] = []
    for line in transcript.lines {
      switch line {
      case .note:
        result.append(line)
        continue
      case .frame(let side, let sent):
        // The other end's are what comes by itself.
        guard side == transcript.played else { continue }
        result.append(line)
        peer?.send(sent.bytes)
      case .action(let text):
        result.append(line)
        try act(text)
      case .outcome:
        continue
      }
      try simulation.settle()
      result += answers()
    }
    return Transcript(played: transcript.played, lines: result)
  }

  private func answers() -> [Transcript.Line] {
    let side: Transcript.Side = transcript.played == .client ? .server : .client
    var lines = (peer?.takeFrames() ?? []).map { Transcript.Line.frame(side, .frame($0)) }
    events += service.takeEvents()
    if peer?.sawEnd == true, !hasToldEnd {
      hasToldEnd = true
      events.append("the \(side.rawValue) sends its end of stream")
    }
    if peer?.isClosed == true, !hasToldClose {
      hasToldClose = true
      events.append("the connection is closed")
    }
    lines += events.map { .outcome($0) }
    events = []
    return lines
  }

  // MARK: - The end under test

  private func start() throws {
    switch transcript.played {
    case .client:
      startServer()
      try simulation.settle()
      peer = WirePeer.connect(to: address, simulation, network)
    case .server:
      _ = try WirePeer.listen(at: address, simulation, network) { [self] accepted in
        // What a second connection says is another story.
        if peer == nil { peer = accepted } else { events.append("the client connects again") }
      }
      startChannel()
    }
    try simulation.settle()
  }

  private func startServer() {
    var configuration = ServerConfiguration(endpoints: [.init(address)])
    configuration.limits.streamWindowByteCount = Self.windowByteCount
    configuration.limits.frameByteCountMax = Self.frameByteCountMax
    configuration.compressesResponses = true
    let server = Server(
      configuration,
      services: [service.definition],
      on: simulation.group("server"),
      network: network
    )
    self.server = server
    simulation.start { try await server.run() }
  }

  private func startChannel() {
    var configuration = ChannelConfiguration(loops: simulation.group("client"))
    configuration.network = network
    configuration.limits.streamWindowByteCount = Self.windowByteCount
    configuration.limits.frameByteCountMax = Self.frameByteCountMax
    configuration.connectionsPerAddress = 1
    configuration.retry = .never
    configuration.seed = 1
    channel = Channel(ChannelTarget(addresses: [address]), configuration)
  }

  private func act(_ text: String) throws {
    var words = text.split(separator: " ").map { String($0) }
    let verb = words.removeFirst()
    switch (verb, server, channel) {
    case ("pass", _, _): try simulation.run(for: .milliseconds(Int(words[0]) ?? 0))
    case ("end", _, _): peer?.closeOutput()
    case ("drain", .some(let server), _): server.drain()
    case ("close", _, .some(let channel)): simulation.start(on: loop) { await channel.close() }
    case ("cancel", _, .some): lastCall?.cancel()
    case (_, _, .some(let channel)): call(verb, words, channel)
    default: throw UnknownAction(action: text)
    }
  }

  // MARK: - Calls of our client

  private func call(_ verb: String, _ words: [String], _ channel: Channel) {
    lastCall = simulation.start(on: loop) { [self] in
      do {
        try await make(verb, words, channel)
      } catch let error as RPCError {
        let mark = error.isNotProcessed ? ", not processed" : ""
        events.append("\(verb) ends with \(error.code): \(error.message)\(mark)")
      }
    }
  }

  private func make(_ verb: String, _ words: [String], _ channel: Channel) async throws {
    let first = Text(subject: words.first ?? "")
    switch verb {
    case "say":
      let timeout = words.count > 1 ? Int(words[1]).map { Duration.milliseconds($0) } : nil
      let answer: UnaryResponse<Text> = try await channel.unaryWithMetadata(
        TranscriptService.say,
        first,
        options: CallOptions(timeout: timeout)
      )
      let metadata = answer.metadata.entries.map { ", \($0.key): \($0.value)" }.joined()
      events.append("say returns \(Self.brief(answer.message.subject))\(metadata)")
    case "say-long":
      let long = Text(subject: String(repeating: "x", count: 1500))
      let answer: Text = try await channel.unary(
        TranscriptService.say,
        long,
        options: CallOptions(compressesRequest: true)
      )
      events.append("say returns \(Self.brief(answer.subject))")
    case "repeat":
      let responses: ResponseStream<Text> = channel.serverStreaming(
        TranscriptService.again,
        first,
        options: CallOptions()
      )
      for try await response in responses { events.append("repeat gives \"\(response.subject)\"") }
      events.append("repeat ends")
    case "join":
      let answer: Text = try await channel.clientStreaming(
        TranscriptService.join,
        options: CallOptions()
      ) { (writer: RequestWriter<Text>) in
        for word in words {
          try await writer.write(Text(subject: word))
          events.append("join has sent \"\(word)\"")
        }
      }
      events.append("join returns \(Self.brief(answer.subject))")
    case "chat":
      try await channel.bidirectional(TranscriptService.chat, options: CallOptions()) {
        (writer: RequestWriter<Text>, responses: ResponseStream<Text>) in
        for word in words { try await writer.write(Text(subject: word)) }
        try await writer.finish()
        for try await response in responses { events.append("chat gives \"\(response.subject)\"") }
      }
      events.append("chat ends")
    default:
      events.append("there is no action \(verb)")
    }
  }

  private static func brief(_ text: String) -> String {
    text.utf8.count > 40 ? "\(text.utf8.count) bytes" : "\"\(text)\""
  }
}

extension Transcript {
  fileprivate init(played: Side, lines: [Line]) {
    self.played = played
    self.lines = lines
  }
}
