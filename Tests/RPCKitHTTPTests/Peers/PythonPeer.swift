/// Clients for Python, which run scripts of the tests against a server.
///
/// They send and take messages as bytes, so that no code is generated for them.
enum PythonPeer {
  /// What a script of any client finds at hand: messages, written and read.
  private static let messages = #"""
    import os, queue, sys, traceback

    def varint(number):
        text = b""
        while number > 127:
            text += bytes([number & 127 | 128])
            number >>= 7
        return text + bytes([number])

    def field(number, value):
        "Encodes a field that has a length."
        value = value.encode() if isinstance(value, str) else value
        return varint(number << 3 | 2) + varint(len(value)) + value

    def fields(message):
        "The pairs of number and value in a message."
        at = 0
        def number():
            nonlocal at
            value = shift = 0
            while True:
                byte = message[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value
        found = []
        while at < len(message):
            key = number()
            value = number()
            if key & 7 == 2:
                value, at = message[at:at + value], at + value
            found.append((key >> 3, value))
        return found

    def request(subject="", context="", entity=""):
        return field(1, subject) + field(3, entity) + field(4, context)

    def reason(response):
        return dict(fields(response)).get(2, b"").decode()

    def equal(found, wanted):
        assert found == wanted, "%.200r is not %.200r" % (found, wanted)
    """#

  /// What a script of the client of gRPC finds at hand besides; Debian packages it for its own Python.
  private static let preamble = #"""
    import grpc

    def refused(code, body):
        "The error of a call, which must have this code."
        try:
            body()
        except grpc.RpcError as error:
            equal(error.code(), code)
            return error
        raise AssertionError("not refused")

    channel = grpc.insecure_channel("ipv4:" + sys.argv[1], options=[
        ("grpc.enable_http_proxy", 0), ("grpc.max_receive_message_length", -1)])
    unary = lambda path: channel.unary_unary(path)
    say = unary("/test.Echo/Say")
    count = channel.unary_stream("/test.Echo/Count")
    join = channel.stream_unary("/test.Echo/Join")
    chat = channel.stream_stream("/test.Echo/Chat")
    """#

  /// What is wrong according to a script for the client of gRPC; nil when it ran to its end.
  static func problem(_ script: String) async throws -> String? {
    try await problem(script, preamble, python: "/usr/bin/python3", [])
  }

  /// What is wrong according to a script that has `preamble` at hand; nil when it ran to its end.
  static func problem(
    _ script: String,
    _ preamble: String,
    python: String,
    _ arguments: [String]
  ) async throws -> String? {
    let body = script.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "    \($0)" }.joined(separator: "\n")
    let ending = """
      try:
          test()
          print("ok", end="")
      except BaseException:
          traceback.print_exc(file=sys.stdout)
      sys.stdout.flush()
      os._exit(0)
      """
    let program = "\(messages)\n\n\(preamble)\n\ndef test():\n\(body)\n\n\(ending)\n"
    let output = try await PeerStage.serving { address in
      try await PeerStage.output([python, "-c", program, address] + arguments)
    }
    let text = String(decoding: output, as: UTF8.self)
    return text == "ok" ? nil : text
  }
}
