import Testing

@testable import RPCKitHTTP

/// Which heads ask for the same as others.
struct VaryingFieldsTests {
  private let fields: HTTPFields = [
    "content-type": "application/json", "traceparent": "a", "content-length": "1",
  ]

  private func head(
    _ fields: HTTPFields,
    path: String = "/a",
    query: String? = nil
  ) -> HTTPRequestHead {
    HTTPRequestHead(method: "POST", path: path, query: query, fields: fields, version: .http2)
  }

  @Test("Traces, identifiers and lengths may differ")
  func varyingValues_askForTheSame() {
    let other: HTTPFields = [
      "content-type": "application/json", "traceparent": "b", "content-length": "22",
    ]
    #expect(head(fields).asksLike(head(other)) && head(other).asksLike(head(fields)))
  }

  @Test(
    "Anything else must be equal",
    arguments: [
      ["content-type": "text/plain", "traceparent": "a", "content-length": "1"],
      ["content-type": "application/json", "content-length": "1", "traceparent": "a"],
      ["content-type": "application/json", "traceparent": "a"],
      ["content-type": "application/json", "tracestate": "a", "content-length": "1"],
      [
        "content-type": "application/json", "traceparent": "a", "content-length": "1",
        "accept": "a",
      ], [:],
    ] as [HTTPFields]
  )
  func otherFields_doNot(other: HTTPFields) {
    #expect(!head(fields).asksLike(head(other)) && !head(other).asksLike(head(fields)))
  }

  @Test("Another target is another request")
  func otherTargets_doNot() {
    #expect(!head(fields).asksLike(head(fields, path: "/b")))
    #expect(!head(fields).asksLike(head(fields, query: "a")))
  }

  @Test("No field that varies says how a call is read")
  func names_areOfMetadata() {
    for name in ["grpc-timeout", "content-type", "grpc-encoding", "accept", "connect-timeout-ms"] {
      #expect(!VaryingFields.contain(name))
    }
    #expect(!VaryingFields.contain("x-envoy-expected-rq-timeout-ms"))
    #expect(!VaryingFields.contain("content-encoding") && !VaryingFields.contain("data-bin"))
  }
}
