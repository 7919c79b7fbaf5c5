internal import Glibc
internal import RPCKit

/// Writes each mail into a folder, as `ID.eml`.
///
/// A file appears whole or not at all, is readable by its owner alone, and is on the disk before the mail
/// counts as sent. A mail that is written a second time, because the service ended before it could say so,
/// replaces the file of the first time.
struct SpoolFolder: MailTransport {
  let path: String
  /// Files in the folder, at most; when there are more, mails wait until some were fetched.
  let fileCountMax: Int

  var batchCount: Int { 64 }

  func deliver(_ mails: [MailMessage], isStopping: @escaping () -> Bool) -> [MailOutcome] {
    do throws(FileError) {
      try FileBytes.createDirectory(path)
      // Somebody else may have put files there; of too many not even the names are read.
      let count =
        try FileBytes.names(inFolder: path, countMax: max(fileCountMax * 2, 1024))?.count ?? 0
      var outcomes = mails.enumerated().map { place, mail -> MailOutcome in
        guard !isStopping() else { return .failed("the service is stopping") }
        guard count + place < fileCountMax else {
          return .failed(
            "the spool folder has \(fileCountMax) files; remove those that were fetched"
          )
        }
        do throws(FileError) {
          try write(mail)
          return .sent
        } catch {
          return .failed(error.description)
        }
      }
      // The names are on the disk only when the folder is (fsync(2)).
      if outcomes.contains(.sent), !synchronize() {
        let reason = "\(path): \(unsafe String(cString: strerror(errno)))"
        outcomes = outcomes.map { $0 == .sent ? .failed(reason) : $0 }
      }
      return outcomes
    } catch {
      return mails.map { _ in .failed(error.description) }
    }
  }

  private func write(_ mail: MailMessage) throws(FileError) {
    let (file, temporary) = ("\(path)/\(mail.id).eml", "\(path)/.\(mail.id).new")
    // Left behind by an attempt that ended with the process.
    _ = unsafe unlink(temporary)
    do throws(FileError) {
      try FileBytes.createSecret(mail.text, at: temporary)
    } catch {
      _ = unsafe unlink(temporary)
      throw error
    }
    guard unsafe rename(temporary, file) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      _ = unsafe unlink(temporary)
      throw FileError("\(file): \(reason)")
    }
  }

  private func synchronize() -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
