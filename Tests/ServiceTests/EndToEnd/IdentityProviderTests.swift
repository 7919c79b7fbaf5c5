import Foundation
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  @Suite("Identities at other providers")
  struct IdentityProviderTests {
    /// A provider's key set over HTTPS, and Apple's endpoints, where each code is exchanged once; notes who
    /// asked, and what was posted.
    private static let server = #"""
      import base64, http.server, json, os, ssl, urllib.parse

      exchanged = set()

      class Handler(http.server.BaseHTTPRequestHandler):
          def do_POST(self):
              text = self.rfile.read(int(self.headers["Content-Length"])).decode()
              form = dict(urllib.parse.parse_qsl(text, strict_parsing=True))
              assert self.headers["Content-Type"] == "application/x-www-form-urlencoded"
              assert form["client_id"] == "com.example.app" and form["client_secret"].count(".") == 2
              status, body = 200, b""
              if self.path == "/auth/token":
                  code = form["code"]
                  status = 400 if code in exchanged else 200
                  exchanged.add(code)
                  parts = [json.dumps(part).encode() for part in ({"alg": "RS256", "kid": "k"}, {"sub": code.split()[-1]})]
                  token = ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (*parts, b"x"))
                  body = json.dumps({"refresh_token": "refresh " + code, "id_token": token}).encode()
              with open("posted", "a") as file:
                  file.write(f"{self.path} {status} {form.get('code') or form['token']}\n")
              self.send_response(status)
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)

          def do_GET(self):
              with open("asked", "a") as file:
                  file.write(self.path + "\n")
              with open("keys.json", "rb") as file:
                  body = file.read()
              self.send_response(200)
              self.send_header("Cache-Control", "max-age=19800, public")
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)

      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain("server.pem", "server.key")
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
      server.daemon_threads = True
      server.socket = context.wrap_socket(server.socket, server_side=True)
      with open("server.port.new", "w") as file:
          file.write(str(server.server_address[1]))
      os.rename("server.port.new", "server.port")
      server.serve_forever()
      """#

    /// The provider: makes its key and key set, signs tokens with the `openssl` command, and writes
    /// requests.
    private static let provider = #"""
      import base64, hashlib, json, subprocess, sys, time

      def text(data):
          return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

      def openssl(*words, data=b""):
          return subprocess.run(["openssl", *words], input=data, check=True, stdout=subprocess.PIPE).stdout

      def sign(claims):
          now = int(time.time())
          claims = {"iat": now, "exp": now + 3600, "aud": "com.example.app", **claims}
          parts = [{"alg": "RS256", "kid": "key-1"}, claims]
          signed = ".".join(text(json.dumps(part).encode()) for part in parts)
          return signed + "." + text(openssl("dgst", "-sha256", "-sign", "provider.pem", data=signed.encode()))

      def main(what, *words):
          if what == "keys":
              openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "provider.pem")
              modulus = openssl("rsa", "-in", "provider.pem", "-noout", "-modulus").decode().split("=")[1]
              key = {"kty": "RSA", "kid": "key-1", "use": "sig", "alg": "RS256", "e": "AQAB"}
              key["n"] = text(bytes.fromhex(modulus.strip()))
              print(json.dumps({"keys": [key]}))
          elif what == "request":
              provider, issuer, subject, email = words
              challenge = json.load(open("challenge.json"))
              claims = {"iss": issuer, "sub": subject, "nonce": challenge["nonce"]}
              claims.update(email=email, email_verified="true")
              request = {"rawNonce": challenge["rawNonce"]}
              if provider.startswith("apple"):
                  code = f"{time.time_ns()} {subject}"
                  claims["c_hash"] = text(hashlib.sha256(code.encode()).digest()[:16])
                  request["authorizationCode"] = code
              request["identityToken"] = sign(claims)
              if provider != "apple-sign-in":
                  request["provider"] = provider
              print(json.dumps(request))
          elif what == "notification":
              event = {"type": words[0], "sub": words[1], "event_time": int(time.time() * 1000) + 60000}
              claims = {"iss": "https://appleid.apple.com", "jti": words[2], "events": json.dumps(event)}
              print(json.dumps({"payload": sign(claims)}))
          elif what == "field":
              value = json.load(open(words[0]))
              for name in words[1].split("."):
                  value = value[int(name)] if name.isdigit() else value[name]
              print(value)

      main(*sys.argv[1:])
      """#

    /// Adds the providers to the settings of AuthService, which is started again with them.
    private func setUp(_ home: Installation, port: UInt16) async throws {
      let text = try home.folder.text(of: "auth.json")
      let value = try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 1 << 20))
      var settings = try #require(value.object)
      settings["identity_providers"] = [
        "apple": [
          "client_ids": ["com.example.app"],
          "keys": [
            "url": .string("https://localhost:\(port)/keys"),
            "ca_file": .string(home.folder.file("ca.pem")), "allow_private_addresses": true,
          ],
          "authorization": [
            "team_id": "DEF123GHIJ", "key_id": "ABC123DEFG",
            "key_file": .string(home.folder.file("apple.p8")),
            "url": .string("https://localhost:\(port)"),
            "ca_file": .string(home.folder.file("ca.pem")), "allow_private_addresses": true,
          ],
        ],
        "work": [
          "issuers": ["https://work.example"], "client_ids": ["com.example.app"],
          "keys": ["file": .string(home.folder.file("keys.json"))],
        ],
      ]
      try home.folder.write(JSONValue.object(settings).indentedText, to: "auth.json")
      try await home.auth.kill()
      try await home.auth.start()
    }

    @Test(
      "With keys over HTTPS and in a file, people sign in, link, unlink, and Apple ends what it says"
    )
    func identities_ofProviders_signIn() async throws {
      try await Installation.run { home in
        try home.folder.write(Self.provider, to: "provider.py")
        let loop = home.loops.loops[0]
        try await PythonServer.run(Self.server, in: home.folder, on: loop) { server in
          let made = try await home.shell(
            """
            python3 provider.py keys > keys.json
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out apple.p8
            """
          )
          let madeLog = try home.folder.text(of: "shell.log")
          try #require(made == .exited(0), "\(madeLog)")
          try await setUp(home, port: server.port)
          let ending = try await home.shell(
            """
            apple=https://appleid.apple.com
            provider() { python3 provider.py "$@"; }
            start() { gatehouse call Identities/$1 "$2" > challenge.json; }
            auth-service --check-config --config auth.json
            gatehouse signup ada@example.com Ada
            start StartLink '{"provider": "apple"}'
            provider request apple $apple 001.ada ada@relay.example > request.json
            gatehouse call Identities/Link - < request.json
            ! gatehouse call Identities/Link - < request.json
            gatehouse identities | grep '  apple  ada@relay.example$'
            start StartAppleSignIn '{}'
            provider request apple-sign-in $apple 001.ada ada@relay.example > request.json
            gatehouse call Identities/SignInWithApple - < request.json > answer.json
            test "$(provider field answer.json user.email)" = ada@example.com
            ! gatehouse call Identities/SignInWithApple - < request.json
            start StartSignIn '{"provider": "work"}'
            provider request work https://work.example 7 bob@example.com > request.json
            gatehouse call Identities/SignIn - < request.json > answer.json
            test "$(provider field answer.json user.email)" = bob@example.com
            start StartSignIn '{"provider": "work"}'
            provider request work https://work.example 8 ada@example.com > request.json
            gatehouse call Identities/SignIn - < request.json 2> refusal && exit 9 || true
            grep IDENTITY_NOT_LINKED refusal
            test "$(cat asked)" = /keys
            """
          )
          let log = try home.folder.text(of: "shell.log")
          #expect(ending == .exited(0), "\(log)")
          try await home.auth.kill()
          try await home.auth.start()
          let second = try await home.shell(
            """
            apple=https://appleid.apple.com
            provider() { python3 provider.py "$@"; }
            gatehouse call Identities/StartAppleSignIn > challenge.json
            provider request apple-sign-in $apple 001.ada ada@relay.example > request.json
            gatehouse call Identities/SignInWithApple - < request.json > answer.json
            test "$(provider field answer.json user.email)" = ada@example.com
            provider notification consent-revoked 001.ada n1 > notification.json
            gatehouse call Identities/NotifyApple - < notification.json > told.json
            test "$(provider field told.json applied)" = True
            gatehouse call Identities/NotifyApple - < notification.json > told.json
            test "$(provider field told.json duplicate)" = True
            ! gatehouse identities
            gatehouse login ada@example.com
            gatehouse identities > left
            ! grep apple left
            gatehouse call Identities/StartLink '{"provider": "apple"}' > challenge.json
            provider request apple $apple 001.ada ada@relay.example > request.json
            gatehouse call Identities/Link - < request.json > linked.json
            gatehouse unlink-identity "$(provider field linked.json id)"
            gatehouse identities > left
            ! grep apple left
            # What was allowed is revoked.
            code=$(provider field request.json authorizationCode)
            for try in $(seq 3000); do
              grep -q "^/auth/revoke 200 refresh $code$" posted && break
              gatehouse identities > left
            done
            grep "^/auth/token 200 $code$" posted
            grep "^/auth/revoke 200 refresh $code$" posted
            """
          )
          let secondLog = try home.folder.text(of: "shell.log")
          #expect(second == .exited(0), "\(secondLog)")
        }
      }
    }
  }
}
