import ServiceKit
import Testing

@testable import AuthService

@Suite("Codes of authenticator apps")
struct TimeCodeTests {
  /// Appendix B of RFC 6238.
  ///
  /// Its secrets are as long as the hash (erratum 2866): the digits repeated.
  private static let published: [(time: Int64, codes: [String])] = [
    (59, ["94287082", "46119246", "90693936"]),
    (1_111_111_109, ["07081804", "68084774", "25091201"]),
    (1_111_111_111, ["14050471", "67062674", "99943326"]),
    (1_234_567_890, ["89005924", "91819424", "93441116"]),
    (2_000_000_000, ["69279037", "90698825", "38618901"]),
    (20_000_000_000, ["65353130", "77737706", "47863826"]),
  ]

  @Test("The eighteen codes of RFC 6238 come out")
  func code_published_areMade() {
    let digits = Array("1234567890".utf8)
    for (time, codes) in Self.published {
      for (hash, code) in zip(MessageCode.Hash.allCases, codes) {
        let secret = (0..<hash.byteCount).map { digits[$0 % 10] }
        let made = TimeCode(secret: secret).code(
          step: TimeCode.step(at: time * 1000),
          digitCount: 8,
          hash: hash
        )
        #expect(made == code, "\(hash) at \(time)")
      }
    }
  }

  /// Made by oathtool 2.6.7: `oathtool --totp -b -N @TIME SECRET`.
  private static let foreign: [(secret: String, codes: [String])] = [
    (
      "MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U",
      ["953265", "241063", "466905", "702849", "278167", "604728"]
    ),
    (
      "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      ["755224", "287082", "081804", "005924", "279037", "430211"]
    ),
    (
      "7777777777777777777777777777777A",
      ["457033", "540584", "479776", "333964", "891278", "903945"]
    ),
  ]
  private static let foreignTimes: [Int64] = [
    0, 59, 1_111_111_109, 1_234_567_890, 2_000_000_000, 4_102_444_799,
  ]
  private static let foreignSecrets: [[UInt8]] = [
    Array("abcdefghijklmnopqrst".utf8), Array("12345678901234567890".utf8),
    [UInt8](repeating: 0xFF, count: 19) + [0xE0],
  ]

  @Test("So do those of another program, for the secrets as it reads them")
  func code_oathtool_isTheSame() {
    for ((text, codes), secret) in zip(Self.foreign, Self.foreignSecrets) {
      #expect(Base32.encode(secret) == text)
      let made = Self.foreignTimes.map {
        TimeCode(secret: secret).code(step: TimeCode.step(at: $0 * 1000))
      }
      #expect(made == codes)
    }
  }

  @Test(
    "Base 32 is that of RFC 4648, without padding",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
      ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
    ]
  )
  func encode_published_isMade(text: String, encoded: String) {
    #expect(Base32.encode(Array(text.utf8)) == encoded)
  }

  @Test("A code is accepted one step early and one late, and only for a step that is free")
  func step_window_isThreeSteps() {
    let codes = TimeCode(secret: Self.foreignSecrets[1])
    let now: Int64 = 1_234_567_890_000
    let current = TimeCode.step(at: now)
    for offset in -3...3 as ClosedRange<Int64> {
      let step = current + offset
      let found = codes.step(of: codes.code(step: step), at: now) { _ in true }
      #expect(found == ((-1...1).contains(offset) ? step : nil), "\(offset)")
    }
    let code = codes.code(step: current)
    #expect(codes.step(of: code, at: now) { $0 > current } == nil)
    #expect(codes.step(of: code, at: now) { $0 >= current } == current)
    for text in ["", "00592", "0059240", "００５９２４", "abcdef"] {
      #expect(codes.step(of: text, at: now) { _ in true } == nil, "\(text)")
    }
  }

  @Test("The URI of a QR code is what apps read, whatever the names contain")
  func uri_names_arePercentEncoded() {
    let codes = TimeCode(secret: Self.foreignSecrets[1])
    #expect(
      codes.uri(issuer: "Gatehouse", account: "ada@example.org")
        == "otpauth://totp/Gatehouse:ada%40example.org"
        + "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Gatehouse"
    )
    #expect(
      codes.uri(issuer: "Stable: & Söhne", account: "a+b c@x.org").hasPrefix(
        "otpauth://totp/Stable%3A%20%26%20S%C3%B6hne:a%2Bb%20c%40x.org?secret="
      )
    )
    #expect(
      codes.uri(issuer: "Stable: & Söhne", account: "a").hasSuffix(
        "&issuer=Stable%3A%20%26%20S%C3%B6hne"
      )
    )
  }

  @Test("A step that was burnt later than any that is accepted now locks nobody out")
  func isFree_clockSetBack_isFree() {
    let now: Int64 = 1_234_567_890_000
    let step = TimeCode.step(at: now)
    func app(_ lastStep: Int64) -> TotpTable.Stored {
      .init(id: "totp_1", sealed: [], created: 0, confirmed: 1, lastStep: lastStep)
    }
    #expect(app(step - 1).isFree(step, now: now))
    #expect(!app(step).isFree(step, now: now))
    #expect(!app(step + 1).isFree(step, now: now))
    #expect(app(step + 2).isFree(step, now: now))
  }
}
