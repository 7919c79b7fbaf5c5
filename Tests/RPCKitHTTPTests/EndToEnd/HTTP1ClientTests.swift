import Dispatch
import Foundation
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// Clients that others wrote, over real sockets.
@Suite("HTTP/1.1: curl and Python", .teardown) struct HTTP1ClientTests {
  /// Runs a program against a server of `ScriptedExchange`s; `URL` in its arguments is the server's.
  private func run(
    _ arguments: [String],
    input: String = "",
    tls: TLSContextSource? = nil
  ) async throws -> String {
    let loops = try EventLoopGroup.epoll(count: 1)
    let local = SocketAddress.ipv4([127, 0, 0, 1], port: 0)
    var configuration = ServerConfiguration(
      endpoints: [tls.map { .init(local, tls: $0) } ?? .init(local)]
    )
    configuration.wires = [HTTPServerWire(HTTPConfiguration(router: ScriptedRouter()))]
    let scheme = tls == nil ? "http" : "https"
    let server = Server(configuration, services: [HeldService().definition], on: loops)
    let (address, output) = try await server.serving { server in
      let address = try #require(server.addresses.first)
      let arguments = arguments.map { $0.replacing("URL", with: "\(scheme)://\(address)") }
      return (address, try #require(await Self.output(arguments, input)))
    }
    loops.stop()
    #expect(server.connectionCount == 0)
    #expect(SocketCensus.descriptorCount(of: address) == 0)
    return output
  }

  /// What the program wrote, on a thread of its own, as it blocks.
  private static func output(_ arguments: [String], _ input: String) async -> String? {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let output = ForeignProgram.run(arguments, input: Array(input.utf8))
        continuation.resume(returning: output.map { String(decoding: $0, as: UTF8.self) })
      }
    }
  }

  private let curl = ["curl", "--silent", "--show-error", "--max-time", "60"]

  @Test("curl asks twice on one connection")
  func curl_keepsConnection() async throws {
    let output = try await run(curl + ["-w", "%{num_connects}\n", "URL/echo?a=%2F", "URL/echo"])
    let lines = output.split(separator: "\n")
    #expect(lines.count == 4 && lines[0].hasSuffix("/echo?a=%2F http1_1") && lines[1] == "1")
    #expect(lines[2].hasSuffix("/echo http1_1") && lines[3] == "0")
  }

  @Test("curl sends content with a length, in chunks, and after 100 Continue")
  func curl_sendsContent() async throws {
    let content = String(repeating: "0123456789", count: 5000)
    let length = try await run(curl + ["--data-binary", "@-", "URL/echo"], input: content)
    #expect(length.hasPrefix("POST ") && length.hasSuffix("http1_1\n\(content)"))
    let chunked = try await run(curl + ["-T", "-", "URL/echo"], input: content)
    #expect(chunked.hasPrefix("PUT ") && chunked.hasSuffix("http1_1\n\(content)"))
    let told = try await run(
      curl + ["-v", "-H", "Expect: 100-continue", "--stderr", "-", "--data", "hello", "URL/echo"]
    )
    #expect(told.contains("< HTTP/1.1 100 Continue") && told.contains("http1_1\nhello"))
  }

  @Test("curl speaks HTTP/1.0 and HEAD")
  func curl_speaksOldAndShort() async throws {
    let old = try await run(curl + ["-0", "-i", "URL/echo"])
    #expect(old.contains("\r\nconnection: close\r\n") && old.hasSuffix("http1_0\n"))
    let head = try await run(curl + ["--head", "URL/echo"])
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\ndate: ") && head.hasSuffix("\r\n\r\n"))
  }

  @Test("curl speaks TLS, with ALPN and without", arguments: ["--alpn", "--no-alpn"])
  func curl_speaksTLS(option: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (key, certificate) = (folder.path + "/key.pem", folder.path + "/certificate.pem")
    let made = await Self.output(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes", "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
        "-keyout", key, "-out", certificate,
      ],
      ""
    )
    try #require(made != nil)
    var tls = TLSConfiguration(
      role: .server(
        .init(certificateChain: .file(certificate), privateKey: .file(key)),
        clients: .none
      )
    )
    tls.applicationProtocols = ["http/1.1", "rpckit/1"]
    tls.requiresApplicationProtocol = false
    let output = try await run(
      curl + ["--cacert", certificate, "--http1.1", option, "--data", "hello", "URL/echo"],
      tls: TLSContextSource(tls)
    )
    #expect(output.hasPrefix("POST ") && output.hasSuffix("http1_1\nhello"))
  }

  @Test("Python reads an early answer although it sends 8 MiB first, and asks on")
  func python_readsEarlyAnswer() async throws {
    let script = """
      import http.client, sys
      address = sys.argv[1].removeprefix("http://")
      client = http.client.HTTPConnection(address, timeout=60)
      for number in range(3):
        client.request("POST", "/echo", body=b"%d" % number)
        print(client.getresponse().read().decode().split("\\n")[1])
      client.request("POST", "/early", body=b"x" * (8 << 20))
      answer = client.getresponse()
      print(answer.status, answer.read().decode(), answer.will_close)
      client.close()
      client.request("POST", "/echo", body=iter([b"he", b"llo"]), encode_chunked=True,
        headers={"Transfer-Encoding": "chunked"})
      print(client.getresponse().read().decode().split("\\n")[1])
      client.close()
      """
    let output = try await run(["python3", "-c", script, "URL"])
    #expect(output == "0\n1\n2\n401 who are you? True\nhello\n")
  }
}
