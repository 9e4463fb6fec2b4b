/** A folder that holds promises, and the integration tests that keep them. */
export interface Slice {
  /** Path in src/main. */
  readonly folder: string
  /** Files or folders of integration tests that run after the unit tests that load a file. */
  readonly quick: readonly string[]
  /** Tests that run if those pass. */
  readonly thorough: readonly string[]
}

const inTests = (...names: readonly string[]) => names.map((name) => `tests/integration/${name}`)

/** Folders that `npm run mutate -- FOLDER` accepts. */
export const SLICES: readonly Slice[] = [
  {
    folder: 'redaction',
    quick: [],
    thorough: inTests('redaction/hostile-text', 'app/redaction-at-doors.test.ts'),
  },
  {
    folder: 'store/pricing',
    quick: [],
    thorough: inTests('app/reprice.test.ts', 'store/rebuild-spoiled'),
  },
  {
    folder: 'ledger',
    quick: inTests('ledger/gaps', 'ledger/verdicts'),
    thorough: inTests('ledger/life-cost', 'ledger/odd-traffic', 'ledger/planted-causes'),
  },
  {
    folder: 'store/identity',
    quick: inTests('store/keys', 'store/identity.test', 'store/forks.test'),
    thorough: inTests(
      'store/joins',
      'store/tool-texts',
      'store/settle',
      'store/joined-turn-answers',
      'store/failures-and-client',
      'transcripts/links',
    ),
  },
  {
    folder: 'decode',
    quick: inTests('recorder/exchanges', 'transcripts/pitfalls'),
    thorough: inTests('recorder/requests', 'transcripts/links', 'transcripts/rollouts.test'),
  },
  {
    folder: 'guard',
    quick: [],
    thorough: inTests('guard/'),
  },
  {
    folder: 'proxy',
    quick: inTests('proxy/limits', 'proxy/failures'),
    thorough: inTests('proxy/at-once', 'proxy/bytes', 'codex/'),
  },
  {
    folder: 'live',
    quick: [],
    thorough: inTests('app/live-corrections', 'app/http'),
  },
  {
    folder: 'budgets',
    quick: [],
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
    quick: inTests('recall/one-syntax', 'recall/search'),
    thorough: inTests('recall/as-typed', 'recall/answers', 'recall/turns', 'operations/packs'),
  },
  {
    folder: 'transcripts',
    quick: inTests('transcripts/tail', 'transcripts/pitfalls'),
    thorough: inTests('transcripts/import.test', 'transcripts/preview', 'transcripts/follow.test'),
  },
  {
    folder: 'surfaces',
    quick: inTests('app/http'),
    thorough: inTests('public/doors', 'app/mcp.test', 'app/unbounded-body'),
  },
  {
    folder: 'store/projections',
    quick: inTests('store/log.test', 'store/identity.test', 'store/projected-rows', 'ledger/gaps'),
    thorough: inTests(
      'ledger/verdicts',
      'store/rebuild-spoiled',
      'store/session-titles',
      'store/failures-and-client',
      'store/lineage-names',
      'store/tables',
    ),
  },
  {
    folder: 'files',
    quick: inTests('operations/file-truth', 'operations/file-history'),
    thorough: inTests('cli/file-restore'),
  },
  {
    folder: 'advice',
    quick: inTests('advice/kinds'),
    thorough: inTests('advice/'),
  },
  {
    folder: 'cli',
    quick: [],
    thorough: inTests('cli/'),
  },
  {
    folder: 'tunnel',
    quick: inTests('tunnel/authorities', 'tunnel/keys'),
    thorough: inTests('tunnel/'),
  },
  {
    folder: 'keeper',
    quick: [],
    thorough: inTests('keeper/'),
  },
]
