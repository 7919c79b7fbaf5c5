/// Points of a family's children, and the reward time that they are spent for.
public struct Points: Sendable {
  /// Some points of one app, to be spent.
  public struct Part: Encodable, Hashable, Sendable {
    var app: String
    var points: String?
    var all: Bool?

    /// So many points of an app.
    public static func points(_ count: Int, of app: String) -> Part {
      Part(app: app, points: String(count))
    }

    /// All points of an app.
    public static func all(of app: String) -> Part { Part(app: app, all: true) }
  }

  private struct Balances: Decodable, Sendable { var balances: [PointsBalance] }

  private struct Rewards: Decodable, Sendable { var rewards: [ActiveReward] }

  private struct RequestPage: AnswerPage {
    var requests: [PointsRequest]
    var nextPageToken: String?
    var items: [PointsRequest] { requests }
  }

  private struct HistoryPage: AnswerPage {
    var entries: [PointsEntry]
    var nextPageToken: String?
    var items: [PointsEntry] { entries }
  }

  private struct Earning: Encodable {
    var app: String
    var minutes: Int
  }

  private struct Spending: Encodable {
    var parts: [Part]
    var reward: String?
    var ask: Bool
  }

  let core: Core

  private func path(_ child: String, _ rest: String = "") -> String {
    "points/\(Call.segment(child))\(rest)"
  }

  /// The points of a child, for each app.
  public func balances(of child: String) async throws -> [PointsBalance] {
    try await core.call(Call(.get, path(child)), as: Balances.self).balances
  }

  /// Reward time of a child that has not run out.
  public func rewards(of child: String) async throws -> [ActiveReward] {
    try await core.call(Call(.get, path(child, "/rewards")), as: Rewards.self).rewards
  }

  /// The ledger of a child, newest first.
  public func history(of child: String) async throws -> [PointsEntry] {
    try await core.all(path(child, "/history"), as: HistoryPage.self)
  }

  /// The requests of a child, newest first.
  public func requests(of child: String) async throws -> [PointsRequest] {
    try await core.all(path(child, "/requests"), as: RequestPage.self)
  }

  /// Gives points for minutes in an app, once, however often it has to be sent.
  @discardableResult
  public func earn(_ child: String, app: String, minutes: Int) async throws -> PointsTransaction {
    try await change(path(child, "/earn"), Earning(app: app, minutes: minutes))
  }

  /// Spends points for reward time, once; with `asking` a parent is asked first, and the answer has the request.
  @discardableResult
  public func redeem(
    _ child: String,
    _ parts: [Part],
    reward: String? = nil,
    asking: Bool = false
  ) async throws -> PointsTransaction {
    try await change(
      path(child, "/redeem"),
      Spending(parts: parts, reward: reward, ask: asking)
    )
  }

  /// Agrees to a request.
  @discardableResult
  public func approve(_ request: PointsRequest) async throws -> PointsTransaction {
    try await change(path(request, "/approve"), NoBody())
  }

  /// Does not agree to a request: the points go back.
  @discardableResult
  public func decline(_ request: PointsRequest) async throws -> PointsRequest {
    try await change(path(request, "/decline"), NoBody())
  }

  /// Takes a request back.
  @discardableResult
  public func cancel(_ request: PointsRequest) async throws -> PointsRequest {
    try await change(path(request, "/cancel"), NoBody())
  }

  private func path(_ request: PointsRequest, _ rest: String) -> String {
    path(request.holderId, "/requests/\(Call.segment(request.id))\(rest)")
  }

  private func change<Answer: Decodable & Sendable>(
    _ path: String,
    _ body: some Encodable
  ) async throws -> Answer {
    try await core.call(Call(.post, path, body: body).once(), as: Answer.self)
  }
}
