public import Foundation

/// A document of the signed-in person.
public struct Document<Content: Codable & Sendable>: Sendable {
  /// Its identifier, unique in its collection.
  public var id: String
  /// Its content.
  public var content: Content
  /// Changes with every change; pass it as `ifRevision`.
  public var revision: String
  /// When it was last changed.
  public var updatedAt: Date?
}

extension Document: Equatable where Content: Equatable {}

/// A list of documents that follows the changes.
public struct LiveDocuments<Content: Codable & Sendable>: Sendable {
  /// The documents, by their identifiers.
  public var documents: [Document<Content>] = []
  /// Whether nothing is missing: false after the connection was lost, and before the first whole list.
  public var isCurrent = false
}

/// A collection of documents of the signed-in person.
public struct DocumentCollection<Content: Codable & Sendable>: Sendable {
  private struct Stored: Decodable, Sendable {
    var id: String
    var json: Content
    var revision: String
    var updatedAt: Date?

    var document: Document<Content> {
      Document(id: id, content: json, revision: revision, updatedAt: updatedAt)
    }
  }

  private struct Page: AnswerPage {
    var documents: [Stored]
    var nextPageToken: String?
    var items: [Document<Content>] { documents.map(\.document) }
  }

  private struct Change: Decodable, Sendable { var revision: String }

  private struct Line: Decodable {
    struct Event: Decodable {
      var kind: String
      var revision: String?
      var documentId: String?
      var document: Stored?
    }

    var data: Event?
    var status: String?
  }

  private let core: Core
  private let path: String

  init(core: Core, name: String) {
    self.core = core
    path = "documents/\(Call.segment(name))"
  }

  private func path(_ id: String) -> String { "\(path)/\(Call.segment(id))" }

  /// Reads a document.
  public func get(_ id: String) async throws -> Document<Content> {
    try await core.call(Call(.get, path(id)), as: Stored.self).document
  }

  /// Reads all documents, page by page.
  public func list() async throws -> [Document<Content>] {
    try await core.all(path, query: [("limit", "200")], as: Page.self)
  }

  /// Writes a whole document, and answers with its revision; with `ifRevision` only if it has not changed.
  @discardableResult
  public func put(
    _ id: String,
    _ content: Content,
    ifRevision revision: String? = nil
  ) async throws -> String {
    let query = revision.map { [("expectedRevision", $0)] } ?? []
    let call = try Call(.put, path(id), query: query, body: content)
    return try await core.call(call, as: Change.self).revision
  }

  /// Changes members of a document; those that are null are removed.
  @discardableResult
  public func merge(_ id: String, _ members: [String: JSONValue]) async throws -> String {
    try await core.call(Call(.patch, path(id), body: members), as: Change.self).revision
  }

  /// Removes a document.
  public func remove(_ id: String) async throws {
    _ = try await core.call(Call(.delete, path(id)), as: NoAnswer.self)
  }

  // MARK: - Live

  /// The list at once and after each change, until the person signs out or the reader stops.
  ///
  /// A connection that is lost is opened again where it ended; the last list stays, marked.
  public func live() -> AsyncThrowingStream<LiveDocuments<Content>, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          let bearer = try await core.keeper.bearer()
          try await core.whileSignedIn(bearer.epoch) {
            try await follow { list in
              if core.keeper.epoch == bearer.epoch { continuation.yield(list) }
            }
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Continues until it is cancelled, or an error says that continuing is of no use.
  private func follow(_ show: @Sendable (LiveDocuments<Content>) -> Void) async throws {
    var state = State()
    var pause = Backoff()
    while true {
      try Task.checkCancellation()
      let bearer = try await core.keeper.bearer()
      do {
        try await read(bearer, &state, show)
        try Task.checkCancellation()
        // A stream that ends before it was of use, as by a proxy, is not opened again without a pause.
        guard state.list.isCurrent else { throw KitError(.offline) }
        pause.clear()
      } catch let error as KitError where Client.tokenReasons.contains(error.reason) {
        try await core.keeper.renew(after: bearer)
        continue
      } catch let error as KitError where ![.offline, .tooMany, .server].contains(error.kind) {
        throw error
      } catch {
        try Task.checkCancellation()
        if state.list.isCurrent { pause.clear() }
        let delay = (error as? KitError)?.retryAfter
        pause.fail(at: core.time.uptime, atLeast: delay, random: .random(in: 0...1))
      }
      if state.list.isCurrent {
        state.list.isCurrent = false
        show(state.list)
      }
      try await core.time.wait(until: pause.until)
    }
  }

  private struct State {
    var list = LiveDocuments<Content>()
    var documents: [String: Document<Content>] = [:]
    var revision = ""
  }

  private func read(
    _ bearer: Bearer,
    _ state: inout State,
    _ show: (LiveDocuments<Content>) -> Void
  ) async throws {
    let query = state.revision.isEmpty ? [] : [("afterRevision", state.revision)]
    var call = Call(.get, path + ":watch", query: query)
    call.silence = .seconds(10)
    call.fields["accept"] = "application/x-ndjson"
    var reader = LineReader()
    for try await bytes in try core.client.stream(call, token: bearer.token) {
      for line in try reader.lines(after: bytes) where !line.isEmpty {
        let parsed = try Wire.decode(Line.self, from: line)
        if parsed.status == "success" { return }
        if parsed.status != nil {
          throw ErrorEnvelope.error(of: HTTPAnswer(status: 200, body: line))
        }
        if let event = parsed.data, apply(event, to: &state) { show(state.list) }
      }
    }
  }

  /// Whether there is something new to show.
  private func apply(_ event: Line.Event, to state: inout State) -> Bool {
    if let revision = event.revision, !revision.isEmpty { state.revision = revision }
    switch event.kind {
    case "DOCUMENT_EVENT_KIND_RESET":
      state.documents = [:]
      state.list.isCurrent = false
      return false
    case "DOCUMENT_EVENT_KIND_CURRENT":
      state.list.isCurrent = true
    case "DOCUMENT_EVENT_KIND_PUT":
      guard let document = event.document?.document else { return false }
      state.documents[document.id] = document
    case "DOCUMENT_EVENT_KIND_DELETE":
      guard let id = event.documentId else { return false }
      state.documents[id] = nil
    default: return false
    }
    state.list.documents = state.documents.values.sorted { $0.id < $1.id }
    return state.list.isCurrent
  }
}

/// The documents of the signed-in person.
public struct Documents: Sendable {
  let core: Core

  /// A collection, whose documents are decoded as a type.
  public func collection<Content: Codable & Sendable>(
    _ name: String,
    as type: Content.Type
  ) -> DocumentCollection<Content> {
    DocumentCollection(core: core, name: name)
  }
}
