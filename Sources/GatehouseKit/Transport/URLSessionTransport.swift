import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests by `URLSession`, without cookies, caches or redirects.
///
/// All answers come by the delegate: on Linux there is no `bytes(for:)`, and a session asks its delegate about a
/// redirect only for tasks without a completion handler.
public final class URLSessionTransport: Transport {
  private let session: URLSession
  private let delegate = Delegate()

  /// Makes a session of its own, which ends with the transport.
  public init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCredentialStorage = nil
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// The whole answer.
  public func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
    var answer: HTTPAnswer?
    for try await part in open(request) {
      switch part {
      case .head(let head): answer = head
      case .bytes(let bytes):
        answer?.body.append(bytes)
        guard (answer?.body.count ?? 0) <= Self.byteCountMax else {
          throw URLError(.dataLengthExceedsMaximum)
        }
      }
    }
    try Task.checkCancellation()
    guard let answer else { throw URLError(.badServerResponse) }
    return answer
  }

  /// The largest answer that is taken whole.
  private static let byteCountMax = 16 << 20

  /// The answer bit by bit.
  public func open(_ request: HTTPRequest) -> AsyncThrowingStream<StreamPart, any Error> {
    var wire = URLRequest(url: request.url)
    wire.httpMethod = request.method
    wire.httpBody = request.body
    wire.timeoutInterval = request.silence.inSeconds
    wire.httpShouldHandleCookies = false
    for (name, value) in request.fields { wire.setValue(value, forHTTPHeaderField: name) }
    let task = session.dataTask(with: wire)
    return AsyncThrowingStream { continuation in
      delegate.sinks.withLock { sinks in sinks[task.taskIdentifier] = continuation }
      continuation.onTermination = { _ in task.cancel() }
      task.resume()
    }
  }

  /// Hands each task's answer to its reader.
  private final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
    typealias Sink = AsyncThrowingStream<StreamPart, any Error>.Continuation

    let sinks = Mutex<[Int: Sink]>([:])

    private func sink(of task: URLSessionTask) -> Sink? {
      sinks.withLock { sinks in sinks[task.taskIdentifier] }
    }

    func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession,
      dataTask: URLSessionDataTask,
      didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      if let response = response as? HTTPURLResponse {
        let fields = response.allHeaderFields.map { name, value in
          ("\(name)".lowercased(), "\(value)")
        }
        let head = HTTPAnswer(
          status: response.statusCode,
          fields: Dictionary(fields) { first, _ in first }
        )
        sink(of: dataTask)?.yield(.head(head))
      }
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      sink(of: dataTask)?.yield(.bytes(data))
    }

    func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      didCompleteWithError error: (any Error)?
    ) {
      let sink = sinks.withLock { sinks in sinks.removeValue(forKey: task.taskIdentifier) }
      sink?.finish(throwing: error)
    }
  }
}
