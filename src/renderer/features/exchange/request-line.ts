import { causeLabel, causeNote } from '../../../shared/cache-causes.ts'
import type { CacheMiss } from '../../../shared/contract/cache.ts'
import type { Exchange, RequestLine } from '../../../shared/contract/requests.ts'
import { cutWords } from '../../../shared/cut-words.ts'
import type { Sentence } from '../../components/sentences.tsx'
import { formatCost, formatCount, formatDuration, plural } from '../../lib/format.ts'
import { comparedWith, usualOf } from '../../lib/usual.ts'
import { toExchange } from '../../lib/places.ts'

/** Less is not felt. */
const SLOW_MS = 3000
/** A first token that took this many times the usual is late. */
const LATE = 1.75

/** True for a request that needs a sentence: it failed, or its first token took long. */
export const needsWords = (exchange: Exchange): boolean =>
  endOf(exchange) !== null || (exchange.ttft_ms ?? 0) >= SLOW_MS

/** Says why a request failed and what became of it, or that it was slow. `others`: the newest requests of its session. */
export function requestSentences(exchange: Exchange, others: readonly RequestLine[]): readonly Sentence[] {
  const end = endOf(exchange)
  if (end === null) return slow(exchange, others)
  if (exchange.cut_by !== null || !others.some(({ uuid }) => uuid === exchange.uuid)) return [{ text: end }]
  return [{ text: end }, sentAgain(exchange, others)]
}

/** Says how a request ended, if it failed. */
function endOf({ status, cut_by: cutBy, response }: Exchange): string | null {
  const error = response?.error?.replace(/[.\s]+$/, '') ?? null
  if (status === 0) return `No answer came${error === null ? '' : `: ${error}`}.`
  // Aspy's own refusals name it.
  if (error?.startsWith('Aspy') === true) return `${error}.`
  if (status !== null && status >= 400) return `The API answered ${status}${error === null ? '' : `: ${error}`}.`
  if (cutBy !== null) return `The answer was ${cutWords(cutBy)}.`
  return error === null ? null : `The answer failed: ${error}.`
}

function sentAgain(exchange: Exchange, others: readonly RequestLine[]): Sentence {
  const repeats: RequestLine[] = []
  const next = () => others.find((other) => other.retry_of === (repeats.at(-1) ?? exchange).uuid)
  for (let repeat = next(); repeat !== undefined; repeat = next()) repeats.push(repeat)
  const last = repeats.at(-1)
  if (last === undefined) return { text: 'The client did not send it again.' }
  const times = repeats.length === 1 ? 'The client sent it again' : `The client sent it again ${repeats.length} times`
  if (last.status === null) return { text: `${times} and waits for the answer.` }
  const isAnswered = last.status > 0 && last.status < 400 && last.cut_by === null
  const later = formatDuration(Date.parse(last.ts_wall) - Date.parse(exchange.ts_wall))
  return {
    text: isAnswered ? `${times}, and ${later} later it was answered.` : `${times}, and it was never answered.`,
    links: [[isAnswered ? 'it was answered' : 'never answered', toExchange(last.uuid, {})]],
  }
}

function slow({ uuid, model, ttft_ms: first }: Exchange, others: readonly RequestLine[]): readonly Sentence[] {
  const same = others.filter((other) => other.uuid !== uuid && other.model === model)
  const usual = usualOf(same.map(({ ttft_ms: ms }) => ms ?? 0))
  if (first === null || first < SLOW_MS || usual === null || first < usual * LATE) return []
  const compared = comparedWith(usual, first)
  return [
    {
      text: `Its first token came after ${formatDuration(first)}, ${compared} ${formatDuration(usual)} in ${plural(same.length, 'request')} of this session.`,
    },
  ]
}

/** Says what a request did not read from the prompt cache, why, and what that cost. */
export function missSentence(uuid: string, { missed_tokens: missed, waste_usd: waste, cause }: CacheMiss): Sentence {
  const cost = waste === null ? '' : `, which cost ${formatCost(waste)} more`
  return {
    text: `It missed the prompt cache: ${formatCount(missed)} tokens were not read${cost}. ${inWords(cause)} See what changed.`,
    links: [['what changed', toExchange(uuid, { part: 'changes' })]],
  }
}

/** Says a change of form in plain words, and other causes by their names. */
function inWords({ kind, where, detail }: CacheMiss['cause']): string {
  if (/blocks → string|string → blocks/.test(detail ?? '')) {
    const what = where?.startsWith('messages[0]') === true ? 'the first prompt' : 'a message that it had sent before'
    return `${kind === 'resumed' ? 'After a resume the' : 'The'} client sends ${what} in another form; the API counts that as a change.`
  }
  return `${[causeLabel(kind), causeNote({ where, detail })].filter((text) => text !== '').join(', ')}.`
}
