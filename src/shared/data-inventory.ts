/** Files of the data folder. */
export interface KeptFile {
  /** `<…>` and `…` mean any characters; `-wal` goes on where the first name ends. */
  readonly names: readonly string[]
  readonly content: string
  /** True if one of them is a secret of Aspy itself. */
  readonly isKey?: boolean
}

/** Every file of the data folder. The folder has mode 0700, each file 0600. */
export const FILES: readonly KeptFile[] = [
  {
    names: ['lifestats.db', '-wal', '-shm'],
    content:
      'the event log, the texts, the tables and indexes derived from them, and the redacted text of answers in progress',
  },
  {
    names: ['archive/<month>-….jsonl.zst'],
    content: 'bodies of requests and tool traffic older than `retention_days`: compressed, redacted like the rest',
  },
  {
    names: ['logs/session-<id>.jsonl', '….jsonl.<n>.gz'],
    content: 'one line per event, for `jq` and `grep`, kept 90 days; off with `[session_log] enabled = false`',
  },
  {
    names: ['outbox/', 'webhook.secret'],
    content:
      'how far the log was delivered (positions, no content), and the signing secret; only with a webhook or collector',
    isKey: true,
  },
  {
    names: ['team.json'],
    content: 'the team that this device joined, with its token; only after `aspy team join`',
    isKey: true,
  },
  {
    names: ['spool.jsonl', 'spool-….jsonl'],
    content:
      'events that could not be stored while the database was locked or full, or that an app brings whose place another one took: redacted, removed once stored',
  },
  {
    names: ['guard-estimates'],
    content:
      'only with caps: what requests of the last day may still cost, their sessions as hashes, so that caps hold over a restart',
  },
  { names: ['log-gone'], content: 'a mark that `lifestats.db-wal` was removed, until an app says so' },
  { names: ['last-check'], content: 'when the database was last checked for damage' },
  { names: ['hash.key'], content: 'the key for all hashes and redaction marks', isKey: true },
  {
    names: ['token', 'hooks', 'mcp', 'metrics'],
    content: 'API keys: everything, hooks only, reading only, `/metrics` only',
    isKey: true,
  },
  {
    names: ['app.json', 'writer.lock', 'keeper.sock', 'config.toml'],
    content: 'where the running app is, the lock, where commands ask the keeper, your settings',
  },
  { names: ['serve.log'], content: 'what an app without a window prints: faults and their times, no payloads' },
  { names: ['import.json'], content: 'counts of an import under way, so that a restart continues it' },
  {
    names: ['path-secret'],
    content: 'the secret in the base URL of clients; never in a backup, export or record',
    isKey: true,
  },
  {
    names: ['tunnel-port', 'tunnel-key'],
    content:
      "the tunnel's last port, so that clients find it again; the key of clients that settings connect in full mode",
    isKey: true,
  },
  {
    names: ['watch.git/'],
    content:
      'an empty repository, through which git lists files without reading your own; only with `[files] watch_changes`',
  },
  {
    names: ['keeper.json'],
    content:
      'with a login service only: the ports and the addresses that requests are forwarded to, for a start that fails',
  },
  {
    names: ['upstreams/'],
    content: 'the addresses of gateways that clients had as base URL before `aspy run` or `aspy setup --base-url`',
  },
  { names: ['setup.json'], content: 'what `aspy setup` changed in the client, for `--undo`' },
  {
    names: ['desktop/', 'desktop.log'],
    content: "the desktop app's window size and position, last view and recent searches; its own messages",
  },
  {
    names: ['salvage.db', 'salvage-from.db', 'lifestats.db.damaged-<time>-salvaged'],
    content:
      'the new database while a damaged one is salvaged, and a copy of that with another header; counts of what is missing, by session id',
  },
  {
    names: ['lifestats.db.damaged-log', '….damaged-<time>-log'],
    content: "a write-ahead log that was another database's, or of another state of this one",
  },
  {
    names: ['lifestats.db.before-<n>', '….before-restore-<time>', '….damaged-<time>'],
    content: 'copies kept before a migration or a restore, or of a damaged file, and the same of archive',
  },
  {
    names: ['ca.key', 'ca.pem', '<client>-ca.key', '<client>-ca.pem'],
    content: "keys and certificates with which full mode reads the API's hosts; only with full mode",
    isKey: true,
  },
]

/** An address that Aspy may connect to. */
export interface Address {
  /** The setting that holds it; null: clients name it. */
  readonly setting: string | null
  /** What clients name, if no setting holds it. */
  readonly named?: string
  readonly sends: string
  readonly when: string
}

/** The gateways of clients; a running app can list them. */
export const GATEWAYS: Address = {
  setting: null,
  named: 'gateways that clients have as base URL',
  sends: "your client's requests, byte for byte, instead of to the API",
  when: 'a client sends one whose settings or environment name that gateway',
}

/** Every address that Aspy connects to. A test runs the app behind a fence and finds no other. */
export const ADDRESSES: readonly Address[] = [
  { setting: 'proxy.upstream', sends: "your client's requests, byte for byte", when: 'a client sends one' },
  {
    setting: 'proxy.upstreams',
    sends: "your client's requests, byte for byte",
    when: 'a client of that API sends one',
  },
  GATEWAYS,
  {
    setting: null,
    named: 'any host that the client names',
    sends: 'bytes of a tunnel, unread',
    when: 'a client connects through full mode',
  },
  { setting: 'webhook.url', sends: 'recorded events, redacted and signed', when: 'you set it' },
  { setting: 'otel.endpoint', sends: 'traces of turns, redacted', when: 'you set it' },
  { setting: 'team.url', sends: 'what the policy of each project allows, redacted', when: 'you join a team' },
  { setting: 'app.update_url', sends: 'a request that names your system', when: 'you turn it on, once a day' },
]

/** What passes through Aspy. */
export const SEEN: readonly string[] = [
  'requests of your clients to the API, and its answers, as they pass',
  "what the clients' hooks report, and their transcripts, which Aspy reads in their place",
  'in full mode, the names of all hosts that a client connects to; the content only of the API',
]
