import RPCKit
import ServiceKit
import Testing

@testable import AuthService

@Suite("The cookie of the console's session")
struct ConsoleCookieTests {
  @Test(
    "The token is found among other cookies, and only under its name",
    arguments: [
      ("__Host-gatehouse=abc", "abc"), ("a=b; __Host-gatehouse=abc; c=d", "abc"),
      ("a=b;__Host-gatehouse=a=c", "a=c"), ("gatehouse=abc", nil), ("x__Host-gatehouse=abc", nil),
      ("__Host-gatehouse=", nil), ("", nil),
    ] as [(String, String?)]
  )
  func value_ofAHeader_isTheToken(header: String, token: String?) {
    #expect(ConsoleCookie.value(in: ["cookie": header]) == token)
  }

  @Test("Of two cookies of the name none is believed: one of them may be somebody else's")
  func value_ofTwo_isNone() {
    #expect(ConsoleCookie.value(in: ["cookie": "__Host-gatehouse=a; __Host-gatehouse=b"]) == nil)
    var metadata: Metadata = ["cookie": "__Host-gatehouse=a"]
    metadata.append("cookie", "__Host-gatehouse=b")
    #expect(ConsoleCookie.value(in: metadata) == nil)
  }

  @Test("It lives as long as the session, and no script and no other site has it")
  func setting_hasAllAttributes() {
    let attributes = "; Path=/; Secure; HttpOnly; SameSite=Strict"
    let end = Google_Protobuf.Timestamp(milliseconds: 61_500)
    let text = ConsoleCookie.setting("abc", until: end, now: 1_000)
    #expect(text == "__Host-gatehouse=abc; Max-Age=60\(attributes)")
    #expect(ConsoleCookie.setting("abc", until: nil, now: 0).contains("; Max-Age=0;"))
  }
}
