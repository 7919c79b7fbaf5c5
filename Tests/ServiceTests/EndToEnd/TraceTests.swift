import TenancyContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

extension EndToEndTests {
  @Suite("Traces across the services")
  struct TraceTests {
    /// A collector of OTLP: writes a line of JSON for each span to `spans`.
    ///
    /// Has no time for the first request, and wants a token. `/hang` never answers, `/huge` answers with more
    /// than anybody reads. Besides its port with TLS it has one without, which is in `plain.port`.
    private static let collector = #"""
      import http.server, json, os, ssl, threading

      def varint(data, at):
          value = shift = 0
          while True:
              value |= (data[at] & 0x7F) << shift
              shift += 7
              at += 1
              if data[at - 1] < 0x80:
                  return value, at

      def fields(data):
          at = 0
          while at < len(data):
              tag, at = varint(data, at)
              kind = tag & 7
              if kind == 0:
                  value, at = varint(data, at)
              else:
                  length, at = {1: (8, at), 5: (4, at)}.get(kind) or varint(data, at)
                  value, at = data[at:at + length], at + length
                  assert len(value) == length
                  if kind != 2:
                      value = int.from_bytes(value, "little")
              yield tag >> 3, value

      def all(data, number):
          return [value for field, value in fields(data) if field == number]

      def attributes(data, number):
          pairs = ((dict(fields(pair))) for pair in all(data, number))
          return {pair[1].decode(): dict(fields(pair[2]))[1].decode() for pair in pairs}

      def spans(request):
          for resource_spans in all(request, 1):
              [resource] = all(resource_spans, 1)
              for scope_spans in all(resource_spans, 2):
                  for span in all(scope_spans, 2):
                      field = dict(fields(span))
                      assert len(field[1]) == 16 and len(field[2]) == 8 and field[7] <= field[8]
                      yield {
                          "service": attributes(resource, 1)["service.name"], "trace": field[1].hex(),
                          "id": field[2].hex(), "parent": field.get(4, b"").hex(), "name": field[5].decode(),
                          "kind": field[6], "start": field[7], "attributes": attributes(span, 9),
                          "isError": dict(fields(field.get(15, b""))).get(3) == 2,
                      }

      class Handler(http.server.BaseHTTPRequestHandler):
          def do_POST(self):
              body = self.rfile.read(int(self.headers["Content-Length"]))
              assert self.headers["Content-Type"] == "application/x-protobuf"
              if self.path == "/hang":
                  threading.Event().wait()
              if self.path == "/huge":
                  return self.answer(200, b"x" * (64 << 20))
              if self.headers["Authorization"] != "Bearer let me in" or self.path != "/v1/traces":
                  return self.answer(401)
              try:
                  open("first", "x").close()
                  return self.answer(503, retry="0")
              except FileExistsError:
                  pass
              with open("spans", "a") as file:
                  file.write("".join(json.dumps(span) + "\n" for span in spans(body)))
              self.answer(200)

          def answer(self, status, body=b"", retry=None):
              self.send_response(status)
              self.send_header("Content-Length", str(len(body)))
              if retry:
                  self.send_header("Retry-After", retry)
              self.end_headers()
              self.wfile.write(body)

      plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
      plain.daemon_threads = server.daemon_threads = True
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain("server.pem", "server.key")
      server.socket = context.wrap_socket(server.socket, server_side=True)
      threading.Thread(target=plain.serve_forever, daemon=True).start()
      with open("plain.port", "w") as file:
          file.write(str(plain.server_address[1]))
      with open("server.port.new", "w") as file:
          file.write(str(server.server_address[1]))
      os.rename("server.port.new", "server.port")
      server.serve_forever()
      """#

    private struct Recorded: Decodable {
      var service: String
      var trace: String
      var id: String
      var parent: String
      var name: String
      var kind: Int
      var start: UInt64
      var attributes: [String: String]
      var isError: Bool

      var isServer: Bool { kind == 2 }
    }

    /// What the collector has of a trace.
    private static func spans(of trace: String, in folder: TemporaryFolder) throws -> [Recorded] {
      guard let text = try? folder.text(of: "spans") else { return [] }
      // The last line may be half written.
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      return try lines.map { try JSONDecoder().decode(Recorded.self, from: Data($0.utf8)) }
        .filter { $0.trace == trace }
    }

    /// The parent that callers name.
    private static let caller = "00f067aa0ba902b7"

    private static func traceparent(_ digit: Character) -> String {
      "00-\(trace(digit))-\(caller)-01"
    }

    private static func trace(_ digit: Character) -> String { String(repeating: digit, count: 32) }

    /// The collector's address without TLS.
    private func plain(_ collector: PythonServer) throws -> String {
      "http://127.0.0.1:\(try collector.folder.text(of: "plain.port"))"
    }

    /// Settings of services that send their spans to a collector, one of them over TLS.
    private func tracing(_ collector: PythonServer) throws -> [String: [String: JSONValue]] {
      let headers = collector.folder.file("headers")
      try collector.folder.write("Authorization: Bearer let me in\n", to: "headers")
      let encrypted: JSONValue = [
        "endpoint": .string("https://localhost:\(collector.port)/v1/traces"),
        "ca_file": .string(collector.folder.file("ca.pem")), "headers_file": .string(headers),
      ]
      let plain: JSONValue = [
        "endpoint": .string("\(try plain(collector))/v1/traces"), "headers_file": .string(headers),
      ]
      return [
        "auth": ["traces": encrypted], "tenancy": ["traces": plain],
        "entitlement": ["traces": plain],
      ]
    }

    /// Signs somebody in over frames, by HTTP/1.1 and by gRPC, and reads what a portfolio is entitled to.
    private func callOnAllWires(_ home: Installation) async throws {
      let ada = try await home.signUp("ada")
      _ = try await home.portfolios.create(.init(name: "Pier"), options: ada.call)
      let request = Auth_V1.SignInRequest(email: ada.email, password: Person.password)
      var options = CallOptions(timeout: .seconds(10))
      options.metadata["traceparent"] = Self.traceparent("1")
      options.metadata["x-request-id"] = "story-1"
      _ = try await home.authentication.signIn(request, options: options)

      let message = request.protobufBytes
      let length = UInt32(message.count)
      let prefix =
        [0] + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> $0) }
      try home.folder.write(prefix + message, to: "request.grpc")
      let url = home.auth.target.replacing("tcp://", with: "http://")
      let ending = try await home.shell(
        """
        curl --silent --fail --max-time 30 --http1.1 -H 'traceparent: \(Self.traceparent("2"))' \
        -H 'content-type: application/json' --output login.json \
        --data '{"email": "\(ada.email)", "password": "\(Person.password)"}' \(url)/api/v1/auth/login
        curl --silent --fail --max-time 30 --http2-prior-knowledge -H 'traceparent: \(Self.traceparent("3"))' \
        -H 'content-type: application/grpc' -H 'te: trailers' --output login.grpc \
        --data-binary @request.grpc \(url)/auth.v1.Authentication/SignIn
        """
      )
      try #require(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")

      // One that EntitlementService has not heard of, so that it has to ask who may see it.
      let portfolio = try await home.portfolios.create(.init(name: "Quay"), options: ada.call).id
      var check = ada.call
      check.metadata["traceparent"] = Self.traceparent("4")
      _ = try await home.entitlements.get(
        .init(subject: .init(kind: .portfolio, id: portfolio)),
        options: check
      )
      // Probes leave nothing behind.
      _ = try await Grpc_Health_V1.HealthClient(home.auth.channel).check(
        .init(),
        options: CallOptions(metadata: ["traceparent": Self.traceparent("5")])
      )
    }

    /// The root of a trace whose spans are all there and hang together.
    private func whole(
      _ digit: Character,
      _ folder: TemporaryFolder,
      services: Set<String>
    ) throws -> Recorded? {
      let spans = try Self.spans(of: Self.trace(digit), in: folder)
      // A batch whose answer was late comes twice.
      let byID = Dictionary(spans.map { ($0.id, $0) }) { first, _ in first }
      guard Set(spans.map(\.service)) == services,
        let root = spans.first(where: { $0.parent == Self.caller })
      else { return nil }
      for span in spans where span.id != root.id {
        guard let parent = byID[span.parent] else { return nil }
        // Calls go from a server's span to a client's of the same service, and from that to the next server.
        #expect(span.isServer != parent.isServer)
        #expect((span.service == parent.service) == !span.isServer)
        if span.isServer {
          #expect(
            span.name == parent.name && span.attributes["service.peer.name"] == parent.service
          )
          #expect(parent.attributes["service.peer.name"] == span.service)
        }
        #expect(
          span.attributes["gatehouse.request_id"] == root.attributes["gatehouse.request_id"]
        )
      }
      return root
    }

    @Test(
      "A sign-in over any wire, and a check, are each one trace through the services that they need"
    )
    func call_acrossServices_isOneTrace() async throws {
      let loops = try EventLoopGroup.epoll(count: 1)
      defer { loops.stop() }
      try await PythonServer.run(Self.collector, on: loops.loops[0]) { collector in
        try await Installation.run(settings: tracing(collector)) { home in
          try await callOnAllWires(home)
          let expected: [(Character, String, Set<String>)] = [
            ("1", "auth.v1.Authentication/SignIn", ["auth", "tenancy", "entitlement"]),
            ("2", "auth.v1.Authentication/SignIn", ["auth", "tenancy", "entitlement"]),
            ("3", "auth.v1.Authentication/SignIn", ["auth", "tenancy", "entitlement"]),
            ("4", "entitlement.v1.Entitlements/Get", ["entitlement", "tenancy"]),
          ]
          for (digit, name, services) in expected {
            var root: Recorded?
            let isThere = try await loops.loops[0].eventually(within: .seconds(60)) {
              root = try whole(digit, collector.folder, services: services)
              return root != nil
            }
            let spans = try Self.spans(of: Self.trace(digit), in: collector.folder)
            #expect(isThere, "\(digit): \(spans)")
            #expect(root?.name == name && root?.isError == false)
            #expect(root?.attributes["rpc.response.status_code"] == "OK")
            let seconds = Double(root?.start ?? 0) / 1e9
            #expect(abs(seconds - Date().timeIntervalSince1970) < 3600)
            let id = digit == "1" ? "story-1" : Self.trace(digit)
            #expect(root?.attributes["gatehouse.request_id"] == id)
            // Nothing says who it was.
            #expect(!spans.contains { $0.attributes.values.contains { $0.contains("ada@") } })
          }
          #expect(try Self.spans(of: Self.trace("5"), in: collector.folder).isEmpty)
        }
      }
    }

    @Test("Collectors that hang, say too much or are not there harm nothing")
    func collector_bad_harmsNothing() async throws {
      let loops = try EventLoopGroup.epoll(count: 1)
      defer { loops.stop() }
      let nowhere = try await Installation.freePort(on: loops)
      try await PythonServer.run(Self.collector, on: loops.loops[0]) { collector in
        let address = try plain(collector)
        let settings: [String: [String: JSONValue]] = [
          "auth": ["traces": ["endpoint": .string("\(address)/hang")]],
          "tenancy": ["traces": ["endpoint": .string("\(address)/huge")]],
          "entitlement": ["traces": ["endpoint": .string("http://127.0.0.1:\(nowhere)/v1/traces")]],
        ]
        try await Installation.run(settings: settings) { home in
          let ada = try await home.signUp("ada")
          let portfolio = try await home.portfolios.create(.init(name: "Pier"), options: ada.call)
            .id
          #expect(try await home.signIn(ada).id == ada.id)
          #expect(try await home.entitlements(ofPortfolio: portfolio, as: ada).tier == "free")
          for service in home.all { service.send(SIGTERM) }
          for service in home.all {
            let ending = await service.ending()
            #expect(ending == .exited(0), "\(service.name)")
            let log = try home.folder.text(of: "\(service.name).log")
            // A collector that says 200 has them, however much it says beside it.
            let isLost = service.name != "tenancy"
            #expect(log.contains("spans were lost") == isLost, "\(service.name)")
          }
        }
      }
    }
  }
}
