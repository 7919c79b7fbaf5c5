import Foundation
import GatehouseKit
import Testing

/// `URLSession` itself, against a small server.
@Suite struct TransportTests {
  private static let server = """
    import http.server, os, sys, threading
    # It ends with the test, whose end of the pipe closes.
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/api/v1/redirect":
                self.send_response(302)
                self.send_header("location", "http://localhost:%d/seen" % self.server.server_port)
                self.send_header("content-length", "0")
                self.end_headers()
            else:
                body = self.path.encode()
                self.send_response(200)
                self.send_header("X-Request-ID", "req_1")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        def log_message(self, *arguments): print(self.path, flush=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  private func withServer(_ body: (URL) async throws -> Void) async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.server]
    let output = Pipe()
    let input = Pipe()
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    defer { try? input.fileHandleForWriting.close() }
    var text = ""
    while !text.hasSuffix("\n") {
      text += String(bytes: output.fileHandleForReading.availableData, encoding: .utf8) ?? ""
    }
    let port = text.trimmingCharacters(in: .whitespacesAndNewlines)
    try await body(try #require(URL(string: "http://127.0.0.1:\(port)/api/v1")))
  }

  private func request(_ url: URL) -> HTTPRequest {
    HTTPRequest(
      method: "GET",
      url: url,
      fields: ["authorization": "Bearer secret"],
      body: nil,
      silence: .seconds(5)
    )
  }

  @Test("A redirect is an answer and is not followed, so the token goes nowhere else")
  func redirect_isNotFollowed() async throws {
    try await withServer { url in
      let transport = URLSessionTransport()
      let answer = try await transport.send(request(url.appendingPathComponent("redirect")))
      #expect(answer.status == 302)
      #expect(answer.body.isEmpty)
      let plain = try await transport.send(request(url.appendingPathComponent("thing")))
      #expect(plain.status == 200)
      #expect(plain.fields["x-request-id"] == "req_1")
      #expect(plain.body == Data("/api/v1/thing".utf8))
    }
  }

  @Test("A port without a server is an error")
  func server_missing_throws() async throws {
    let transport = URLSessionTransport()
    let url = try #require(URL(string: "http://127.0.0.1:1/api/v1/thing"))
    await #expect(throws: (any Error).self) { try await transport.send(request(url)) }
  }

  @Test("Files are read, written, listed and removed, for their owner alone")
  func files_keepSecrets() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("kit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = FileStore(folder: folder)
    #expect(await store.read("a/b") == SecretRead.none)
    try await store.write("a/b", Data("x".utf8))
    try await store.write("a/c", Data("y".utf8))
    #expect(await store.read("a/b") == SecretRead.value(Data("x".utf8)))
    let file = folder.appendingPathComponent("a%2Fb")
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o600)
    try await store.remove("a/b")
    try await store.remove("a/b")
    #expect(await store.read("a/b") == SecretRead.none)
    try await store.removeAll(prefix: "a/")
    #expect(await store.read("a/c") == SecretRead.none)
  }
}
