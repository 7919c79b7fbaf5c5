import Testing

/// The client of gRPC for Python, over a socket.
@Suite("gRPC: Python's client", .teardown) struct GRPCPythonTests {
  private func expectSuccess(of script: String) async throws {
    let problem = try await PythonPeer.problem(script)
    #expect(problem == nil)
  }

  @Test("calls methods of all four kinds, and talks in turns")
  func fourKinds() async throws {
    try await expectSuccess(
      of: #"""
        equal(reason(say(request("a"))), "a")
        equal([reason(r) for r in count(request("a"))], ["a1", "a2"])
        equal(reason(join(iter([request("a"), request("b")]))), "a,b")
        equal(reason(join(iter([]))), "")
        # Each word waits for the answer to the word before.
        words = queue.Queue()
        answers = chat(iter(words.get, None))
        for word in ["a", "b", "c"]:
            words.put(request(word))
            equal(reason(next(answers)), word)
        words.put(None)
        equal(list(answers), [])
        equal(answers.code(), grpc.StatusCode.OK)
        """#
    )
  }

  @Test("makes a hundred calls at once on one connection")
  func manyAtOnce() async throws {
    try await expectSuccess(
      of: #"""
        calls = [say.future(request(str(number))) for number in range(100)]
        equal([reason(call.result()) for call in calls], [str(number) for number in range(100)])
        """#
    )
  }

  @Test("tells its deadline, and holds to it")
  func deadlines() async throws {
    try await expectSuccess(
      of: #"""
        told = reason(say(request(context="tell"), timeout=3000))
        seconds = int(told.split("\n")[0].removeprefix("seconds="))
        assert 0 < seconds <= 3000, told
        equal(reason(say(request(context="tell"))).split("\n")[0], "seconds=none")
        late = grpc.StatusCode.DEADLINE_EXCEEDED
        refused(late, lambda: say(request(context="hold"), timeout=0.1))
        refused(late, lambda: list(count(request(context="hold"), timeout=0.1)))
        equal(reason(say(request("a"))), "a")
        """#
    )
  }

  @Test("gives calls up, which ends their handlers")
  func cancellation() async throws {
    try await expectSuccess(
      of: #"""
        stream = count(request("a", "hold"))
        equal(reason(next(stream)), "a1")
        stream.cancel()
        refused(grpc.StatusCode.CANCELLED, lambda: list(stream))
        equal(reason(say(request("b", "cancelled"))), "b")
        """#
    )
  }

  @Test("learns that a stream ended while it still sends")
  func earlyEnd() async throws {
    try await expectSuccess(
      of: #"""
        words = queue.Queue()
        words.put(request("a", "fail"))
        refused(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: list(chat(iter(words.get, None))))
        refused(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: join(iter([request("a", "fail")])))
        equal(reason(say(request("a"))), "a")
        """#
    )
  }

  @Test("sends and takes metadata, of text and of bytes")
  func metadata() async throws {
    try await expectSuccess(
      of: #"""
        sent = (("color", "red"), ("color", "blue"), ("key-bin", b"\x00\xff\xfe"))
        told = reason(say(request(context="tell"), metadata=sent)).split("\n")
        for line in ["color=red", "color=blue", "key-bin=AP/+"]:
            assert line in told, told
        response, call = say.with_call(request("a", "header"))
        found = dict(call.initial_metadata())
        equal((found["answered-by"], found["token-bin"]), ("echo", b"\x00\x01\x02"))
        assert "not-text" not in found, found
        stream = count(request("a", "header"))
        equal(len(list(stream)), 2)
        found = dict(stream.trailing_metadata())
        equal((found["answered-by"], found["token-bin"]), ("echo", b"\x00\x01\x02"))
        equal(stream.code(), grpc.StatusCode.OK)
        """#
    )
  }

  @Test("reads errors with their text and details")
  func errors() async throws {
    try await expectSuccess(
      of: #"""
        for call in [lambda: say(request("a", "fail")), lambda: list(count(request("a", "fail")))]:
            error = refused(grpc.StatusCode.RESOURCE_EXHAUSTED, call)
            equal(error.details(), "50 % of éverything\n")
            found = dict(error.trailing_metadata())
            status = fields(found["grpc-status-details-bin"])
            equal(status[:2], [(1, 8), (2, "50 % of éverything\n".encode())])
            pairs = [dict(fields(detail)) for number, detail in status[2:]]
            details = {pair[1].decode(): pair[2] for pair in pairs}
            info = fields(details["type.googleapis.com/google.rpc.ErrorInfo"])
            equal(info[0], (1, b"OVERLOADED"))
            delay = fields(details["type.googleapis.com/google.rpc.RetryInfo"])
            equal(fields(delay[0][1]), [(1, 1), (2, 500000000)])
            equal(found["grpc-retry-pushback-ms"], "1500")
        refused(grpc.StatusCode.UNIMPLEMENTED, lambda: unary("/test.Echo/Nothing")(b""))
        refused(grpc.StatusCode.UNIMPLEMENTED, lambda: unary("/test.Nothing/Say")(b""))
        """#
    )
  }

  @Test("sends and takes messages up to the limit, and is told of larger ones")
  func largeMessages() async throws {
    try await expectSuccess(
      of: #"""
        limit = 4 << 20
        subject = "x" * (limit - 5)
        message = field(1, subject)
        equal(len(message), limit)
        equal(reason(say(message)) == subject, True)
        too_large = grpc.StatusCode.RESOURCE_EXHAUSTED
        refused(too_large, lambda: say(field(1, subject + "x")))
        refused(too_large, lambda: join(iter([field(1, subject + "x")])))
        refused(too_large, lambda: say(request(context="large")))
        # More than all windows hold.
        entity = "x" * (1 << 18)
        equal(reason(join(request("a", entity=entity) for number in range(32))), ",".join("a" * 32))
        """#
    )
  }

  @Test(
    "compresses requests, and takes compressed responses",
    arguments: ["Gzip", "Deflate", "NoCompression"]
  )
  func compression(algorithm: String) async throws {
    try await expectSuccess(
      of: #"""
        kind = grpc.Compression.\#(algorithm)
        subject = "abc" * 100000
        equal(reason(say(request(subject), compression=kind)) == subject, True)
        sent = [request(subject)] * 3
        equal(reason(join(iter(sent), compression=kind)) == ",".join([subject] * 3), True)
        answers = chat(iter(sent), compression=kind)
        equal([reason(answer) == subject for answer in answers], [True] * 3)
        # Short, when it is compressed.
        bomb = request("x" * (5 << 20))
        refused(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: say(bomb, compression=kind))
        """#
    )
  }

  @Test("asks for health, and watches it")
  func health() async throws {
    try await expectSuccess(
      of: #"""
        check = unary("/grpc.health.v1.Health/Check")
        equal(fields(check(b"")), [(1, 1)])
        refused(grpc.StatusCode.NOT_FOUND, lambda: check(field(1, "no.Such")))
        watch = channel.unary_stream("/grpc.health.v1.Health/Watch")
        changes = watch(field(1, "no.Such"))
        equal(fields(next(changes)), [(1, 3)])
        changes.cancel()
        """#
    )
  }

  @Test("asks what is served", arguments: ["v1", "v1alpha"])
  func reflection(version: String) async throws {
    try await expectSuccess(
      of: #"""
        path = "/grpc.reflection.\#(version).ServerReflection/ServerReflectionInfo"
        ask = channel.stream_stream(path)
        questions = queue.Queue()
        answers = ask(iter(questions.get, None))
        questions.put(field(7, ""))
        services = fields(dict(fields(next(answers)))[6])
        names = [fields(service)[0][1].decode() for number, service in services]
        equal(names, ["grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                      "grpc.reflection.v1alpha.ServerReflection", "test.Echo"])
        questions.put(field(4, "benchmark.v1.CheckRequest"))
        files = fields(dict(fields(next(answers)))[4])
        equal(dict(fields(files[0][1]))[1], b"benchmark/v1/permission.proto")
        questions.put(field(4, "no.Such"))
        equal(dict(fields(dict(fields(next(answers)))[7]))[1], 5)
        questions.put(None)
        equal(list(answers), [])
        """#
    )
  }
}
