import type { AdviceKind } from './candidate.ts'
import { brokenCache } from './kinds/broken-cache.ts'
import { carriedUnused } from './kinds/carried-unused.ts'
import { costlyAgents } from './kinds/costly-agents.ts'
import { failingCommand } from './kinds/failing-command.ts'
import { largeOutput } from './kinds/large-output.ts'
import { pauses } from './kinds/pauses.ts'
import { permissions } from './kinds/permissions.ts'
import { unrequested } from './kinds/unrequested.ts'

/** Every kind of advice, in the order in which they claim money: misses before calls, what is carried last. */
export const KINDS: readonly AdviceKind[] = [
  unrequested,
  pauses,
  brokenCache,
  failingCommand,
  costlyAgents,
  permissions,
  largeOutput,
  carriedUnused,
]
