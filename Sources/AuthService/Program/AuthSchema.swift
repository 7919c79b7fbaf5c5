internal import ServiceKit

/// The tables of AuthService.
enum AuthSchema {
  /// Marks a file as this service's: `GHau`.
  static let applicationID: Int32 = 0x4748_6175
  /// Of the schema that all steps make, for `DatabaseConfiguration.schemaDigest`; SchemaDigestTests says what it is.
  static let digest = "ItmyygGnCKl-PPXuZw8iriAuOTmpOtKCPd0r16jpS84"

  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE user (
          id TEXT PRIMARY KEY,
          email TEXT NOT NULL,
          email_key TEXT NOT NULL UNIQUE,
          email_verified INTEGER NOT NULL CHECK (email_verified IN (0, 1)),
          display_name TEXT NOT NULL,
          first_name TEXT NOT NULL,
          last_name TEXT NOT NULL,
          default_portfolio TEXT,
          default_property TEXT,
          default_unit TEXT,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL
        );
        CREATE TABLE credential (
          user_id TEXT PRIMARY KEY REFERENCES user (id),
          password TEXT NOT NULL,
          changed_at INTEGER NOT NULL
        );
        CREATE TABLE session (
          id TEXT PRIMARY KEY,
          user_id TEXT NOT NULL REFERENCES user (id),
          generation INTEGER NOT NULL,
          rotated_at INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          idle_end INTEGER NOT NULL,
          absolute_end INTEGER NOT NULL,
          authenticated_at INTEGER NOT NULL,
          device_name TEXT NOT NULL,
          device_model TEXT NOT NULL,
          device_application TEXT NOT NULL,
          network TEXT NOT NULL,
          revoked_at INTEGER
        );
        CREATE INDEX session_by_user ON session (user_id);
        CREATE INDEX session_by_end ON session (idle_end);
        CREATE TABLE revocation (
          revision INTEGER PRIMARY KEY,
          session_id TEXT,
          user_id TEXT NOT NULL,
          not_before INTEGER,
          forget_at INTEGER NOT NULL
        );
        CREATE INDEX revocation_by_end ON revocation (forget_at);
        CREATE TABLE signing_key (
          id TEXT PRIMARY KEY,
          sealed BLOB NOT NULL,
          signs_from INTEGER NOT NULL,
          created_at INTEGER NOT NULL
        );
        CREATE TABLE attempt (
          subject BLOB NOT NULL,
          kind TEXT NOT NULL,
          failures INTEGER NOT NULL,
          last_at INTEGER NOT NULL,
          until_at INTEGER NOT NULL,
          PRIMARY KEY (subject, kind)
        );
        CREATE INDEX attempt_by_time ON attempt (last_at);
        """
    ),
    Migration(
      version: 2,
      sql: """
        -- Counts changes of the password; making its record anew is none.
        ALTER TABLE credential ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
        -- Counts how often the user ended all sessions, or all others.
        ALTER TABLE user ADD COLUMN session_endings INTEGER NOT NULL DEFAULT 0;
        -- The latest time that any token of the session says it was issued at.
        ALTER TABLE session ADD COLUMN newest_issue INTEGER NOT NULL DEFAULT 0;
        UPDATE session SET newest_issue = max(created_at, rotated_at);
        """
    ),
    Migration(
      version: 3,
      sql: """
        -- Operators look for users by what a name begins with.
        CREATE INDEX user_by_display_name ON user (lower(display_name));
        CREATE INDEX user_by_first_name ON user (lower(first_name));
        CREATE INDEX user_by_last_name ON user (lower(last_name));
        """
    ),
    Migration(
      version: 4,
      sql: """
        -- Each sign-in looks at the user's living sessions: only at those, however many have ended.
        DROP INDEX session_by_user;
        CREATE INDEX session_alive ON session (user_id, created_at, id) WHERE revoked_at IS NULL;
        """
    ),
    Migration(
      version: 5,
      sql: """
        -- Of the user's mails; empty for that of the installation.
        ALTER TABLE user ADD COLUMN language TEXT NOT NULL DEFAULT '';
        -- Mails that wait, and for a while those that do not any more. 1 queued, 2 being sent, 3 sent,
        -- 4 given up: the first two are due at a time, when they are tried next or their lease ends.
        CREATE TABLE mail (
          id TEXT PRIMARY KEY,
          kind TEXT NOT NULL,
          user_id TEXT,
          sealed BLOB NOT NULL,
          state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 4),
          attempts INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          due_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          finished_at INTEGER,
          error TEXT NOT NULL
        );
        CREATE INDEX mail_by_due ON mail (due_at, id) WHERE state <= 2;
        CREATE INDEX mail_by_state ON mail (state, id);
        CREATE INDEX mail_by_end ON mail (finished_at) WHERE state >= 3;
        -- What mails carry to prove that somebody read them, keyed.
        CREATE TABLE mail_token (
          digest BLOB PRIMARY KEY,
          purpose TEXT NOT NULL,
          user_id TEXT REFERENCES user (id),
          address_key TEXT NOT NULL,
          address TEXT NOT NULL,
          session_id TEXT NOT NULL,
          was_verified INTEGER NOT NULL CHECK (was_verified IN (0, 1)),
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          used_at INTEGER
        );
        CREATE INDEX mail_token_by_user ON mail_token (user_id);
        CREATE INDEX mail_token_by_address ON mail_token (address_key, purpose);
        CREATE INDEX mail_token_by_end ON mail_token (expires_at);
        """
    ),
    Migration(
      version: 6,
      sql: """
        -- How the user proved to be who they are: what that is worth, and with what, apart by spaces.
        ALTER TABLE session ADD COLUMN acr TEXT NOT NULL DEFAULT 'pwd';
        ALTER TABLE session ADD COLUMN amr TEXT NOT NULL DEFAULT 'pwd';
        """
    ),
    Migration(
      version: 7,
      sql: """
        -- Accounts that nobody can sign in to, and who decided that.
        CREATE TABLE disabled_user (
          user_id TEXT PRIMARY KEY REFERENCES user (id),
          reason TEXT NOT NULL,
          actor TEXT NOT NULL,
          since INTEGER NOT NULL
        ) WITHOUT ROWID;
        -- Accounts that were imported, by what the other system calls them; the digest of the row is keyed.
        CREATE TABLE imported_user (
          source TEXT NOT NULL,
          source_id TEXT NOT NULL,
          content BLOB NOT NULL,
          user_id TEXT NOT NULL REFERENCES user (id),
          PRIMARY KEY (source, source_id)
        ) WITHOUT ROWID;
        CREATE INDEX imported_user_by_user ON imported_user (user_id);
        -- How far each run of an import has come.
        CREATE TABLE import_run (
          source TEXT NOT NULL,
          run TEXT NOT NULL,
          next INTEGER NOT NULL,
          created INTEGER NOT NULL,
          unchanged INTEGER NOT NULL,
          refused INTEGER NOT NULL,
          changed_at INTEGER NOT NULL,
          PRIMARY KEY (source, run)
        ) WITHOUT ROWID;
        CREATE INDEX import_run_by_time ON import_run (changed_at);
        -- Imported digests that wait for a hash of our own.
        CREATE INDEX credential_fast ON credential (user_id) WHERE substr(password, 1, 5) = 'fast:';
        """
    ),
    Migration(
      version: 8,
      sql: """
        -- PINs, hashed like passwords, and the wrong ones in a row.
        CREATE TABLE pin (
          user_id TEXT PRIMARY KEY REFERENCES user (id),
          record TEXT NOT NULL,
          failures INTEGER NOT NULL,
          last_at INTEGER NOT NULL,
          until_at INTEGER NOT NULL,
          changed_at INTEGER NOT NULL
        );
        """
    ),
    Migration(
      version: 9,
      sql: """
        -- Authenticator apps, a factor once they were confirmed; their secrets are sealed.
        CREATE TABLE totp (
          user_id TEXT PRIMARY KEY REFERENCES user (id),
          id TEXT NOT NULL,
          sealed BLOB NOT NULL,
          created_at INTEGER NOT NULL,
          confirmed_at INTEGER,
          last_step INTEGER NOT NULL
        );
        -- Codes that take their place once, keyed.
        CREATE TABLE recovery_code (
          user_id TEXT NOT NULL REFERENCES user (id),
          digest BLOB NOT NULL,
          PRIMARY KEY (user_id, digest)
        );
        -- Sign-ins whose password was right and that wait for a second factor.
        CREATE TABLE pending_sign_in (
          digest BLOB PRIMARY KEY,
          user_id TEXT NOT NULL REFERENCES user (id),
          password_version INTEGER NOT NULL,
          session_endings INTEGER NOT NULL,
          device_name TEXT NOT NULL,
          device_model TEXT NOT NULL,
          device_application TEXT NOT NULL,
          network TEXT NOT NULL,
          known_device BLOB,
          tells_owner INTEGER NOT NULL CHECK (tells_owner IN (0, 1)),
          partial_context INTEGER NOT NULL CHECK (partial_context IN (0, 1)),
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          failures INTEGER NOT NULL
        );
        CREATE INDEX pending_sign_in_by_end ON pending_sign_in (expires_at);
        """
    ),
    Migration(
      version: 10,
      sql: """
        CREATE TABLE passkey (
          id TEXT PRIMARY KEY,
          -- What authenticators call it. Nobody else's may have the same.
          credential_id BLOB NOT NULL UNIQUE,
          user_id TEXT NOT NULL REFERENCES user (id),
          -- As COSE encodes it.
          public_key BLOB NOT NULL,
          sign_count INTEGER NOT NULL,
          backup_eligible INTEGER NOT NULL CHECK (backup_eligible IN (0, 1)),
          backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
          -- Apart by spaces.
          transports TEXT NOT NULL,
          model BLOB NOT NULL,
          attestation TEXT NOT NULL,
          relying_party TEXT NOT NULL,
          name TEXT NOT NULL,
          -- Whether the address was verified when it was registered.
          address_proven INTEGER NOT NULL CHECK (address_proven IN (0, 1)),
          created_at INTEGER NOT NULL,
          last_used_at INTEGER,
          -- When the counter of signatures did not rise.
          counter_fell_at INTEGER
        );
        CREATE INDEX passkey_by_user ON passkey (user_id, created_at, id);
        -- What authenticators call a user: random, so that they hold nothing of anybody's.
        CREATE TABLE passkey_user (
          user_id TEXT PRIMARY KEY REFERENCES user (id),
          handle BLOB NOT NULL UNIQUE
        );
        -- Challenges that nobody has answered yet. Numbers are never used again, so that the oldest can be
        -- told without counting rows.
        CREATE TABLE passkey_ceremony (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          id TEXT NOT NULL UNIQUE,
          kind TEXT NOT NULL,
          challenge BLOB NOT NULL,
          -- Empty for everybody's, and for an address without an account.
          user_id TEXT NOT NULL,
          session_id TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL
        );
        CREATE INDEX passkey_ceremony_by_end ON passkey_ceremony (expires_at);
        """
    ),
    Migration(
      version: 11,
      sql: """
        -- Persons at identity providers who may sign in to accounts: each to one.
        CREATE TABLE identity (
          id TEXT PRIMARY KEY,
          issuer TEXT NOT NULL,
          subject TEXT NOT NULL,
          provider TEXT NOT NULL,
          user_id TEXT NOT NULL REFERENCES user (id),
          email TEXT NOT NULL,
          private_email INTEGER NOT NULL CHECK (private_email IN (0, 1)),
          mail_stopped INTEGER NOT NULL CHECK (mail_stopped IN (0, 1)),
          linked_at INTEGER NOT NULL,
          used_at INTEGER,
          newest_token INTEGER NOT NULL,
          withdrawn_at INTEGER
        );
        CREATE UNIQUE INDEX identity_by_subject ON identity (issuer, subject);
        CREATE INDEX identity_by_user ON identity (user_id, linked_at, id);
        -- Nonces of tokens that were used, until they end.
        CREATE TABLE used_nonce (
          digest BLOB PRIMARY KEY,
          expires_at INTEGER NOT NULL
        );
        CREATE INDEX used_nonce_by_end ON used_nonce (expires_at);
        -- Notifications of providers that were received: the same one may come again.
        CREATE TABLE identity_notification (
          issuer TEXT NOT NULL,
          id TEXT NOT NULL,
          received_at INTEGER NOT NULL,
          PRIMARY KEY (issuer, id)
        );
        CREATE INDEX identity_notification_by_time ON identity_notification (received_at);
        """
    ),
    Migration(
      version: 12,
      sql: """
        -- What users tell about themselves, and what their applications keep: see `UserProfile`.
        ALTER TABLE user ADD COLUMN photo_url TEXT NOT NULL DEFAULT '';
        ALTER TABLE user ADD COLUMN time_zone TEXT NOT NULL DEFAULT '';
        ALTER TABLE user ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
        ALTER TABLE user ADD COLUMN activities TEXT NOT NULL DEFAULT '[]';
        -- How often users have exported their accounts of late: see `ExportAllowance`.
        CREATE TABLE account_export (
          user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
          window_began_at INTEGER NOT NULL,
          begun_count INTEGER NOT NULL,
          completed_at INTEGER
        );
        CREATE INDEX mail_by_user ON mail (user_id, id) WHERE user_id IS NOT NULL;
        """
    ),
    Migration(
      version: 13,
      sql: """
        -- Accounts that are deleted step by step, and for a while those that were: then without their users.
        CREATE TABLE deletion (
          id TEXT PRIMARY KEY,
          user_id TEXT NOT NULL UNIQUE,
          step TEXT NOT NULL,
          requested_at INTEGER NOT NULL,
          erase_at INTEGER NOT NULL,
          due_at INTEGER NOT NULL,
          failed_count INTEGER NOT NULL,
          cursor TEXT NOT NULL,
          finished_at INTEGER,
          addresses BLOB NOT NULL
        );
        CREATE INDEX deletion_by_due ON deletion (due_at, id) WHERE finished_at IS NULL;
        CREATE INDEX deletion_by_end ON deletion (finished_at) WHERE finished_at IS NOT NULL;
        \(Tombstones.table)
        """
    ),
    Migration(
      version: 14,
      sql: """
        -- How the first half of a sign-in was proven, and when the second one was.
        ALTER TABLE pending_sign_in ADD COLUMN acr TEXT NOT NULL DEFAULT 'pwd';
        ALTER TABLE pending_sign_in ADD COLUMN amr TEXT NOT NULL DEFAULT 'pwd';
        ALTER TABLE pending_sign_in ADD COLUMN completed_at INTEGER;
        """
    ),
    Migration(
      version: 15,
      sql: """
        -- What users allowed at Apple: codes to exchange, refresh tokens that are kept, and such that are to be
        -- revoked, whose identity is gone.
        CREATE TABLE apple_grant (
          id TEXT PRIMARY KEY,
          identity_id TEXT,
          client_id TEXT NOT NULL,
          state INTEGER NOT NULL CHECK (state IN (1, 2, 3)),
          sealed BLOB NOT NULL,
          due_at INTEGER,
          failed_count INTEGER NOT NULL,
          expires_at INTEGER NOT NULL
        );
        CREATE INDEX apple_grant_by_due ON apple_grant (due_at, id) WHERE due_at IS NOT NULL;
        CREATE INDEX apple_grant_by_identity ON apple_grant (identity_id)
          WHERE identity_id IS NOT NULL;
        """
    ),
    Migration(
      version: 16,
      sql: """
        -- What operators change in accounts: see `AccountChange`.
        CREATE TABLE account_change (
          id TEXT PRIMARY KEY,
          user_id TEXT NOT NULL,
          kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
          new_email TEXT NOT NULL,
          reason TEXT NOT NULL,
          state INTEGER NOT NULL CHECK (state IN (1, 2, 3, 4, 5)),
          requested_by TEXT NOT NULL,
          requested_at INTEGER NOT NULL,
          due_at INTEGER,
          approved_by TEXT,
          finished_at INTEGER
        );
        CREATE UNIQUE INDEX account_change_waiting ON account_change (user_id, kind) WHERE state = 1;
        CREATE INDEX account_change_by_due ON account_change (due_at) WHERE state = 1;
        """
    ),
    Migration(
      version: 17,
      sql: """
        -- Accounts that TenancyService has to hear of: disabled ones, and those that are to be deleted. See
        -- AccountReportTable.
        CREATE TABLE account_report (
          user_id TEXT PRIMARY KEY,
          version INTEGER NOT NULL,
          due_at INTEGER
        ) WITHOUT ROWID;
        CREATE INDEX account_report_by_due ON account_report (due_at, user_id)
          WHERE due_at IS NOT NULL;
        INSERT INTO account_report
          SELECT user_id, 1, 0 FROM disabled_user
          UNION SELECT user_id, 1, 0 FROM deletion WHERE finished_at IS NULL;
        CREATE TRIGGER account_report_disabled AFTER INSERT ON disabled_user
          BEGIN
            INSERT INTO account_report VALUES (NEW.user_id, 1, 0)
            ON CONFLICT (user_id) DO UPDATE SET version = version + 1, due_at = 0;
          END;
        CREATE TRIGGER account_report_enabled AFTER DELETE ON disabled_user
          BEGIN
            INSERT INTO account_report VALUES (OLD.user_id, 1, 0)
            ON CONFLICT (user_id) DO UPDATE SET version = version + 1, due_at = 0;
          END;
        CREATE TRIGGER account_report_deletion_begun AFTER INSERT ON deletion
          BEGIN
            INSERT INTO account_report VALUES (NEW.user_id, 1, 0)
            ON CONFLICT (user_id) DO UPDATE SET version = version + 1, due_at = 0;
          END;
        CREATE TRIGGER account_report_deletion_cancelled AFTER DELETE ON deletion
          WHEN OLD.finished_at IS NULL
          BEGIN
            INSERT INTO account_report VALUES (OLD.user_id, 1, 0)
            ON CONFLICT (user_id) DO UPDATE SET version = version + 1, due_at = 0;
          END;
        """,
      postgresTriggers: """
        CREATE FUNCTION account_report_due() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            INSERT INTO account_report (user_id, version, due_at)
            VALUES (CASE TG_OP WHEN 'DELETE' THEN OLD.user_id ELSE NEW.user_id END, 1, 0)
            ON CONFLICT (user_id) DO UPDATE SET version = account_report.version + 1, due_at = 0;
            RETURN NULL;
          END $$;
        CREATE TRIGGER account_report_disabled AFTER INSERT ON disabled_user
          FOR EACH ROW EXECUTE FUNCTION account_report_due();
        CREATE TRIGGER account_report_enabled AFTER DELETE ON disabled_user
          FOR EACH ROW EXECUTE FUNCTION account_report_due();
        CREATE TRIGGER account_report_deletion_begun AFTER INSERT ON deletion
          FOR EACH ROW EXECUTE FUNCTION account_report_due();
        CREATE TRIGGER account_report_deletion_cancelled AFTER DELETE ON deletion
          FOR EACH ROW WHEN (OLD.finished_at IS NULL) EXECUTE FUNCTION account_report_due();
        """
    ),
    Migration(
      version: 18,
      sql: """
        -- Whose share of the places a challenge and a mail takes, keyed: see `PlaceHolder`.
        ALTER TABLE passkey_ceremony ADD COLUMN holder BLOB NOT NULL DEFAULT x'';
        CREATE INDEX passkey_ceremony_by_holder ON passkey_ceremony (holder);
        ALTER TABLE mail ADD COLUMN holder BLOB NOT NULL DEFAULT x'';
        CREATE INDEX mail_by_holder ON mail (holder, id) WHERE state <= 2;
        """
    ),
    PasswordWorkTable.migration,
    RefreshAttempt.migration,
    UserNames.migration,
    UserRevision.migration,
    FamilyPinTable.migration,
    ChildAccountTable.migration,
    AddressProofs.migration,
    UserTable.renaming,
    ChildAccountTable.pairings,
    // Reports and erasures by scope are TenancyService's.
    Migration(version: 28, sql: "DROP INDEX audit_log_by_scope;"),
    EarlierAttempts.migration,
  ]
}
