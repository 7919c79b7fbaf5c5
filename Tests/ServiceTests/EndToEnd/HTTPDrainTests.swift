import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Glibc
import RPCKit
import Testing

extension EndToEndTests {
  @Suite("Stopping a service that is called by HTTP")
  struct HTTPDrainTests {
    /// Has calls under way by REST and by gRPC, stops the service and looks what becomes of them.
    private static let script = #"""
      import grpc, json, os, signal, socket, struct, sys
      port, process = int(sys.argv[1]), int(sys.argv[2])
      password = "a long pass phrase for everybody"

      def field(number, text):
          return bytes([number << 3 | 2, len(text)]) + text.encode()

      class Client:
          "A connection of HTTP/1.1 that is kept."
          def __init__(self):
              self.socket = socket.create_connection(("127.0.0.1", port))
              self.file = self.socket.makefile("rb")
          def send(self, path, body, sent=None):
              content = json.dumps(body).encode()
              head = "POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
              self.rest = content[sent:] if sent is not None else b""
              self.socket.sendall((head % (path, len(content))).encode() + content[:sent])
          def answer(self):
              status = int(self.file.readline().split()[1])
              fields = dict(line.decode().strip().lower().split(": ", 1) for line in iter(self.file.readline, b"\r\n"))
              return status, fields, json.loads(self.file.read(int(fields["content-length"])))

      class Frames:
          "A connection of HTTP/2 on which nothing is asked."
          def __init__(self):
              self.socket = socket.create_connection(("127.0.0.1", port))
              self.file = self.socket.makefile("rb")
              self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self.frame(4, 0, b""))
          def frame(self, kind, flags, content):
              return struct.pack(">I", len(content))[1:] + bytes([kind, flags]) + bytes(4) + content
          def goaway(self):
              "The error code of the next GOAWAY; what must be answered before is answered."
              while True:
                  head = self.file.read(9)
                  assert len(head) == 9, "no GOAWAY"
                  content = self.file.read(int.from_bytes(head[:3], "big"))
                  if head[3] == 7:
                      return int.from_bytes(content[:4], "big"), int.from_bytes(content[4:8], "big")
                  if head[3] in (4, 6) and not head[4] & 1:
                      self.socket.sendall(self.frame(head[3], 1, content if head[3] == 6 else b""))

      def person(number):
          "Who signs up: each needs a hash and a write."
          return {"email": "p%d@example.com" % number, "password": password, "displayName": "p",
                  "allowPartialContext": True}

      first, last, idle = Client(), Client(), Frames()
      first.send("/api/v1/auth/signup", person(0))
      assert first.answer()[0] == 201
      channel = grpc.insecure_channel("127.0.0.1:%d" % port, options=[("grpc.enable_http_proxy", 0)])
      check = channel.unary_unary("/grpc.health.v1.Health/Check")
      check(b"", timeout=60)
      sign_up = channel.unary_unary("/auth.v1.Authentication/SignUp")
      calls = [sign_up.future(field(1, person(number)["email"]) + field(2, password) + field(3, "p") + b"\x38\x01",
                              timeout=60) for number in range(1, 9)]
      first.send("/api/v1/auth/signup", person(9))
      last.send("/api/v1/auth/signup", person(10), 10)
      # What came before these has been read when they are answered.
      for _ in range(3):
          check(b"", timeout=60)
      os.kill(process, signal.SIGTERM)
      # First that it will end, then what the last stream was.
      assert idle.goaway() == (2**31 - 1, 0)
      assert idle.goaway() == (0, 0)
      assert idle.file.read() == b""
      # What was asked before is answered.
      assert all(call.result() for call in calls)
      status, fields, body = first.answer()
      assert (status, body["status"]) == (201, "success"), body
      assert first.file.read() == b""
      # What came only in part is refused, and nothing else is taken on its connection.
      last.socket.sendall(last.rest)
      status, fields, body = last.answer()
      assert (status, body["details"]["reason"]) == (503, "SERVER_DRAINING"), body
      assert fields["connection"] == "close", fields
      assert last.file.read() == b""
      """#

    @Test("Calls under way are answered, and clients of both versions are told that it ends")
    func terminate_whileCalled_losesNoCall() async throws {
      try await Installation.run { home in
        let port = try #require(home.auth.target.split(separator: ":").last)
        let script = home.folder.file("drain.py")
        try home.folder.write(Self.script, to: "drain.py")
        let client = try ChildProcess(
          // Debian packages the client of gRPC for its own Python.
          "/usr/bin/python3",
          [script, String(port), "\(try #require(home.auth.processID))"],
          output: home.folder.file("drain.log")
        )
        let hasEnded = await home.auth.eventually(within: .seconds(120)) { client.ending != nil }
        if !hasEnded { client.send(SIGKILL) }
        #expect(client.ending == .exited(0), "\(home.folder.end(of: "drain.log"))")
        #expect(await home.auth.ending() == .exited(0))
      }
    }
  }
}
