package import RPCKit

/// The load to make, its target and its report: the command line as values.
package struct LoadOptions: Sendable {
  /// Where the requests come from.
  package enum Request: Sendable, Hashable {
    /// The permission check of our benchmarks; its answers are verified.
    case benchmark
    /// Encoded messages, each behind its length as a varint; sent in turn.
    case delimitedFile(String)
    /// A file that is one encoded message.
    case messageFile(String)
    /// One encoded message.
    case message([UInt8])
    /// The text of a `RequestTemplate`, or by REST of a `TextTemplate`.
    case template(String)
  }

  /// How TLS is set up; the server's certificate is always verified.
  package struct TLS: Sendable, Hashable {
    /// PEM file of trusted authorities; nil for those of the system.
    package var authoritiesPath: String?
    /// PEM file of this side's certificate chain.
    package var certificatePath: String?
    /// PEM file of its key.
    package var keyPath: String?
    /// The name that the server's certificate must carry; nil for the target's host.
    package var host: String?
  }

  /// How calls are sent.
  package enum Wire: String, Sendable, CaseIterable {
    case frames
    /// HTTP/2.
    case grpc
    /// HTTP/1.1, with connections that are kept.
    case rest
    case restByHTTP2 = "rest-http2"

    /// Whether requests have a route, and JSON.
    package var isREST: Bool { self == .rest || self == .restByHTTP2 }
  }

  /// Where a request by REST goes.
  package struct Route: Sendable, Hashable {
    /// `POST`.
    package var method: String
    /// Path and query; see `TextTemplate`.
    package var path: String
  }

  /// How the report is written to standard output.
  package enum Output: Sendable, Hashable {
    /// Text on a terminal, one line of JSON for a program.
    case automatic
    /// One line of JSON.
    case json
    /// Text.
    case text
  }

  package var target: ChannelTarget.Endpoint
  package var wire = Wire.frames
  package var route = Route(
    method: BenchmarkRequest.route.method,
    path: BenchmarkRequest.route.path
  )
  package var service = "benchmark.v1.Permissions"
  package var method = "Check"
  package var request = Request.benchmark
  package var metadata = Metadata()
  package var timeout: Duration?
  package var isStock = false
  package var tls = TLS()

  package var connectionCount = 1
  package var inFlightMax = 1
  package var threadCount = 1
  /// Arrivals per second over all connections; 0 is a closed loop.
  package var rate = 0.0
  package var isPoisson = false
  package var seed: UInt64 = 1
  /// Arrivals that may wait for a free place in flight; more are dropped and counted.
  package var backlogMax = 1_000_000
  package var slowPercent = 0.0

  package var warmup = Duration.seconds(1)
  package var measured = Duration.seconds(5)
  /// Not zero: no load, one call per connection, then rest for as long.
  package var hold = Duration.zero
  /// A closed loop ends after so many calls, however long they take; nil for no such end.
  package var callCountMax: Int?
  /// The run ends early when as many calls failed; nil for never.
  package var errorCountMax: Int?

  package var output = Output.automatic
  package var jsonPath: String?
  package var isQuiet = false

  /// Options with every default.
  package init(target: ChannelTarget.Endpoint) {
    self.target = target
  }

  /// The method that is called, as its wire has it.
  package var callName: String {
    wire.isREST ? "\(route.method) \(route.path)" : "\(service)/\(method)"
  }
}
