/// A way to put calls into HTTP requests.
package enum CallDialect: String, Hashable, Sendable, CaseIterable {
  /// gRPC over HTTP/2.
  case grpc
  /// gRPC-Web, in bytes and in base64.
  case grpcWeb
  /// Connect, unary and streaming.
  case connect
}
