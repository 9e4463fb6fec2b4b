/** A folder that holds promises, and the tests that keep them. */
export interface Slice {
  /** Path in src/main. */
  readonly folder: string
  /** Files or folders of tests that run first. */
  readonly quick: readonly string[]
  /** What runs if those pass. */
  readonly thorough: readonly string[]
}

const inMain = (folder: string) => `src/main/${folder}/`
const inTests = (...names: readonly string[]) => names.map((name) => `tests/integration/${name}`)

/** What `npm run mutate -- FOLDER` can take. */
export const SLICES: readonly Slice[] = [
  {
    folder: 'redaction',
    quick: [inMain('redaction')],
    thorough: inTests(
      'redaction/',
      'app/redaction-at-doors.test.ts',
      'app/planted-kinds.test.ts',
      'app/redact-past.test.ts',
    ),
  },
  {
    folder: 'store/pricing',
    quick: [inMain('store/pricing')],
    thorough: inTests('app/prices-by-day.test.ts', 'app/reprice.test.ts', 'store/rebuild-spoiled.test.ts'),
  },
  {
    folder: 'ledger',
    quick: [inMain('ledger')],
    thorough: inTests('ledger/'),
  },
  {
    folder: 'store/identity',
    quick: inTests('store/joins', 'store/keys', 'store/settle', 'store/forks.test', 'store/tool-texts'),
    thorough: inTests(
      'store/message-marks',
      'store/failures-and-client',
      'store/take-back-prompt',
      'store/joined-turn-answers',
      'transcripts/links',
      'transcripts/fork-order',
      'transcripts/pitfalls',
      'app/live-corrections',
      'store/rebuild.test',
      'transcripts/independent',
    ),
  },
  {
    folder: 'decode/wire',
    quick: [inMain('decode')],
    thorough: inTests('recorder/exchanges', 'recorder/thinking', 'recorder/requests', 'security/upstream-answers'),
  },
  {
    folder: 'decode/client/claude-code',
    quick: [inMain('decode')],
    thorough: inTests(
      'transcripts/import.test',
      'transcripts/pitfalls',
      'transcripts/independent',
      'recorder/other-callers',
    ),
  },
  {
    folder: 'guard',
    quick: [inMain('guard')],
    thorough: inTests('guard/'),
  },
  {
    folder: 'proxy',
    quick: [inMain('proxy'), ...inTests('proxy/at-once', 'proxy/limits', 'proxy/failures')],
    thorough: inTests('proxy/', 'codex/', 'security/slow-callers', 'security/odd-addresses'),
  },
  {
    folder: 'live',
    quick: [inMain('live')],
    thorough: inTests('app/live-corrections', 'app/http'),
  },
  {
    folder: 'budgets',
    quick: [inMain('budgets')],
    thorough: inTests('app/budgets', 'app/service-news'),
  },
  {
    folder: 'store/archive',
    quick: inTests('store/archive-ends', 'store/archive.test'),
    thorough: inTests('app/archive', 'store/redact-past'),
  },
  {
    folder: 'store/rebuild',
    quick: inTests('store/rebuild'),
    thorough: inTests('app/rebuild'),
  },
  {
    folder: 'store/delete',
    quick: inTests('store/delete.test', 'store/scrub', 'store/delete-unfinished'),
    thorough: inTests('store/delete-forks', 'app/delete', 'app/undo-delete'),
  },
  {
    folder: 'recall',
    quick: [inMain('recall')],
    thorough: inTests('recall/'),
  },
  {
    folder: 'transcripts',
    quick: [inMain('transcripts'), ...inTests('transcripts/tail', 'transcripts/pitfalls', 'transcripts/import.test')],
    thorough: inTests('transcripts/'),
  },
  {
    folder: 'surfaces',
    quick: [inMain('surfaces'), ...inTests('app/http', 'app/unbounded-body')],
    thorough: inTests('public/', 'app/mcp', 'security/path-secret', 'security/proof'),
  },
]
