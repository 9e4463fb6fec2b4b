import type { CacheCause } from '../../shared/cache-causes.ts'
import { HOUR_MS } from '../../shared/time-units.ts'
import type { Call } from './call.ts'
import { duration } from './duration.ts'
import { minimumTokens } from './minimum.ts'
import { promptTokens } from './missed.ts'
import { explainDivergence } from './prefix.ts'
import type { RequestBlocks } from './request-blocks.ts'

/** A cached beginning ends at a multiple of this many tokens. */
const STEP_TOKENS = 128
/** An API without breakpoints keeps what it caches for at least so long without use, and at most for an hour. */
const KEPT_MS = 5 * 60_000

/** Returns how much of the tokens that a request left in such a cache another one can read. */
export const wholeSteps = (tokens: number): number => tokens - (tokens % STEP_TOKENS)

/** What is known about two requests of a line besides themselves. */
interface Between {
  readonly compacted: boolean
  readonly resumed: 'resume' | 'fork' | null
  /** Milliseconds between them, at least. */
  readonly pause: number
  /** A changed model or speed. */
  readonly settings: CacheCause | null
}

/**
 * Returns why `now` did not read what `before` left, by the documented rule of an API that caches beginnings without
 * breakpoints. Such an API promises nothing, so it is never blamed; null if nothing explains the miss.
 */
export function explainUnmarked(before: Call, now: Call, between: Between): CacheCause | null {
  const { pause } = between
  const found =
    pause > HOUR_MS
      ? expired(`a pause of ${duration(pause)}`)
      : (between.settings ??
        explainRequests(before, now, between) ??
        (pause > KEPT_MS ? expired(`a pause of ${duration(pause)}, after which it may expire`) : null))
  if (found === null) return null
  return { ...found, detail: [found.detail, BY_RULE].filter((text) => text !== null && text !== '').join('; ') }
}

const BY_RULE = 'by the documented rule'
const expired = (detail: string): CacheCause => ({ kind: 'ttl_expired', where: null, detail })

function explainRequests(before: Call, now: Call, { compacted, resumed }: Between): CacheCause | null {
  if (before.blocks === null || now.blocks === null)
    return resumed === null ? null : { kind: 'resumed', where: null, detail: resumed }
  const found = explainDivergence(before.blocks, now.blocks, { compacted, resumed })
  if (found !== null) return { ...found, kind: kindOf(found, before.blocks, now.blocks) }
  const [minimum, tokens] = [minimumTokens(now.model), promptTokens(now.usage)]
  if (minimum === null || tokens >= minimum) return null
  return { kind: 'below_minimum', where: null, detail: `${tokens} of ${minimum} tokens` }
}

/** Tools and instructions may be messages, too. */
function kindOf({ kind, where }: CacheCause, before: RequestBlocks, now: RequestBlocks): CacheCause['kind'] {
  if (kind !== 'messages_changed') return kind
  const at = Number(/^messages\[(\d+)\]/.exec(where ?? '')?.[1])
  const origins = [before, now].map(({ messages }) => messages[at]?.blocks[0]?.origin)
  if (origins.includes('tool_schema')) return 'tools_changed'
  return origins.includes('system_prompt') ? 'system_changed' : 'messages_changed'
}
