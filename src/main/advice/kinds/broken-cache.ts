import { serverOf } from '../../ledger/carried-thing.ts'
import { missTry, type AdviceKind, type Candidate, type SettingsFix } from '../candidate.ts'
import type { Place } from '../place.ts'
import { namesOf } from '../same-server.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import type { AdviceCall, ChangedText } from '../../store/read/advice-calls.ts'
import { firstDifference } from '../../../shared/first-difference.ts'

const MIN_MISSES = 3
/** Messages that the client writes before the first prompt: environment, instructions, skills. */
const OPENING = /^messages\[[01]\]/

/** The same text at another place or in another form, or its own message gone: nobody but the client does that. */
const SAME_TEXT =
  /^(?:\w+: )?(?:moved: |blocks → string|string → blocks|role |removed: message of role system|the same length of text)/

/** A part of the setup that changes between requests, so that all that follows it is written again. */
export const brokenCache: AdviceKind = {
  kind: 'broken_cache',
  find(place) {
    const calls = place.sessions.flatMap((session) => session.calls).filter(isJudged)
    const names = namesOf(place.sessions)
    const groups = Map.groupBy(calls, (call) => partOf(call, names) ?? '')
    return [...groups].flatMap(([part, misses]) =>
      part === '' ? [] : [candidate(place, part, newest(part, names), misses, calls)],
    )
  },
}

/** A first request has nothing to read, and of an unknown cause nobody knows whether it is this one. */
const isJudged = ({ cause }: AdviceCall): boolean => cause !== 'first_request' && cause !== 'unknown'

/** Names the part of the setup that a miss is due to; null if it has another cause. */
function partOf({ cause, place, detail }: AdviceCall, names: ReturnType<typeof namesOf>): string | null {
  if (cause === 'tools_changed') return `tools ${serversIn(detail ?? '', names)}`
  if (cause === 'system_changed') return SAME_TEXT.test(detail ?? '') ? 'replayed' : 'system'
  if (cause === 'betas_changed') return 'betas'
  if (cause !== 'messages_changed' && cause !== 'resumed') return null
  if (!OPENING.test(place ?? '')) return null
  if (SAME_TEXT.test(detail ?? '')) return 'replayed'
  return cause === 'messages_changed' ? 'opening' : null
}

/** Lists the MCP servers among changed tools, by their first names; empty if only the client's own tools changed. */
function serversIn(detail: string, names: ReturnType<typeof namesOf>): string {
  const named = [...detail.matchAll(/mcp__[^\s,;]+/g)].flatMap(([tool]) => serverOf(tool) ?? [])
  const servers = named.map((server) => names.find((one) => one.includes(server))?.[0] ?? server)
  return [...new Set(servers)].toSorted().join(', ')
}

/** Names the servers of a part as they are called now. */
const newest = (part: string, names: ReturnType<typeof namesOf>): string =>
  part.replaceAll(/(?<=^tools .*)[^,\s]+/g, (name) => names.find(([first]) => first === name)?.at(-1) ?? name)

type Calls = readonly AdviceCall[]

function candidate(place: Place, subject: string, part: string, misses: Calls, calls: Calls): Candidate {
  const isMiss = new Set(misses)
  return {
    kind: 'broken_cache',
    subject,
    place,
    tries: calls.map((call) => missTry(call, isMiss.has(call))),
    minHits: MIN_MISSES,
    headline: ({ hits, opportunities, sessions, usd }) =>
      `${named(part)} changed before ${hits} of ${opportunities} requests that could have read the cache, and broke it, in ${sessions}: ${usd}`,
    fix: fixFor(part, misses),
    ...(part.startsWith('tools ') && part !== 'tools ' ? {} : { mayBeClient: true as const }),
  }
}

function named(part: string): string {
  if (part === 'tools ') return "The client's own list of tools"
  if (part.startsWith('tools ')) return `The tools of the MCP server ${quoted(part)}`
  return NAMES[part] ?? part
}

/** Names the servers of a part, in quotes. */
const quoted = (part: string): string => part.slice('tools '.length).replaceAll(/[^,\s]+/g, '"$&"')

const NAMES: Readonly<Record<string, string>> = {
  system: 'The system prompt',
  betas: 'The set of betas that the client asks for',
  replayed: 'The client repeated text at the beginning in another place or form, as after --resume: it',
  opening: 'Text at the beginning of the conversation',
}

/** The client's own tools, betas and ways to repeat a conversation are not the person's to change. */
function fixFor(part: string, misses: readonly AdviceCall[]): SettingsFix | null {
  if (part.startsWith('tools ') && part !== 'tools ') {
    const server = part.slice('tools '.length)
    const isGone = ({ detail }: AdviceCall): boolean => detail?.startsWith('removed: ') === true
    const [what, how] = misses.filter(isGone).length > misses.length / 2 ? KEEP_CONNECTED : HAVE_READY
    return {
      title: what.replace('%', quoted(part)),
      steps: [how, `If this project does not need it, remove it: claude mcp remove ${server}`],
    }
  }
  const [title, hint] = KEEP_SAME[part] ?? []
  if (title === undefined || hint === undefined) return null
  const changes = misses.slice(-SHOWN_CHANGES).flatMap((call) => call.changedText() ?? [])
  if (changes.length > 0 && changes.every(isGitStatus)) return NO_GIT_STATUS
  const last = changes.at(-1)
  const seen = last === undefined ? [] : [`What changed last: ${differenceIn(last)}`]
  return { title, steps: [...seen, 'See which bytes differ: `aspy diff` and one of the requests.', hint] }
}

const KEEP_SAME: Readonly<Record<string, readonly [title: string, hint: string]>> = {
  system: [
    'Keep the system prompt the same within a session',
    'It can come from an option such as --append-system-prompt, an output style or a plugin.',
  ],
  opening: [
    'Make the text of hooks and instruction files stable',
    'Leave dates, counters and random values out of CLAUDE.md and of what hooks print at the start.',
  ],
}

const HAVE_READY = [
  'Have the MCP server % ready before the first prompt, or remove it here',
  'Wait until it is connected before you send the first prompt; /mcp shows that.',
] as const
const KEEP_CONNECTED = [
  'Keep the MCP server % connected, or remove it here',
  'Its tools went within sessions: /mcp shows whether it failed, and `claude --debug` why.',
] as const

const SHOWN_CHANGES = 5
const NO_GIT_STATUS: SettingsFix = {
  title: 'Leave the git status out of the prompt',
  steps: [
    'Set CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS to 1 in the environment of this project.',
    'The client then also leaves out its own instructions for commits and pull requests: say in CLAUDE.md what of them you need.',
  ],
  set: [{ path: ['env', 'CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS'], value: '1' }],
}

/** True if the texts are equal up to the git status and first differ in it. */
function isGitStatus({ before, after }: ChangedText): boolean {
  const start = before.search(/\bgitStatus\b/)
  const day = /\b(?:today|current date|time)\b/i
  if (start < 0 || day.test(lineAt(before, after)) || before.slice(0, start) !== after.slice(0, start)) return false
  const end = before.indexOf('\n#', start)
  return end < 0 || firstDifference(before, after) <= end
}

/** Returns the line of the second text in which it first differs from the first. */
function lineAt(one: string, other: string): string {
  const at = firstDifference(one, other)
  return other.slice(other.lastIndexOf('\n', at) + 1).split('\n', 1)[0] ?? ''
}

/** Shows the first line in which two texts differ; of a long one, the part around the difference. */
function differenceIn({ before, after }: ChangedText): string {
  const at = firstDifference(before, after)
  const line = before.lastIndexOf('\n', at - 1) + 1
  const from = Math.max(line, at - SHOWN_CHARACTERS / 2)
  const cut = from > line ? '…' : ''
  const lineOf = (text: string) => {
    const [shown = ''] = text
      .slice(from)
      .replace(/^[\uDC00-\uDFFF]/, '')
      .split('\n', 1)
    return firstCharacters(shown.trim(), SHOWN_CHARACTERS)
  }
  return `"${cut}${lineOf(before)}" became "${cut}${lineOf(after)}"`
}
const SHOWN_CHARACTERS = 100
