internal import RPCKit

extension ServiceEnvironment {
  /// The exporter that sends spans to the collector of the settings; nil when nothing is traced.
  ///
  /// Throws when the file with what the collector wants to see cannot be used.
  func spanExporter() throws(ConfigurationError) -> SpanExporter? {
    guard let tracer, let traces = settings.traces else { return nil }
    do {
      _ = try traces.headers()
    } catch {
      throw ConfigurationError("setting traces.headers_file: \(error)")
    }
    return SpanExporter(traces, of: tracer.queue, in: self)
  }
}

extension SpanExporter {
  /// Sends the spans of the service of an environment.
  init(
    _ settings: ServiceSettings.Traces,
    of queue: SpanQueue,
    in environment: ServiceEnvironment,
    send: @escaping Send = { try await $0.run() }
  ) {
    self.init(
      settings,
      of: environment.name,
      queue: queue,
      metrics: TraceMetrics(environment.metrics.registry),
      clock: environment.clock,
      random: environment.random,
      loop: environment.loops.loops[0],
      logger: environment.logger,
      send: send
    )
  }
}
