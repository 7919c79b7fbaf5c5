internal import Glibc
internal import RPCKit
internal import ServiceKit

/// Writes each mail into a folder, as `ID.eml`.
///
/// A file appears whole or not at all, is readable by its owner alone, and is on the disk before the mail
/// counts as sent. A mail that is written a second time, because the service ended before it could say so,
/// replaces the file of the first time.
struct SpoolFolder: MailTransport {
  let path: String
  /// Files in the folder, at most; when there are more, mails wait until some were fetched.
  let fileCountMax: Int

  /// So many mails share the wait for the disk.
  var batchCount: Int { 512 }

  /// Mails up to which each waits for itself: others may have written much to the same file system.
  private static let fewMails = 8

  func deliver(_ mails: [MailMessage], isStopping: @escaping () -> Bool) -> [MailOutcome] {
    let isEachSynchronized = mails.count <= Self.fewMails
    do throws(FileError) {
      try FileBytes.createDirectory(path)
      // Somebody else may have put files there.
      let count = try FileBytes.entryCount(inFolder: path, countMax: fileCountMax)
      var outcomes = mails.enumerated().map { place, mail -> MailOutcome in
        guard !isStopping() else { return .failed("the service is stopping") }
        guard count + place < fileCountMax else {
          return .failed(
            "the spool folder has \(fileCountMax) files; remove those that were fetched"
          )
        }
        return write(mail, isSynchronized: isEachSynchronized)
      }
      // What is in the files is on the disk before their names are, and both before a mail counts as sent.
      if !isEachSynchronized { try FileBytes.synchronizeFileSystem(of: path) }
      for (place, mail) in mails.enumerated() where outcomes[place] == .sent {
        outcomes[place] = publish(mail)
      }
      if outcomes.contains(.sent) { try synchronizeNames() }
      return outcomes
    } catch {
      for mail in mails { _ = unsafe unlink(temporary(mail)) }
      return mails.map { _ in .failed(error.description) }
    }
  }

  /// A file that nobody takes for a mail yet.
  private func temporary(_ mail: MailMessage) -> String { "\(path)/.\(mail.id).new" }

  private func write(_ mail: MailMessage, isSynchronized: Bool) -> MailOutcome {
    // Left behind by an attempt that ended with the process.
    _ = unsafe unlink(temporary(mail))
    do throws(FileError) {
      try FileBytes.createSecret(
        mail.text,
        at: temporary(mail),
        isSynchronized: isSynchronized
      )
      return .sent
    } catch {
      _ = unsafe unlink(temporary(mail))
      return .failed(error.description)
    }
  }

  func withdraw(_ mails: [String]) throws(FileError) {
    guard !mails.isEmpty, FileBytes.exists(path) else { return }
    for mail in mails {
      for file in ["\(path)/\(mail).eml", "\(path)/.\(mail).new"] {
        guard unsafe unlink(file) == 0 || errno == ENOENT else {
          throw FileError("\(file): \(unsafe String(cString: strerror(errno)))")
        }
      }
    }
    try synchronizeNames()
  }

  private func publish(_ mail: MailMessage) -> MailOutcome {
    let file = "\(path)/\(mail.id).eml"
    guard unsafe rename(temporary(mail), file) != 0 else { return .sent }
    let reason = unsafe String(cString: strerror(errno))
    _ = unsafe unlink(temporary(mail))
    return .failed("\(file): \(reason)")
  }

  /// The names are on the disk only when the folder is (fsync(2)).
  private func synchronizeNames() throws(FileError) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let isDone = descriptor >= 0 && fsync(descriptor) == 0
    let code = errno
    if descriptor >= 0 { close(descriptor) }
    guard isDone else { throw FileError("\(path): \(unsafe String(cString: strerror(code)))") }
  }
}

extension DatabaseConfiguration {
  /// Where mails are spooled unless a setting says so: beside the store's file, or in the working folder for a
  /// store on a server.
  var defaultSpool: String { server == nil ? "\(path).mail" : "auth.mail" }
}
