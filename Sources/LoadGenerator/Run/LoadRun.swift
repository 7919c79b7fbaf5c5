internal import CommandLineTool
internal import RPCKit

/// One run of load, from the first connection to the report.
package final class LoadRun: Sendable {
  private let options: LoadOptions
  private let plan: LoadPlan
  private let workers: [LoadWorker]

  /// Reads the request, resolves the target and connects.
  ///
  /// Throws `UsageError` for input that cannot be used, and `RunError` when the server cannot be
  /// reached.
  package static func prepare(_ options: LoadOptions) async throws -> LoadRun {
    let content = try requestContent(options)
    let path = try path(options)
    let tls = try tlsSource(options)
    let control = RunControl(options)
    var failure: any Error = RunError("the target has no address")
    for address in try await addresses(options.target) {
      let plan = LoadPlan(
        options: options,
        content: content,
        path: path,
        address: address,
        tls: tls,
        control: control
      )
      let run = try LoadRun(plan)
      do {
        try await run.connect()
        return run
      } catch {
        failure = error
        await run.close()
      }
    }
    throw failure
  }

  private init(_ plan: LoadPlan) throws {
    options = plan.options
    self.plan = plan
    var workers: [LoadWorker] = []
    for index in 0..<plan.options.threadCount {
      let loop = try EpollEventLoop(name: "load-\(index)")
      workers.append(LoadWorker(plan, index: index, loop: loop))
    }
    self.workers = workers
  }

  /// Ends the run early; what was measured is reported.
  package func stop() { plan.control.stop() }

  /// Makes one call per connection and leaves them open.
  ///
  /// Throws why a call failed.
  package func touch() async throws {
    for worker in workers {
      if let failure = await worker.touch() { throw RunError("a call failed: \(failure)") }
    }
  }

  /// Makes the load; returns when its time is over.
  ///
  /// The loops run on until `close`.
  package func drive() async -> LoadReport {
    let processorStart = ProcessorTime.seconds
    // A little ahead, so that every worker begins at the same time.
    let start = workers[0].loop.preciseNow.advanced(by: .milliseconds(2))
    let results = await withTaskGroup(of: WorkerResult.self) { group in
      for worker in workers { group.addTask { await worker.drive(from: start) } }
      var results: [WorkerResult] = []
      for await result in group { results.append(result) }
      return results
    }
    let processor = ProcessorTime.seconds - processorStart
    let elapsed = start.duration(to: workers[0].loop.preciseNow)
    return LoadReport(
      options: options,
      results: results,
      isCutShort: plan.control.isStopped && !plan.control.hasMadeAll,
      isFailed: plan.control.isFailed,
      processorSeconds: processor,
      elapsed: elapsed
    )
  }

  /// The counts so far.
  package func progress() async -> LoadProgress {
    var sum = LoadProgress(recorder: LoadRecorder(isOpenLoop: true, windowStart: 0, windowEnd: 0))
    for worker in workers {
      let part = await worker.progress()
      sum.recorder.merge(part.recorder)
      sum.inFlight += part.inFlight
      sum.waiting += part.waiting
    }
    return sum
  }

  /// Closes the connections and ends the loops.
  package func close() async {
    for worker in workers {
      await worker.close()
      worker.loop.stop()
    }
  }

  private func connect() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in workers { group.addTask { try await worker.connect() } }
      try await group.waitForAll()
    }
  }

  // MARK: - Input

  private static func addresses(
    _ endpoint: ChannelTarget.Endpoint
  ) async throws -> [SocketAddress] {
    switch endpoint.place {
    case .address(let address): return [address]
    case .name(let host, let port):
      do {
        return try await SocketNetwork().resolve(host: host, port: port)
      } catch {
        throw RunError("the address of \(host) is not known: \(error)")
      }
    }
  }

  private static func tlsSource(_ options: LoadOptions) throws -> TLSContextSource? {
    guard options.target.tlsHost != nil else { return nil }
    var identity: TLSConfiguration.Identity?
    if let chain = options.tls.certificatePath, let key = options.tls.keyPath {
      identity = TLSConfiguration.Identity(certificateChain: .file(chain), privateKey: .file(key))
    }
    let configuration = TLSConfiguration(
      role: .client(
        identity: identity,
        roots: options.tls.authoritiesPath.map { .pem(.file($0)) } ?? .system,
        expectedHost: options.tls.host
      ),
      applicationProtocols: applicationProtocols(options.wire)
    )
    do {
      return try TLSContextSource(configuration)
    } catch {
      throw UsageError("TLS cannot be set up: \(error)")
    }
  }

  private static func applicationProtocols(_ wire: LoadOptions.Wire) -> [String] {
    switch wire {
    case .frames: ["rpckit/1", "ttrpc"]
    case .grpc, .restByHTTP2: ["h2"]
    case .rest: ["http/1.1"]
    }
  }

  private static func path(_ options: LoadOptions) throws(UsageError) -> TextTemplate? {
    guard options.wire.isREST else { return nil }
    let path = try TextTemplate(options.route.path, option: "--route")
    return path.constant == nil ? path : nil
  }

  private static func requestContent(
    _ options: LoadOptions
  ) throws(UsageError) -> RequestSource.Content {
    switch options.request {
    case .benchmark:
      return options.wire.isREST ? BenchmarkRequest.json : BenchmarkRequest.content
    case .message(let bytes): return .encoded(EncodedRequests(message: bytes))
    case .template(let text):
      return options.wire.isREST
        ? .text(try TextTemplate(text, option: "--template")) : .template(try RequestTemplate(text))
    case .messageFile(let path):
      let bytes = try read(path, byteCountMax: EncodedRequests.messageByteCountMax)
      return .encoded(EncodedRequests(message: bytes))
    case .delimitedFile(let path):
      let bytes = try read(path, byteCountMax: EncodedRequests.fileByteCountMax)
      return .encoded(try EncodedRequests(delimited: bytes, name: path))
    }
  }

  private static func read(_ path: String, byteCountMax: Int) throws(UsageError) -> [UInt8] {
    do {
      return try FileBytes.read(path, byteCountMax: byteCountMax)
    } catch {
      throw UsageError(error.description)
    }
  }
}
