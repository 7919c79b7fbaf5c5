internal import RPCKit

/// The state that all workers of a run share and none changes.
struct LoadPlan: Sendable {
  let options: LoadOptions
  let content: RequestSource.Content
  /// The path of requests by REST, if it differs from call to call.
  let path: TextTemplate?
  let address: SocketAddress
  let tls: TLSContextSource?
  let control: RunControl

  var isOpenLoop: Bool { options.rate > 0 }

  /// How long an open loop is followed after its end.
  var drainNanoseconds: Int64 {
    let drain = max(.seconds(2), options.timeout ?? .zero)
    return min(drain, .seconds(60)).nanosecondsSaturated
  }

  /// One more connection, which has not begun to connect.
  ///
  /// Loop only.
  func caller(on loop: any EventLoop) throws -> any LoadCaller {
    let transport = try transport(on: loop)
    switch options.wire {
    case .frames:
      let call = FrameCaller.Call(
        service: options.service,
        method: options.method,
        metadata: options.metadata,
        timeout: options.timeout
      )
      return FrameCaller(transport, call, limits: limits, isStock: options.isStock)
    case .grpc, .restByHTTP2: return HTTP2Caller(transport, httpCall)
    case .rest: return HTTP1Caller(transport, httpCall)
    }
  }

  private var httpCall: HTTPCall {
    let isSecure = options.target.tlsHost != nil
    guard options.wire.isREST else {
      return .grpc(
        service: options.service,
        method: options.method,
        authority: authority,
        isSecure: isSecure,
        metadata: options.metadata,
        timeout: options.timeout
      )
    }
    return .rest(
      method: options.route.method,
      path: path == nil ? options.route.path : nil,
      authority: authority,
      isSecure: isSecure,
      hasContent: content.hasBytes,
      metadata: options.metadata,
      timeout: options.timeout
    )
  }

  /// The server's name as HTTP has it.
  private var authority: String {
    switch options.target.place {
    case .name(let host, let port): "\(host):\(port)"
    case .address(.unix): "localhost"
    case .address(let address): "\(address)"
    }
  }

  private func transport(on loop: any EventLoop) throws -> any Transport {
    let transport = SocketNetwork().connect(to: address, on: loop)
    guard let tls else { return transport }
    return try TLSTransport(
      over: transport,
      context: tls.current,
      expectedHost: options.target.tlsHost
    )
  }

  /// The answer that all calls must have; nil for any.
  var answer: [UInt8]? {
    guard case .benchmark = content else { return nil }
    return options.wire.isREST ? BenchmarkRequest.jsonAnswer : BenchmarkRequest.answer
  }

  /// Limits that do not get in the way of what was asked for.
  private var limits: Limits {
    var limits = Limits()
    limits.streamsPerConnectionMax = max(limits.streamsPerConnectionMax, options.inFlightMax)
    return limits
  }
}
