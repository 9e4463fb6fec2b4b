import { serverOf } from '../../ledger/carried-thing.ts'
import type { AdviceKind, Candidate, SettingsFix } from '../candidate.ts'
import type { Place } from '../place.ts'
import type { AdviceCall } from '../../store/read/advice-calls.ts'

const MIN_MISSES = 3
/** Messages that the client writes before the first prompt: environment, instructions, skills. */
const OPENING = /^messages\[[01]\]/

/** The same text at another place or in another form: nobody but the client writes that. */
const SAME_TEXT = /^(?:\w+: )?(?:moved: |blocks → string|string → blocks|role )/

/** A part of the setup that changes between requests, so that all that follows it is written again. */
export const brokenCache: AdviceKind = {
  kind: 'broken_cache',
  find(place) {
    const calls = place.sessions.flatMap((session) => session.calls).filter(isJudged)
    const groups = Map.groupBy(calls, (call) => partOf(call) ?? '')
    return [...groups].flatMap(([part, misses]) => (part === '' ? [] : [candidate(place, part, misses, calls)]))
  },
}

/** A first request has nothing to read, and of an unknown cause nobody knows whether it is this one. */
const isJudged = ({ cause }: AdviceCall): boolean => cause !== 'first_request' && cause !== 'unknown'

/** Names the part of the setup that a miss is due to; null if it has another cause. */
function partOf({ cause, place, detail }: AdviceCall): string | null {
  if (cause === 'tools_changed') return `tools ${serversIn(detail ?? '')}`
  if (cause === 'system_changed') return 'system'
  if (cause === 'betas_changed') return 'betas'
  if (cause !== 'messages_changed' && cause !== 'resumed') return null
  if (!OPENING.test(place ?? '')) return null
  if (SAME_TEXT.test(detail ?? '')) return 'replayed'
  return cause === 'messages_changed' ? 'opening' : null
}

/** Lists the MCP servers among changed tools; empty if only the client's own tools changed. */
function serversIn(detail: string): string {
  const servers = [...detail.matchAll(/mcp__[^\s,;]+/g)].flatMap(([tool]) => serverOf(tool) ?? [])
  return [...new Set(servers)].toSorted().join(', ')
}

function candidate(place: Place, part: string, misses: readonly AdviceCall[], calls: readonly AdviceCall[]): Candidate {
  const isMiss = new Set(misses)
  return {
    kind: 'broken_cache',
    subject: part,
    place,
    tries: calls.map((call) => {
      const hit = isMiss.has(call)
      const claim = hit ? ({ of: 'miss', call: call.id } as const) : ({ of: 'nothing' } as const)
      return { at: call.at, event: call.id, hit, usd: hit ? call.waste_usd : 0, minutes: 0, claim }
    }),
    minHits: MIN_MISSES,
    headline: ({ hits, opportunities, usd }) =>
      `${named(part)} changed before ${hits} of ${opportunities} requests and broke the cache: ${usd}`,
    fix: fixFor(part),
    ...(part.startsWith('tools ') && part !== 'tools ' ? {} : { mayBeClient: true as const }),
  }
}

function named(part: string): string {
  if (part === 'tools ') return "The client's own list of tools"
  if (part.startsWith('tools ')) return `The tools of MCP server ${part.slice('tools '.length)}`
  return NAMES[part] ?? part
}

const NAMES: Readonly<Record<string, string>> = {
  system: 'The system prompt',
  betas: 'The set of betas that the client asks for',
  replayed: 'The client repeated text at the beginning in another place or form, as after --resume: it',
  opening: 'Text at the beginning of the conversation',
}

/** The client's own tools, betas and ways to repeat a conversation are not the person's to change. */
function fixFor(part: string): SettingsFix | null {
  if (part.startsWith('tools ') && part !== 'tools ') {
    const server = part.slice('tools '.length)
    return {
      title: `Have ${server} ready before the first prompt, or remove it here`,
      steps: [
        `Wait until ${server} is connected before the first prompt (/mcp shows it), or let it start faster.`,
        `If this project does not need it, remove it: claude mcp remove ${server}`,
      ],
      file: null,
      set: [],
    }
  }
  if (part === 'system') {
    return {
      title: 'Leave the git status out of the system prompt',
      steps: [
        'Set CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS to 1 in the environment of this project.',
        'If the part that changes is not the git status, see it with `aspy diff` and one of the requests.',
      ],
      file: 'project',
      set: [{ path: ['env', 'CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS'], value: '1' }],
    }
  }
  if (part === 'opening') {
    return {
      title: 'Make the text of hooks and instruction files stable',
      steps: [
        'See which bytes differ: `aspy diff` and one of the requests.',
        'Leave dates, counters and random values out of CLAUDE.md and of what hooks print at the start.',
      ],
      file: null,
      set: [],
    }
  }
  return null
}
