import TestingContracts
import RPCKit
import Synchronization

/// A library whose answers show what it was asked.
final class Library: Testing_V1.LibraryService {
  private let metadata = Mutex(Metadata())
  private let compressed = Mutex(false)
  private let requests = Mutex<[any Message]>([])
  private let remaining = Mutex<Duration?>(nil)

  /// The last request, if it is of this type.
  func lastRequest<Request: Message>(_ type: Request.Type) -> Request? {
    requests.withLock { $0.last as? Request }
  }

  var requestCount: Int { requests.withLock { $0.count } }

  /// What came beside the last request.
  var lastMetadata: Metadata { metadata.withLock { $0 } }

  /// Whether the last request came compressed.
  var lastWasCompressed: Bool { compressed.withLock { $0 } }

  /// How long the last call had left; nil without a deadline.
  var lastTimeRemaining: Duration? { remaining.withLock { $0 } }

  private func note(_ request: any Message, _ call: CallContext) {
    requests.withLock { $0.append(request) }
    metadata.withLock { $0 = call.metadata }
    compressed.withLock { $0 = call.isRequestCompressed }
    remaining.withLock { $0 = call.timeRemaining }
  }

  func getBook(
    _ request: Testing_V1.GetBookRequest,
    _ call: CallContext
  ) async throws -> Testing_V1.Book {
    note(request, call)
    switch request.bookId {
    case "missing":
      throw RPCError(.notFound, "no such book")
    case "locked":
      throw RPCError(.unauthenticated, "the access token has expired")
    case "busy":
      throw RPCError(.unavailable, "busy", details: [.retryInfo(.milliseconds(1500))])
    case "taken": throw RPCError(.alreadyExists, "taken")
    case "slow":
      // Until the call is over, which cancels the task.
      for await _ in AsyncStream<Void>.makeStream().stream {}
      throw CancellationError()
    case "forbidden": throw RPCError(.permissionDenied, "forbidden")
    case "many": throw RPCError(.resourceExhausted, "too many")
    case "daily": throw RPCError(.resourceExhausted, .overloaded, "", retryAfter: .seconds(86_400))
    default: return Testing_V1.Book(id: request.bookId, shelfId: request.shelfId)
    }
  }

  func createBook(
    _ request: Testing_V1.CreateBookRequest,
    _ call: CallContext
  ) async throws -> Testing_V1.Book {
    note(request, call)
    return request.book ?? Testing_V1.Book()
  }

  func updateBook(
    _ request: Testing_V1.UpdateBookRequest,
    _ call: CallContext
  ) async throws -> Testing_V1.Book {
    note(request, call)
    return Testing_V1.Book(id: request.bookId, title: request.title, tags: request.tags)
  }

  func listBooks(
    _ request: Testing_V1.ListBooksRequest,
    _ call: CallContext
  ) async throws -> Testing_V1.ListBooksResponse {
    note(request, call)
    return Testing_V1.ListBooksResponse(
      books: [Testing_V1.Book(id: "b1"), Testing_V1.Book(id: "b2")],
      nextPageToken: "next",
      totalSize: request.shelfId == "uncounted" ? nil : 42
    )
  }

  func getName(
    _ request: Testing_V1.NameRequest,
    _ call: CallContext
  ) async throws -> Testing_V1.NameRequest {
    note(request, call)
    return request
  }

  func watchBooks(
    _ request: Testing_V1.ListBooksRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Testing_V1.Book>
  ) async throws {
    note(request, call)
    guard request.sortBy != "refused" else { throw RPCError(.permissionDenied, "forbidden") }
    try await writer.write(Testing_V1.Book(id: "b1"))
    guard request.sortBy != "broken" else { throw RPCError(.unavailable, "broken") }
    try await writer.write(Testing_V1.Book(id: "b2"))
  }

  func readBook(
    _ request: Testing_V1.GetBookRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Testing_V1.BookText>
  ) async throws {
    note(request, call)
    guard request.bookId != "missing" else { throw RPCError(.notFound, "no such book") }
    let type = request.bookId == "odd" ? "text/plain\nx: y" : "text/csv; charset=utf-8"
    try await writer.write(Testing_V1.BookText(type: type, text: "Call me "))
    guard request.bookId != "broken" else { throw RPCError(.unavailable, "broken") }
    try await writer.write(Testing_V1.BookText(type: "text/html", text: "Ishmael.\n"))
  }

  func inspect(
    _ request: Testing_V1.InspectRequest,
    _ call: CallContext
  ) async throws -> Testing_V1.InspectResponse {
    note(request, call)
    guard request.token != "bad" else { throw RPCError(.invalidArgument, "bad") }
    return Testing_V1.InspectResponse(active: request.token == "good")
  }

  func mayBorrow(
    _ request: Testing_V1.ReaderRequest,
    _ call: CallContext
  ) async throws -> Testing_V1.InspectResponse {
    try reader(request, call)
  }

  func isReader(
    _ request: Testing_V1.ReaderRequest,
    _ call: CallContext
  ) async throws -> Testing_V1.InspectResponse {
    call.responseMetadata["etag"] = #""\#(request.key)""#
    return try reader(request, call)
  }

  private func reader(
    _ request: Testing_V1.ReaderRequest,
    _ call: CallContext
  ) throws -> Testing_V1.InspectResponse {
    note(request, call)
    switch request.key {
    case "":
      throw RPCError(
        .invalidArgument,
        "who?",
        details: [Self.reason("TARGETING_KEY_MISSING")]
      )
    case "nobody":
      throw RPCError(.notFound, "there is no such reader", details: [Self.reason("FLAG_NOT_FOUND")])
    case "hidden": throw RPCError(.notFound, "hidden", details: [Self.reason("NOT_FOUND")])
    case "odd": throw RPCError(.failedPrecondition, "odd", details: [Self.reason("ODD")])
    case "locked": throw RPCError(.unauthenticated, "who are you?")
    case "busy": throw RPCError(.unavailable, "busy", details: [.retryInfo(.milliseconds(1500))])
    default: return Testing_V1.InspectResponse(active: true)
    }
  }

  private static func reason(_ reason: String) -> RPCError.Detail {
    RPCError.Detail(
      typeURL: "type.googleapis.com/google.rpc.ErrorInfo",
      value: Google_Rpc.ErrorInfo(reason: reason, domain: "test").protobufBytes
    )
  }
}
