import RPCKit

/// Asks a service by HTTP/1.1, each request on a connection of its own.
struct HTTPClient: Sendable {
  let address: SocketAddress
  let loop: any EventLoop

  /// What came back.
  struct Answer: Sendable {
    let status: Int
    /// By their names in lower case; the last one of a name counts.
    let fields: [String: String]
    let content: [UInt8]
  }

  struct Failure: Error {
    let description: String
  }

  /// Sends one request and reads until the server has closed the connection.
  ///
  /// Throws when what comes back is no answer.
  func send(
    _ method: String,
    _ target: String,
    _ fields: [(name: String, value: String)] = [],
    _ content: [UInt8]? = nil
  ) async throws -> Answer {
    var head = "\(method) \(target) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    if let content { head += "content-length: \(content.count)\r\n" }
    return try Self.answer(in: await exchange(Array((head + "\r\n").utf8) + (content ?? [])))
  }

  /// Sends bytes, and returns all that came until the connection was closed; with `endsOutput` nothing else is
  /// sent behind them.
  func exchange(_ bytes: [UInt8], endsOutput: Bool = false) async -> [UInt8] {
    await withCheckedContinuation { continuation in
      loop.execute {
        let transport = SocketNetwork().connect(to: address, on: loop)
        transport.start(Reader(transport, bytes, endsOutput: endsOutput, continuation))
      }
    }
  }

  /// Loop only.
  private final class Reader: TransportReceiver {
    private var transport: (any Transport)?
    private let continuation: CheckedContinuation<[UInt8], Never>
    private var output = ByteBuffer()
    private var received: [UInt8] = []
    private let endsOutput: Bool

    init(
      _ transport: any Transport,
      _ bytes: [UInt8],
      endsOutput: Bool,
      _ continuation: CheckedContinuation<[UInt8], Never>
    ) {
      self.transport = transport
      self.endsOutput = endsOutput
      self.continuation = continuation
      output.append(bytes.span)
    }

    func transportConnected() { write() }

    private func write() {
      transport?.write(from: &output)
      if endsOutput, output.isEmpty { transport?.closeOutput() }
    }

    func transportReceived(_ bytes: Span<UInt8>) {
      for index in bytes.indices { received.append(bytes[index]) }
    }

    func transportReceivedEnd() { transport?.close() }

    func transportBecameWritable() { write() }

    func transportClosed(_ error: TransportError?) {
      transport = nil
      continuation.resume(returning: received)
    }
  }

  private static func answer(in bytes: [UInt8]) throws -> Answer {
    let end = Array("\r\n\r\n".utf8)
    let start = bytes.indices.first { bytes[$0...].starts(with: end) }
    guard let start else { throw Failure(description: "no answer, but \(text(bytes[...]))") }
    let lines = text(bytes[..<start]).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
      throw Failure(description: "no status: \(text(bytes[...]))")
    }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    let content = bytes[(start + end.count)...]
    return Answer(
      status: status,
      fields: fields,
      content: fields["transfer-encoding"] == "chunked" ? try joined(content) : Array(content)
    )
  }

  /// The content of chunks (RFC 9112 section 7.1).
  private static func joined(_ chunks: ArraySlice<UInt8>) throws -> [UInt8] {
    var (rest, content) = (chunks, [UInt8]())
    while let lineEnd = rest.firstIndex(of: UInt8(ascii: "\r")) {
      guard let count = Int(text(rest[..<lineEnd]), radix: 16) else { break }
      guard count > 0 else { return content }
      rest = rest[lineEnd...].dropFirst(2)
      content += rest.prefix(count)
      rest = rest.dropFirst(count + 2)
    }
    throw Failure(description: "the last chunk is missing")
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
