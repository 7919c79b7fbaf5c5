import Testing

extension EndToEndTests {
  @Suite("Importing accounts and looking after them")
  struct ImportCommandTests {
    /// Writes 300 accounts of another system, a sixth of them with hashes of each kind as Python and libxcrypt make
    /// them, and two that are refused.
    private static let rows = #"""
      import base64, crypt, hashlib, json, os

      def text(data):
          return base64.b64encode(data).decode()

      def derived(name, password, salt):
          return hashlib.pbkdf2_hmac(name, password.encode(), salt, 1000)

      def bcrypt(password):
          return crypt.crypt(password, crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=16))

      def sha_crypt(password):
          return crypt.crypt(password, crypt.mksalt(crypt.METHOD_SHA512, rounds=1000))

      def yescrypt(password):
          return crypt.crypt(password, "$y$j75$oS.y7gTZjYH1Llf/oZpy//")

      def django(password):
          return "pbkdf2_sha256$1000$pepperandsalt$" + text(derived("sha256", password, b"pepperandsalt"))

      def passlib(password):
          salt = os.urandom(16)
          parts = [text(part).rstrip("=").replace("+", ".") for part in (salt, derived("sha512", password, salt))]
          return "$pbkdf2-sha512$1000$" + "$".join(parts)

      def directory(password):
          salt = os.urandom(8)
          return "{SSHA256}" + text(hashlib.sha256(password.encode() + salt).digest() + salt)

      kinds = [bcrypt, sha_crypt, yescrypt, django, passlib, directory]

      def row(number, hash):
          print(json.dumps({"sourceId": str(number), "email": f"user{number}@example.com",
                            "displayName": f"User {number}", "passwordHash": hash}))

      for number in range(300):
          row(number, kinds[number % len(kinds)](f"the password of {number}"))
      row(300, "$2b$31$" + bcrypt("x")[7:])
      row(301, hashlib.md5(b"x").hexdigest())
      """#

    @Test("Accounts of another system come with their passwords, once, and two are refused")
    func import_realHashes_signIn() async throws {
      try await Installation.run { home in
        try home.folder.write(Self.rows, to: "rows.py")
        let ending = try await home.shell(
          """
          /usr/bin/python3 rows.py > users.ndjson
          boss=$(gatehouse signup boss@example.com Boss | sed -nE 's/.*\\((usr_.*)\\)$/\\1/p')
          auth-service grant-super-admin "$boss" --config auth.json
          gatehouse import shop users.ndjson --dry-run > rehearsed.ndjson
          ! gatehouse user user0@example.com
          gatehouse import shop users.ndjson > refused.ndjson
          test "$(wc -l < refused.ndjson)" = 2
          cmp rehearsed.ndjson refused.ndjson
          gatehouse import shop users.ndjson
          gatehouse users user29 | grep user299@example.com
          ! GATEHOUSE_PASSWORD='another password' gatehouse login user0@example.com --session user.json
          for number in 0 1 2 3 4 5 294 295 296 297 298 299; do
            export GATEHOUSE_PASSWORD="the password of $number"
            gatehouse login user$number@example.com --session user.json
            gatehouse whoami --session user.json | grep "user$number@example.com"
          done
          # The hash is one of our own by now.
          for number in 0 1 2 3 4 5; do
            export GATEHOUSE_PASSWORD="the password of $number"
            gatehouse login user$number@example.com --session user.json
          done
          """
        )
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
      }
    }

    @Test("An operator disables, enables, signs out and forces a reset by the commands for it")
    func operators_commands_lookAfterAccounts() async throws {
      try await Installation.run { home in
        let ending = try await home.shell(
          """
          boss=$(gatehouse signup boss@example.com Boss | sed -nE 's/.*\\((usr_.*)\\)$/\\1/p')
          gatehouse signup ada@example.com Ada --session ada.json
          auth-service grant-super-admin "$boss" --config auth.json
          gatehouse users ada | grep ada@example.com
          gatehouse user ada@example.com | grep ada@example.com
          gatehouse disable-user ada@example.com 'left the company' | grep disabled
          ! gatehouse whoami --session ada.json
          ! gatehouse login ada@example.com --session ada.json
          ! gatehouse disable-user boss@example.com 'by mistake'
          gatehouse enable-user ada@example.com 'came back' | grep 'signed in to again'
          gatehouse login ada@example.com --session ada.json
          gatehouse end-sessions ada@example.com
          ! gatehouse whoami --session ada.json
          gatehouse login ada@example.com --session ada.json
          gatehouse force-reset ada@example.com 'seen in a leak' | grep 'ended 1 session$'
          ! gatehouse login ada@example.com --session ada.json
          gatehouse user ada@example.com --output json > shown
          grep 'user.disable' shown
          grep 'user.enable' shown
          for try in $(seq 3000); do
            grep -l 'reset-password' auth.db.mail/*.eml && break
            gatehouse user ada@example.com --output json > shown
          done
          grep -l 'reset-password' auth.db.mail/*.eml
          """
        )
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
      }
    }
  }
}
