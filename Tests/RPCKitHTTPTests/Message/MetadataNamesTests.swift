import Testing

@testable import RPCKitHTTP

@Suite(.teardown) struct MetadataNamesTests {
  @Test(arguments: [
    "accept", "accept-encoding", "access-control-request-method", "connect-timeout-ms",
    "connection",
    "content-encoding", "content-length", "content-type", "date", "expect", "grpc-timeout", "host",
    "http2-settings", "keep-alive", "proxy-connection", "sec-fetch-mode", "te", "trailer",
    "trailer-x", "transfer-encoding", "upgrade", ":path",
  ])
  func name_ofHTTPOrOfAWayToCall_isNoMetadata(_ name: String) {
    #expect(MetadataNames.isReserved(name))
  }

  @Test(arguments: [
    "accept-language", "authorization", "connector", "content", "dates", "grpc", "hosts", "proxy",
    "sec-fetch-site", "second",
    "tenant", "traceparent", "upgrades", "user-agent", "x-name", "",
  ])
  func otherName_isMetadata(_ name: String) {
    #expect(!MetadataNames.isReserved(name))
  }
}
