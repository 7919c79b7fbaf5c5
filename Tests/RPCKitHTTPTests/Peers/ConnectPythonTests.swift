import Testing

/// Connect's client for Python, over a socket, by all of its protocols.
@Suite(
  "Connect, gRPC and gRPC-Web: Connect's client",
  .teardown,
  .enabled(if: InstalledTool.connect.isInstalled, "scripts/setup gets it from PyPI")
)
struct ConnectPythonTests {
  private func expectSuccess(of script: String, _ way: ConnectPython.Way) async throws {
    let problem = try await ConnectPython.problem(script, way)
    #expect(problem == nil, "\(way)")
  }

  @Test("calls unary methods and streams of answers", arguments: ConnectPython.Way.allCases)
  func oneRequest(way: ConnectPython.Way) async throws {
    try await expectSuccess(
      of: #"""
        equal(told(say(ask("a"))), "a")
        equal(told(say(ask())), "")
        equal([told(answer) for answer in count(ask("a"))], ["a1", "a2"])
        """#,
      way
    )
  }

  @Test(
    "sends streams, and talks in turns",
    arguments: ConnectPython.Way.allCases.filter { $0.isHTTP2 }
  )
  func manyRequests(way: ConnectPython.Way) async throws {
    try await expectSuccess(
      of: #"""
        equal(told(join(iter([ask("a"), ask("b")]))), "a,b")
        # Each word waits for the answer to the word before.
        words = queue.Queue()
        words.put(ask("a"))
        answers = chat(iter(words.get, None))
        for word in ["a", "b", "c"]:
            equal(told(next(answers)), word)
            words.put(ask(chr(ord(word) + 1)) if word < "c" else None)
        equal(list(answers), [])
        """#,
      way
    )
  }

  @Test(
    "gets what changes nothing",
    arguments: [ConnectPython.Way.connect1, .connect2, .connectJSON1, .connectJSON2]
  )
  func get(way: ConnectPython.Way) async throws {
    try await expectSuccess(
      of: #"""
        read = method("UNARY", "Read", "NO_SIDE_EFFECTS")
        for subject in ["", "a", "x" * 3000]:
            # Compressed, as this client does by itself.
            equal(told(peer.execute_unary(request=ask(subject), method=read, use_get=True)), subject)
        refused(Code.UNIMPLEMENTED, lambda: say(ask("a"), use_get=True))
        """#,
      way
    )
  }

  @Test("tells its deadline, and holds to it", arguments: ConnectPython.Way.oneOfEach)
  func deadlines(way: ConnectPython.Way) async throws {
    try await expectSuccess(
      of: #"""
        seconds = int(told(say(ask(context="tell"), timeout_ms=3000000)).split("\n")[0].removeprefix("seconds="))
        assert 0 < seconds <= 3000, seconds
        refused(Code.DEADLINE_EXCEEDED, lambda: say(ask(context="hold"), timeout_ms=100))
        refused(Code.DEADLINE_EXCEEDED, lambda: list(count(ask(context="hold"), timeout_ms=100)))
        equal(told(say(ask("a"))), "a")
        """#,
      way
    )
  }

  @Test("gives a stream up, which ends its handler", arguments: ConnectPython.Way.oneOfEach)
  func cancellation(way: ConnectPython.Way) async throws {
    try await expectSuccess(
      of: #"""
        stream = count(ask("a", "hold"))
        equal(told(next(stream)), "a1")
        stream.close()
        equal(told(say(ask("b", "cancelled"))), "b")
        """#,
      way
    )
  }

  @Test("sends and takes metadata, of text and of bytes", arguments: ConnectPython.Way.allCases)
  func metadata(way: ConnectPython.Way) async throws {
    try await expectSuccess(
      of: #"""
        lines = told(say(ask(context="tell"), headers={"color": "red", "key-bin": "AP/+"})).split("\n")
        for line in ["color=red", "key-bin=AP/+"]:
            assert line in lines, lines
        with ResponseMetadata() as answer:
            say(ask("a", "header"))
            equal((answer.headers.get("answered-by"), answer.headers.get("token-bin")), ("echo", "AAEC"))
        with ResponseMetadata() as answer:
            list(count(ask("a", "header")))
            equal((answer.trailers.get("answered-by"), answer.trailers.get("token-bin")), ("echo", "AAEC"))
        """#,
      way
    )
  }

  @Test("reads errors with their text and details", arguments: ConnectPython.Way.allCases)
  func errors(way: ConnectPython.Way) async throws {
    try await expectSuccess(
      of: #"""
        for call in [lambda: say(ask("a", "fail")), lambda: list(count(ask("a", "fail")))]:
            error = refused(Code.RESOURCE_EXHAUSTED, call)
            equal(error.message, "50 % of éverything\n")
            details = {detail.type_name: detail.message_bytes for detail in error.details}
            equal(fields(details["google.rpc.ErrorInfo"])[0], (1, b"OVERLOADED"))
            delay = fields(details["google.rpc.RetryInfo"])
            equal(fields(delay[0][1]), [(1, 1), (2, 500000000)])
        refused(Code.UNIMPLEMENTED, lambda: say(ask("a"), "Nothing"))
        """#,
      way
    )
  }

  @Test(
    "takes messages up to the limit, and is told of larger ones",
    arguments: ConnectPython.Way.oneOfEach
  )
  func largeMessages(way: ConnectPython.Way) async throws {
    try await expectSuccess(
      of: #"""
        # Compressible, and too large when it is not compressed any more.
        subject = "x" * (3 << 20)
        equal(told(say(ask(subject))) == subject, True)
        refused(Code.RESOURCE_EXHAUSTED, lambda: say(ask("x" * (5 << 20))))
        refused(Code.RESOURCE_EXHAUSTED, lambda: say(ask(context="large")))
        peer = client(send_compression=None, accept_compression=[])
        plain = peer.execute_unary(request=ask(subject), method=method("UNARY", "Say"))
        equal(told(plain) == subject, True)
        """#,
      way
    )
  }
}
