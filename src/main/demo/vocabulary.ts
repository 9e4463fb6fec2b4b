const words = (text: string): readonly string[] => text.trim().split(/\s+/)
const lines = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())

/** A project in the demo. */
export interface DemoProject {
  readonly folder: string
  readonly branches: readonly string[]
  readonly language: 'ts' | 'py' | 'rs' | 'go'
  readonly folders: readonly string[]
  readonly nouns: readonly string[]
}

export const PROJECTS: readonly DemoProject[] = [
  {
    folder: '/home/dev/paper-trail',
    branches: words('main fix/upload-retries feat/solarized-theme chore/upgrade-deps'),
    language: 'ts',
    folders: words('src/editor src/sync src/theme src/export tests/editor'),
    nouns: words('theme palette editor cursor selection outline footnote citation margin export print preview draft'),
  },
  {
    folder: '/home/dev/tide-tables',
    branches: words('main feat/harmonic-solver fix/timezone-drift'),
    language: 'py',
    folders: words('tides/harmonics tides/stations tides/api tests scripts'),
    nouns: words(
      'harmonic station constituent amplitude phase datum forecast gauge residual interpolation almanac moon',
    ),
  },
  {
    folder: '/home/dev/ferry',
    branches: words('main perf/zero-copy fix/backpressure release/0.9'),
    language: 'rs',
    folders: words('crates/wire/src crates/broker/src crates/cli/src benches'),
    nouns: words(
      'broker partition offset segment frame lease replica quorum heartbeat subscriber ack journal snapshot',
    ),
  },
  {
    folder: '/home/dev/orchard-api',
    branches: words('main feat/invoices fix/n-plus-one'),
    language: 'go',
    folders: words('internal/billing internal/orders internal/auth cmd/server pkg/money'),
    nouns: words('invoice ledger order refund currency tenant coupon webhook rounding payout statement reconciliation'),
  },
  {
    folder: '/home/dev/kestrel-ui',
    branches: words('main feat/command-palette fix/focus-trap a11y/contrast'),
    language: 'ts',
    folders: words('src/components src/hooks src/tokens stories e2e'),
    nouns: words('dialog tooltip combobox popover focus contrast token animation portal listbox keyboard breadcrumb'),
  },
]

export const NOUNS = words(`
  adapter allocator archive argument array assertion attribute backoff barrier batch boundary branch bridge bucket buffer
  builder bundle cache callback channel checkpoint checksum chunk client clock closure codec column comparator compiler
  condition config connection consumer container context counter coverage credential cursor daemon database deadline
  decoder default delegate delimiter dependency descriptor diff dispatcher document driver duplicate encoder endpoint
  entry envelope event exception executor expression factory fallback fixture flag formatter fragment gateway generator
  grammar graph guard handle handler handshake hash header heap hook identifier index iterator job kernel key latch layer
  layout lexer limit linter listener loader locale lock logger loop mapping marker mask matcher merge message metric
  middleware migration mirror mock module monitor mutex namespace node normalizer observer operator option ordering
  overflow packet page parameter parser patch pattern payload permission pipeline plugin pointer policy pool port prefix
  priority processor producer profile promise protocol provider proxy query queue quota range reader record recursion
  reducer reference registry release render replay report request resolver resource response result retry rollback router
  routine row runner runtime sampler sandbox scanner scheduler schema scope script selector semaphore sequence serializer
  server session shard signal slice snapshot socket sorter source span stack stage statement store stream string suite
  supervisor switch symbol table tag target task template terminal thread throttle timeout timer token tracer transaction
  transform traversal trigger tuple type validator value variable vector version view visitor watcher wildcard window
  worker wrapper writer
`)

export const VERBS = words(`
  accept acquire append apply assemble assign attach await balance bind broadcast build cancel capture check chunk clamp
  claim clean clone close coalesce collect commit compare compose compress compute confirm connect consume convert copy
  count create debounce decode defer delete derive detach detect drain drop emit encode enqueue ensure evict expand export
  extract fetch filter find flatten flush fold format forward freeze gather generate grow guard handle hash hydrate import
  infer inject insert inspect invalidate isolate join link list load lock log lookup map mark match measure merge migrate
  normalize notify observe open order pack parse patch pause persist pick poll prefetch prepare prune publish push query
  read rebuild receive reconcile record recover redirect reduce register release reload remove rename render repair
  replace replay report request reset resolve restore resume retry return reuse revoke rewrite rotate route sample save
  scan schedule scope seal select send serialize settle shift skip sort split spread stage start stop store stream strip
  submit subscribe swap sync tag throttle toggle trace track transfer transform trim truncate unwrap update upgrade
  validate verify visit wait watch wrap write yield
`)

export const ADJECTIVES = words(`
  absent ambiguous asynchronous bounded brittle broken cached circular clean cold compact concurrent conditional corrupt
  cyclic deferred deprecated deterministic dirty duplicate eager empty exact expired explicit external fast final flaky
  fragile frozen global greedy hidden hot idempotent immutable implicit incomplete incremental inner invalid isolated
  large lazy legacy linear local locked lossy missing monotonic mutable naive native nested noisy nullable obsolete opaque
  optimistic optional orphaned outer partial pending persistent pessimistic premature private public pure quiet random
  raw recursive redundant relative remote reversible sequential shallow shared silent slow sparse spurious stale static
  strict stuck synchronous temporary transient truncated typed unbounded uncaught undefined unique unordered unsafe unused
  verbose volatile
`)

export const SYMPTOMS = lines(`
  fails only on the second run
  hangs when the network is slow
  returns an empty list in the evening
  leaks a handle for every request
  drops the last line of the file
  shows yesterday's value until a reload
  takes eleven seconds with a full history
  throws in Safari and nowhere else
  counts every retry twice
  loses the order of the items
  breaks as soon as a name has an umlaut
  eats the first keystroke after a paste
  writes the file although nothing changed
  is off by one hour in winter
  deadlocks under load
  blinks when the window gets the focus
  passes alone and fails in the suite
  rounds half a cent the wrong way
`)

export const CAUSES = lines(`
  the listener is registered again on every render
  two writers share one connection
  the clock is read before the lock is taken
  the comparison coerces its operands
  an await is missing in the finally block
  the cache key leaves out the locale
  the buffer is reused before it was flushed
  the default argument is evaluated once
  the regular expression backtracks on long lines
  the migration ran without its index
  the timeout covers the queue and not the work
  the error is swallowed two frames further up
  a symlink sends the watcher in a circle
  the token expires between the check and the use
  the iterator is consumed twice
  integer division comes before the multiplication
`)

export const REMEDIES = lines(`
  take a snapshot before the loop
  move the check behind the lock
  key the cache by locale and version
  make the write atomic with a rename
  bound the queue and count what is dropped
  stream it instead of reading it whole
  use a monotonic clock
  compare by value and not by identity
  back off with jitter
  split the function where its two jobs meet
  add the index and run ANALYZE
  close the handle in a finally block
  parse once at the edge
  let the caller own the timer
`)

export const WISHES = lines(`
  a solarized theme with a switch in the settings
  keyboard ways through the whole list
  a dry run that only prints what it would do
  an export that opens in a spreadsheet
  a progress bar that tells the truth
  search that survives a typo
  a retry with a limit
  snapshot tests for the printer
  dark mode for the charts
  a health page with the last ten errors
  pagination by cursor
  an undo for the bulk delete
  a benchmark that fails when it gets slower
  translations for the dates
  a lock file so that two runs do not meet
`)

export const LIBRARIES = words(`
  zod vite react sqlite undici tokio serde axum pandas numpy pytest fastapi gin cobra pgx redis kafka protobuf tailwind
  playwright vitest eslint ripgrep docker terraform grafana opentelemetry
`)
