import RPCKit
import ServiceKit
import Testing

@testable import AuthService

/// An SMTP server that tests start: Python's aiosmtpd, with habits that the local parts of addresses choose.
///
/// Each mail that it accepts becomes `mails/ID.eml` in its folder, and a line of `mails.log`.
struct MailServer {
  /// How it may be spoken to.
  enum Mode: String {
    /// TLS from the first byte, and AUTH.
    case tls
    /// STARTTLS, and AUTH after it.
    case startTLS
    /// Neither.
    case plain
    /// TLS from the first byte, and no AUTH.
    case withoutAUTH
    /// TLS from the first byte, and another authentication than by password.
    case otherAUTH
    /// Takes connections and says nothing.
    case silent
  }

  static let user = "gatehouse"
  static let password = "a password with blanks & ümlauts"

  private static let script = #"""
    import asyncio, json, os, re, ssl, sys
    from aiosmtpd.smtp import SMTP, AuthResult

    mode, user, password = sys.argv[1:]
    os.mkdir("mails")
    seen = set()


    class Handler:
        async def handle_RCPT(self, server, session, envelope, address, options):
            name = address.split("@")[0]
            if name == "grey" and address not in seen:
                seen.add(address)
                return "451 4.7.1 <%s>: come back later" % address
            replies = {
                "unknown": "550 5.1.1 <%s>: no such user" % address,
                "policy": "550 5.7.1 not from you",
                "closing": "421 4.3.2 shutting down",
            }
            if name in replies:
                return replies[name]
            envelope.rcpt_tos.append(address)
            return "250 2.1.5 OK"

        async def handle_DATA(self, server, session, envelope):
            if envelope.rcpt_tos[0].startswith("hang@"):
                open("hanging", "w").close()
                await asyncio.Event().wait()
            content = envelope.content
            id = re.search(rb"^Message-ID: <(\w+)@", content, re.M).group(1).decode()
            with open("mails/.new", "wb") as file:
                file.write(content)
            os.rename("mails/.new", "mails/%s.eml" % id)
            line = {
                "id": id, "from": envelope.mail_from, "to": envelope.rcpt_tos,
                "connection": session.peer[1], "client": session.host_name,
                "login": session.auth_data and session.auth_data.login.decode(),
                "unicode": envelope.smtp_utf8, "size": len(content),
                "bare": len(re.findall(rb"\r(?!\n)|(?<!\r)\n", content)),
            }
            with open("mails.log", "a") as file:
                file.write(json.dumps(line) + "\n")
            return "250 2.0.0 queued"


    class Silent(asyncio.Protocol):
        def connection_made(self, transport):
            open("hanging", "w").close()


    class OtherAUTH(SMTP):
        async def auth_CRAM__MD5(self, server, arguments):
            return AuthResult(success=True, auth_data=None)


    def check(server, session, envelope, mechanism, data):
        known = data.login == user.encode() and data.password == password.encode()
        return AuthResult(success=known, handled=False, auth_data=data)


    def connect():
        settings = {"data_size_limit": 20000, "hostname": "mail.test", "enable_SMTPUTF8": mode == "tls"}
        if mode in ("tls", "startTLS"):
            settings.update(auth_required=True, authenticator=check, auth_require_tls=mode != "tls")
        if mode == "startTLS":
            settings.update(tls_context=context, require_starttls=True)
        if mode == "otherAUTH":
            settings.update(auth_require_tls=False, auth_exclude_mechanism=["LOGIN", "PLAIN"])
            return OtherAUTH(Handler(), **settings)
        return Silent() if mode == "silent" else SMTP(Handler(), **settings)


    async def main():
        implicit = mode in ("tls", "withoutAUTH", "otherAUTH")
        server = await asyncio.get_running_loop().create_server(
            connect, "127.0.0.1", 0, ssl=context if implicit else None
        )
        with open("server.port.new", "w") as file:
            file.write(str(server.sockets[0].getsockname()[1]))
        os.rename("server.port.new", "server.port")
        await server.serve_forever()


    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("server.pem", "server.key")
    asyncio.run(main())
    """#

  /// A mail that the server accepted.
  struct Accepted {
    let id: String
    let sender: String
    let recipients: [String]
    /// The client's port: mails of one connection have the same.
    let connection: Int64
    /// What the client called itself.
    let client: String
    /// Who signed in.
    let login: String?
    /// Whether it came as a mail with addresses beyond ASCII.
    let isUnicode: Bool
    let byteCount: Int64
    /// Carriage returns and line feeds that stand alone.
    let bareCount: Int64

    init(_ line: Substring) throws {
      let value = try JSONReader.read(Array(line.utf8), limits: JSONLimits(byteCountMax: 4096))
      let object = try #require(value.object)
      id = try #require(object["id"]?.string)
      sender = try #require(object["from"]?.string)
      let to = try #require(object["to"]?.array)
      recipients = to.compactMap(\.string)
      connection = try #require(object["connection"]?.integer)
      client = try #require(object["client"]?.string)
      login = object["login"]?.string
      isUnicode = object["unicode"]?.boolean ?? false
      byteCount = try #require(object["size"]?.integer)
      bareCount = try #require(object["bare"]?.integer)
    }
  }

  let server: PythonServer

  /// Runs `body` while the server runs.
  static func run(
    _ mode: Mode,
    on loop: any EventLoop,
    _ body: (MailServer) async throws -> Void
  ) async throws {
    try await PythonServer.run(script, [mode.rawValue, user, password], on: loop) { server in
      try server.folder.write("\(password)\n", to: "password")
      try await body(MailServer(server: server))
    }
  }

  /// The settings to reach it by.
  func settings(_ encryption: SMTPSettings.Encryption, signsIn: Bool = true) -> SMTPSettings {
    var settings = SMTPSettings()
    settings.server = "localhost"
    settings.port = server.port
    settings.encryption = encryption
    settings.authorities = server.folder.file("ca.pem")
    if signsIn {
      settings.user = Self.user
      settings.passwordFile = server.folder.file("password")
    }
    settings.name = "client.test"
    settings.seconds = 60
    return settings
  }

  /// What it has accepted, in the order of time.
  func accepted() throws -> [Accepted] {
    // There is no file before the first mail.
    let log = (try? server.folder.text(of: "mails.log")) ?? ""
    return try log.split(separator: "\n").map { try Accepted($0) }
  }
}
