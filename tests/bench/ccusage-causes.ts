import type { CcusageVersion, Counted } from '../support/ccusage/ccusage.ts'

/** Both readers' counts for a model in a folder. */
export interface ComparedFacts {
  readonly folder: string
  readonly version: CcusageVersion
  readonly model: string
  readonly ours: Counted
  readonly theirs: Counted
}

/** `cause`: why they differ; null if they agree to a hundredth of a cent. */
export interface Compared extends ComparedFacts {
  readonly cause: string | null
}

const FIRST_LINE = 'version 18 counts the first line of a message, whose output count is a placeholder'

const ONE_HOUR_WRITES = 'version 18 charges one-hour cache writes like five-minute ones'

/** Why tokens differ, by folder. */
const TOKEN_CAUSES: readonly {
  readonly folder: RegExp
  readonly version?: CcusageVersion
  readonly cause: string
}[] = [
  { folder: /^agent-in-progress-lines$/, cause: 'ccusage reads no `progress` lines: the agent has no file of its own' },
  { folder: /^(?:typed-oddly|usage-repeated|recorded runs)$/, version: '18.0.11', cause: FIRST_LINE },
]

/** Returns why the two differ: `unknown` if nothing explains it. */
export function causeOf({ folder, version, ours, theirs }: ComparedFacts): string | null {
  if (ours.tokens !== theirs.tokens) {
    const found = TOKEN_CAUSES.find((one) => one.folder.test(folder) && (one.version ?? version) === version)
    return found?.cause ?? 'unknown'
  }
  if (Math.abs(ours.cost - theirs.cost) < 1e-4) return null
  if (theirs.cost === 0) return 'ccusage has no price for the model'
  if (version === '18.0.11' && folder === 'recorded runs') return ONE_HOUR_WRITES
  return 'unknown'
}
