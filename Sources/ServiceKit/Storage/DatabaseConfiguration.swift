public import RPCKit

/// Where a store is and how much it may take.
public struct DatabaseConfiguration: Sendable {
  /// The database file; its log and its lock lie beside it.
  ///
  /// The folder must exist. For a store on a server, what it is called in errors.
  public var path: String
  /// Where the store is when a server of PostgreSQL keeps it; nil for a file.
  ///
  /// What is said here of files, logs and checks does not apply then: the server's own settings do.
  public internal(set) var server: PostgresLocation?
  /// Tells the files of one service from those of another (SQLite's application_id); not 0.
  public var applicationID: Int32
  /// Threads that answer reads; 1 to 64.
  public var readerCount = 2
  /// Reads that may wait for a thread; more are refused as `StoreError.overloaded`.
  ///
  /// Each caller may have an eighth of what is free, as for writes; they take turns as soon as more than two wait
  /// for each thread, because each of them has to be waited for.
  public var waitingReadCountMax = 4096
  /// Writes that may wait for their turn; more are refused as `StoreError.overloaded`.
  ///
  /// Once more than a sixteenth of them wait, each caller may have an eighth of what is free; more are
  /// refused as `StoreError.callerOverloaded`.
  public var waitingWriteCountMax = 4096
  /// Writes that share one transaction and one fsync.
  public var writesPerCommitMax = 256
  /// How long a transaction takes in further writes before it is committed; on a server five times as long, where each
  /// write waits for round trips and the turn that they share costs some as well.
  public var commitIntervalMax = Duration.milliseconds(20)
  /// Connections to a server that write beside the one with the turn to write; a file has none.
  public var laneCount = 2
  /// Bytes of page cache per connection.
  public var cacheByteCount = 8 << 20
  /// Bytes of write-ahead log after which its pages are moved into the file.
  public var checkpointByteCount = 4 << 20
  /// Bytes of write-ahead log past which no more is written until a long reader lets go of it.
  ///
  /// From a quarter of it on, the writer waits for readers to make the log start again.
  public var logByteCountMax = 256 << 20
  /// Pages the file may have; nil leaves it to the disk.
  ///
  /// Pages have 4 KiB.
  public var pageCountMax: Int?
  /// Bytes up to which the whole file is read and checked when it is opened, and a digest of its pages
  /// is kept; of a larger one only the ends are checked, and `Database.verify` reads it all.
  public var checkByteCountMax = 256 << 20
  /// The digest of the schema that the migrations make, as `SchemaListing` has it; with it a start need not run them to
  /// know whether a file has that schema.
  public var schemaDigest = ""
  /// How long audit records are kept, in milliseconds; nil keeps them all.
  public var auditLifetime: Int64?
  /// Which actions are news for other systems; nil keeps no events.
  public var eventRules: EventRules?
  /// Bytes of log that one user may leave at once; they come back over an hour.
  public var logBudgetByteCount = Int64(64 << 20)
  /// Committed changes that `ChangeFeed` keeps in memory for its subscribers.
  public var recentChangeCountMax = 4096
  /// Where the store says what its operator should know; nil where nobody reads it.
  public var logger: Logger?
  /// The file system that SQLite works with, by the name it is registered under; nil for its own.
  ///
  /// Tests put one under the store that fails and forgets.
  package var fileSystem: String?

  /// A store in a file with the defaults.
  public init(path: String, applicationID: Int32) {
    self.init(.file(path), applicationID: applicationID)
  }

  /// A store with the defaults.
  public init(_ place: StorePlace, applicationID: Int32) {
    (path, server) = (place.path, place.server)
    self.applicationID = applicationID
  }
}
