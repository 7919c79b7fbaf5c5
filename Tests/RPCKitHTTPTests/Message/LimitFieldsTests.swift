import RPCKit
import Testing

@testable import RPCKitHTTP

@Suite("Fields that say which limit was met", .teardown) struct LimitFieldsTests {
  private func fields(
    _ code: StatusCode,
    reason: String?,
    after delay: Duration?
  ) -> HTTPFields {
    var details: [RPCError.Detail] = []
    if let reason {
      let info = Google_Rpc.ErrorInfo(reason: reason, domain: "test")
      details.append(
        RPCError.Detail(
          typeURL: "type.googleapis.com/google.rpc.ErrorInfo",
          value: info.protobufBytes
        )
      )
    }
    if let delay { details.append(.retryInfo(delay)) }
    var fields = HTTPFields()
    fields.appendLimit(of: RPCError(code, "", details: details))
    return fields
  }

  @Test("The time is in whole seconds that are not shorter, up to ten years")
  func delay_isRoundedUp() {
    let cases: [(Duration, String)] = [
      (.nanoseconds(1), "1"), (.seconds(1), "1"), (.milliseconds(1001), "2"),
      (.seconds(86_400), "86400"), (.seconds(Int64.max), "315576001"),
    ]
    for (delay, seconds) in cases {
      let expected: HTTPFields = [
        "retry-after": seconds, "ratelimit": "\"OUT_2\";r=0;t=\(seconds)",
      ]
      #expect(fields(.resourceExhausted, reason: "OUT_2", after: delay) == expected)
    }
  }

  @Test("What nobody knows is not said")
  func delay_missing_isNothing() {
    #expect(fields(.resourceExhausted, reason: "OUT", after: nil).isEmpty)
    #expect(fields(.resourceExhausted, reason: "OUT", after: .zero).isEmpty)
  }

  @Test("Only limits are named, and only by what is a reason")
  func name_isAReason() {
    let time: HTTPFields = ["retry-after": "3"]
    #expect(fields(.unavailable, reason: "OUT", after: .seconds(3)) == time)
    let long = String(repeating: "A", count: 64)
    for reason in [nil, "", "out", "A B", "A\"", "A\\", "A\r\nset-cookie: a", "\u{c4}", long] {
      #expect(
        fields(.resourceExhausted, reason: reason, after: .seconds(3)) == time,
        "\(reason ?? "-")"
      )
    }
  }
}
