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
