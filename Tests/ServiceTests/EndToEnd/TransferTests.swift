import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

extension EndToEndTests {
  @Suite("Documents fetched over HTTPS")
  struct TransferTests {
    /// Answers by path; `/hang` never, after it has written `hanging`.
    private static let server = #"""
      import http.server, os, ssl, threading

      class Handler(http.server.BaseHTTPRequestHandler):
          protocol_version = "HTTP/1.1"

          def answer(self, status, body=b"", **fields):
              self.send_response(status)
              for name, value in fields.items():
                  self.send_header(name.replace("_", "-"), value)
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)

          def do_GET(self):
              with open("asked", "a") as file:
                  coding = self.headers["Accept-Encoding"]
                  file.write("%s %s %s\n" % (self.path, self.headers["User-Agent"], coding))
              if self.path == "/keys":
                  self.answer(200, b'{"keys": []}', Cache_Control="max-age=300, public")
              elif self.path == "/full":
                  self.answer(200, b"x" * 65536)
              elif self.path == "/large":
                  self.answer(200, b"x" * 65537)
              elif self.path == "/wide":
                  self.answer(200, b"", **{"X-%d" % i: "x" * 1000 for i in range(17)})
              elif self.path == "/zipped":
                  self.answer(200, b"x", Content_Encoding="gzip")
              elif self.path == "/torn":
                  self.send_response(200)
                  self.send_header("Content-Length", "10")
                  self.end_headers()
                  self.wfile.write(b"half")
                  self.close_connection = True
              elif self.path == "/slow":
                  self.send_response(200)
                  self.send_header("Content-Length", "10")
                  self.end_headers()
                  self.wfile.write(b"half")
                  threading.Event().wait()
              elif self.path == "/moved":
                  self.answer(302, b"", Location="/keys")
              elif self.path == "/hang":
                  open("hanging", "w").close()
                  threading.Event().wait()
              else:
                  self.answer(404, b"no")

      class Server(http.server.ThreadingHTTPServer):
          daemon_threads = True

      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain("server.pem", "server.key")
      server = Server(("127.0.0.1", 0), Handler)
      server.socket = context.wrap_socket(server.socket, server_side=True)
      with open("server.port.new", "w") as file:
          file.write(str(server.server_address[1]))
      os.rename("server.port.new", "server.port")
      server.serve_forever()
      """#

    private func run(
      _ body: (PythonServer, _ fetch: (String) -> HTTPFetch) async throws -> Void
    ) async throws {
      let loops = try EventLoopGroup.epoll(count: 1)
      defer { loops.stop() }
      try await PythonServer.run(Self.server, on: loops.loops[0]) { server in
        let authorities = server.folder.file("ca.pem")
        try await body(server) { path in
          HTTPFetch(
            url: "https://localhost:\(server.port)\(path)",
            authorities: authorities,
            addresses: .loopback,
            timeout: .seconds(30)
          )
        }
      }
    }

    /// Why a fetch failed; nil when it did not.
    private func failure(of fetch: HTTPFetch) async throws -> String? {
      do {
        _ = try await fetch.run()
        return nil
      } catch let failure as HTTPFetch.Failure {
        return failure.description
      }
    }

    @Test("A document comes with its status and its header, and redirects are not followed")
    func fetch_document_comesAsItIs() async throws {
      try await run { server, fetch in
        let keys = try await fetch("/keys").run()
        #expect(keys.status == 200)
        #expect(keys.fields["cache-control"] == "max-age=300, public")
        #expect(keys.body == Array(#"{"keys": []}"#.utf8))
        #expect(try await fetch("/full").run().body.count == 65_536)
        let missing = try await fetch("/nothing").run()
        #expect(missing.status == 404 && missing.body == Array("no".utf8))
        #expect(try await fetch("/moved").run().status == 302)
        let asked = try server.folder.text(of: "asked").split(separator: "\n")
        #expect(
          asked
            == ["/keys", "/full", "/nothing", "/moved"].map { "\($0) gatehouse identity" }
        )
      }
    }

    @Test("A key set is asked for as it is, and one that is compressed all the same is told")
    func keySet_compressed_isRefused() async throws {
      try await run { server, _ in
        func read(_ path: String) async throws -> String {
          let address = KeySetAddress(
            url: "https://localhost:\(server.port)\(path)",
            authorityFile: server.folder.file("ca.pem"),
            allowsPrivateAddresses: true
          )
          do {
            let (json, lifetime) = try await KeySetDocument(address: address).read()
            return "\(String(decoding: json, as: UTF8.self)) \(lifetime ?? .zero)"
          } catch {
            return "\(error)"
          }
        }
        #expect(try await read("/keys") == #"{"keys": []} 300.0 seconds"#)
        #expect(try await read("/zipped").hasSuffix("answered in gzip, which was not asked for"))
        let asked = try server.folder.text(of: "asked").split(separator: "\n")
        #expect(asked == ["/keys gatehouse identity", "/zipped gatehouse identity"])
      }
    }

    @Test("What is too large, too slow or not trusted is an error that says so")
    func fetch_beyondLimits_fails() async throws {
      try await run { server, fetch in
        #expect(
          try await failure(of: fetch("/large")) == "the document is larger than 65536 bytes"
        )
        #expect(
          try await failure(of: fetch("/wide")) == "the answer's header is larger than 16384 bytes"
        )
        var slow = fetch("/hang")
        slow.timeout = .milliseconds(200)
        let late = try #require(try await failure(of: slow))
        #expect(late.contains("timed out"), "\(late)")
        var untrusted = fetch("/keys")
        untrusted.authorities = server.folder.file("stranger.pem")
        let stranger = try #require(try await failure(of: untrusted))
        #expect(stranger.contains("certificate"), "\(stranger)")
        // The certificate is for the name, not for the address.
        var misnamed = fetch("/keys")
        misnamed = HTTPFetch(
          url: "https://127.0.0.1:\(server.port)/keys",
          authorities: misnamed.authorities,
          addresses: .loopback
        )
        let other = try #require(try await failure(of: misnamed))
        #expect(other.contains("127.0.0.1"), "\(other)")
      }
    }

    @Test("Where the status says all that matters, no body is too large, too short or too slow")
    func fetch_ofStatus_needsNoBody() async throws {
      try await run { server, fetch in
        for (path, kept) in [("/large", nil), ("/torn", "half"), ("/slow", "half")] {
          var whole = fetch(path)
          whole.timeout = .seconds(2)
          #expect(try await failure(of: whole) != nil, "\(path)")
          whole.takesStatusAlone = true
          let answer = try await whole.run()
          #expect(answer.status == 200 && answer.body.count <= 65_536, "\(path)")
          if let kept { #expect(String(decoding: answer.body, as: UTF8.self) == kept, "\(path)") }
        }
        // What says no status is no answer.
        for path in ["/hang", "/wide"] {
          var silent = fetch(path)
          (silent.timeout, silent.takesStatusAlone) = (.milliseconds(200), true)
          #expect(try await failure(of: silent) != nil, "\(path)")
        }
      }
    }

    @Test("Addresses of this network are not connected to, nor anything but HTTPS")
    func fetch_forbiddenAddress_isNotMade() async throws {
      try await run { server, fetch in
        var inside = fetch("/keys")
        inside.addresses = .publicOnly
        let refusal = try await failure(of: inside)
        #expect(refusal == "the server's address is not one that may be connected to")
        for url in [
          "http://localhost:\(server.port)/keys", "file:///etc/hostname", "HTTPS://localhost/",
          "https://local host/", "",
        ] {
          let fetch = HTTPFetch(url: url, addresses: .any)
          #expect(
            try await failure(of: fetch)
              == "the address does not begin with https:// or has blanks"
          )
        }
        let named = HTTPFetch(url: "https://ada:secret@localhost:\(server.port)/", addresses: .any)
        #expect(try await failure(of: named) != nil)
        #expect(throws: (any Error).self) { try server.folder.text(of: "asked") }
      }
    }

    @Test("A fetch that is cancelled ends, although the server never answers")
    func fetch_cancelled_ends() async throws {
      try await run { server, fetch in
        let hanging = fetch("/hang")
        let loops = try EventLoopGroup.epoll(count: 1)
        defer { loops.stop() }
        let folder = server.folder
        let isCancelled = try await endsByCancellation(hanging) {
          let isAsked = await loops.loops[0].eventually {
            (try? folder.text(of: "hanging")) != nil
          }
          #expect(isAsked)
        }
        #expect(isCancelled)
      }
    }

    /// Begins a fetch, cancels it after `event`, and says whether it ended by that.
    private func endsByCancellation(
      _ fetch: HTTPFetch,
      after event: @Sendable () async -> Void
    ) async throws -> Bool {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          do {
            _ = try await fetch.run()
            return false
          } catch is CancellationError {
            return true
          }
        }
        await event()
        group.cancelAll()
        return try await group.next() ?? false
      }
    }
  }
}
