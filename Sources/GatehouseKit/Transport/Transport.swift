public import Foundation

/// A request as a transport sends it.
public struct HTTPRequest: Sendable {
  /// `GET`, `POST` and so on.
  public var method: String
  /// Where it goes.
  public var url: URL
  /// Header fields.
  public var fields: [String: String]
  /// The body.
  public var body: Data?
  /// How long it may be silent.
  public var silence: Duration

  /// Makes a request.
  public init(
    method: String,
    url: URL,
    fields: [String: String],
    body: Data?,
    silence: Duration
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.silence = silence
  }
}

/// An answer as a transport receives it.
public struct HTTPAnswer: Sendable {
  /// The status, such as 200.
  public var status: Int
  /// Header fields, with names in lower case.
  public var fields: [String: String]
  /// The body; empty in the head of a stream.
  public var body: Data

  /// Makes an answer.
  public init(status: Int, fields: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

/// A part of an answer that comes bit by bit.
public enum StreamPart: Sendable {
  /// Status and header fields, first and once.
  case head(HTTPAnswer)
  /// Some bytes, cut anywhere.
  case bytes(Data)
}

/// Sends requests and never follows a redirect: on Linux `URLSession` would send the token along to another host.
public protocol Transport: Sendable {
  /// The answer of the server, whatever its status; throws if there is none.
  func send(_ request: HTTPRequest) async throws -> HTTPAnswer

  /// The answer bit by bit. To stop reading ends the request.
  func open(_ request: HTTPRequest) -> AsyncThrowingStream<StreamPart, any Error>
}
