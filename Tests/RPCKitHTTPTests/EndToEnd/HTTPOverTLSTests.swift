import Dispatch
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// How the version of HTTP is chosen on a port with TLS: by ALPN (RFC 7301), and without it by the first bytes.
@Suite("HTTP over TLS: curl and Python", .teardown) struct HTTPOverTLSTests {
  private let metrics = RPCMetrics(registry: MetricRegistry(), version: "test")

  /// What a program wrote that called a server of `PathRouter`, whose address and file of the certificate it is told.
  private func output(
    _ arguments: @Sendable (_ address: String, _ certificate: String) -> [String]
  ) async throws -> String? {
    let certificate = try SelfSignedCertificate()
    let wire = HTTPServerWire(HTTPConfiguration(router: PathRouter()))
    var configuration = ServerConfiguration(endpoints: [try certificate.endpoint([wire])])
    configuration.wires = [wire]
    let loops = try EventLoopGroup.epoll(count: 1)
    let server = Server(configuration, services: [], on: loops, metrics: metrics)
    let output = try await server.serving { server in
      let address = try #require(server.addresses.first)
      return await Self.run(arguments("\(address)", certificate.path))
    }
    loops.stop()
    #expect(server.connectionCount == 0)
    return output
  }

  /// Runs a program on a thread of its own, as it blocks.
  private static func run(_ arguments: [String]) async -> String? {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let output = ForeignProgram.run(arguments)
        continuation.resume(returning: output.map { String(decoding: $0, as: UTF8.self) })
      }
    }
  }

  private func curl(_ options: String...) async throws -> String? {
    try await output { address, certificate in
      ["curl", "--silent", "--max-time", "60", "--cacert", certificate, "--data", "hello"] + options
        + ["--write-out", " %{http_version} %{http_code}", "https://\(address)/echo"]
    }
  }

  /// Runs lines of Python with a connection `client` that offers `names` by ALPN, a function `read` for so many
  /// bytes, and one for `all` until the server closes.
  private func python(offering names: String, _ script: String) async throws -> String? {
    let opening = """
      import socket, ssl, sys
      context = ssl.create_default_context(cafile=sys.argv[2])
      names = sys.argv[3].split()
      if names: context.set_alpn_protocols(names)
      client = context.wrap_socket(
        socket.create_connection(sys.argv[1].split(":"), timeout=60),
        server_hostname="127.0.0.1")
      def read(count):
        result = b""
        while len(result) < count:
          piece = client.recv(count - len(result))
          if not piece: raise EOFError
          result += piece
        return result
      def all():
        result = b""
        while piece := client.recv(4096): result += piece
        return result

      """
    return try await output { address, certificate in
      ["python3", "-c", opening + script, address, certificate, names]
    }
  }

  @Test(
    "ALPN agrees on HTTP/2 with a client that speaks both, and on HTTP/1.1 with one that does not"
  )
  func alpn_choosesVersion() async throws {
    #expect(try await curl("--http2") == "hello 2 200")
    #expect(try await curl("--http1.1") == "hello 1.1 200")
  }

  @Test("Without ALPN the first bytes tell HTTP/1.1")
  func withoutALPN_isHTTP1() async throws {
    #expect(try await curl("--no-alpn", "--http1.1") == "hello 1.1 200")
  }

  @Test("Without ALPN the preface tells HTTP/2")
  func withoutALPN_isHTTP2() async throws {
    let output = try await python(
      offering: "",
      """
      client.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
      # GET https://a/ as RFC 7541 writes it, on stream 1.
      client.sendall(bytes([0, 0, 6, 1, 5, 0, 0, 0, 1]) + b"\\x82\\x84\\x87\\x41\\x01a")
      kind = 0
      while kind != 1:
        header = read(9)
        kind, payload = header[3], read(int.from_bytes(header[:3], "big"))
      # The server's table is smaller than the client allows (RFC 7541, section 6.3). 0x88 is `:status: 200`.
      print(client.selected_alpn_protocol(), payload[:4] == b"\\x3f\\xe1\\x07\\x88")
      """
    )
    #expect(output == "None True\n")
  }

  @Test("HTTP/1.1 after ALPN agreed on HTTP/2 is closed without an answer")
  func alpnHTTP2_bytesOfHTTP1_areClosed() async throws {
    let output = try await python(
      offering: "h2",
      """
      client.sendall(b"GET /echo HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
      print(client.selected_alpn_protocol(), b"HTTP/" in all())
      """
    )
    #expect(output == "h2 False\n")
    #expect(metrics.serverConnections.protocolError("malformed_http2").value == 1)
  }

  @Test("HTTP/2 after ALPN agreed on HTTP/1.1 is refused in HTTP/1.1")
  func alpnHTTP1_bytesOfHTTP2_areRefused() async throws {
    let output = try await python(
      offering: "http/1.1",
      """
      client.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
      print(client.selected_alpn_protocol(), all()[:12].decode())
      """
    )
    #expect(output == "http/1.1 HTTP/1.1 505\n")
  }
}
