/// Connect's own client for Python, from PyPI, which speaks gRPC and gRPC-Web as well.
struct ConnectPython {
  /// How calls are made: by which protocol over which version of HTTP, and how messages are written.
  enum Way: String, CaseIterable {
    case connect1 = "CONNECT HTTP1 proto"
    case connect2 = "CONNECT HTTP2 proto"
    case connectJSON1 = "CONNECT HTTP1 json"
    case connectJSON2 = "CONNECT HTTP2 json"
    case grpc = "GRPC HTTP2 proto"
    case grpcWeb1 = "GRPC_WEB HTTP1 proto"
    case grpcWeb2 = "GRPC_WEB HTTP2 proto"

    /// Each protocol, version and codec once, for what takes time.
    static let oneOfEach = [Self.connect1, .connectJSON2, .grpc, .grpcWeb1]

    /// Only there both sides of a call send at once.
    var isHTTP2: Bool { rawValue.contains("HTTP2") }
  }

  /// What a script finds at hand, beside what is for messages.
  private static let preamble = #"""
    import json
    from connectrpc.client import ConnectClientSync, ResponseMetadata
    from connectrpc.code import Code
    from connectrpc.errors import ConnectError
    from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
    from connectrpc.protocol import ProtocolType
    from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport

    address, protocol, version, codec = sys.argv[1:]

    class Bytes:
        "Messages as they are: fields of protobuf, or a text of JSON."
        def name(self):
            return codec
        def encode(self, message):
            return message
        def decode(self, data, message_class):
            return bytes(data)

    def client(**options):
        transport = SyncHTTPTransport(http_version=getattr(HTTPVersion, version))
        return ConnectClientSync("http://" + address, protocol=ProtocolType[protocol], codec=Bytes(),
                                 http_client=SyncClient(transport), **options)

    def method(kind, name, level="UNKNOWN", service="test.Echo"):
        return MethodInfo(name=name, service_name=service, input=bytes, output=bytes,
                          idempotency_level=IdempotencyLevel[level], stream_type=StreamType[kind])

    def ask(subject="", context=""):
        if codec == "json":
            return json.dumps({"subject": subject, "context": context}).encode()
        return request(subject, context)

    def told(response):
        if codec == "json":
            return json.loads(response).get("reason", "")
        return reason(response)

    def refused(code, body):
        "The error of a call, which must have this code."
        try:
            body()
        except ConnectError as error:
            equal(error.code, code)
            return error
        raise AssertionError("not refused")

    peer = client()
    def say(message, name="Say", **options):
        return peer.execute_unary(request=message, method=method("UNARY", name), **options)
    def count(message, **options):
        return peer.execute_server_stream(request=message, method=method("SERVER_STREAM", "Count"), **options)
    def join(messages, **options):
        return peer.execute_client_stream(request=messages, method=method("CLIENT_STREAM", "Join"), **options)
    def chat(messages, **options):
        return peer.execute_bidi_stream(request=messages, method=method("BIDI_STREAM", "Chat"), **options)
    """#

  /// What is wrong according to a script; nil when it ran to its end.
  static func problem(_ script: String, _ way: Way) async throws -> String? {
    try await PythonPeer.problem(
      script,
      preamble,
      python: InstalledTool.connect.executable,
      way.rawValue.split(separator: " ").map(String.init)
    )
  }
}
