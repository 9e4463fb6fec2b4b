import type { OperationOutput } from './contract/index.ts'
import { counted } from './counted.ts'

type Dropped = Pick<OperationOutput<'compactions.dropped'>, 'summary' | 'texts' | 'lost' | 'files' | 'partial'>

const goneOf = (lost: Dropped['lost']): number => Object.values(lost).reduce((sum, count) => sum + count, 0)

/** Returns the share of messages that a summary kept; null: there were none, or only the API can read it. */
export const keptShare = ({ summary, texts, lost }: Pick<Dropped, 'summary' | 'texts' | 'lost'>): number | null =>
  summary === '' || texts === 0 ? null : (texts - goneOf(lost)) / texts

/** Says how many messages a compaction's summary kept, and what it lost. An encrypted summary can be read by nobody. */
export function keptMessages({ summary, texts, lost, files, partial }: Dropped): string {
  if (summary === '')
    return `Only the API can read the summary, so it may keep any of these ${counted(texts, 'message')}.`
  const gone = goneOf(lost)
  const replaced = `${partial ? 'newest ' : ''}${texts === 1 ? 'message' : 'prompts, answers and thoughts'} it replaced`
  const kept = `The summary kept ${gone === 0 ? 'all' : (texts - gone).toLocaleString('en-US')} of the ${texts.toLocaleString('en-US')} ${replaced}.`
  const parts = (['decision', 'prompt', 'answer', 'thought'] as const).flatMap((group) =>
    lost[group] === 0 ? [] : [counted(lost[group], group)],
  )
  return [
    kept,
    ...(parts.length === 0 ? [] : [`Lost, in whole or in part: ${parts.join(', ').replace(/, (?=[^,]*$)/, ' and ')}.`]),
    ...(files.length === 0 ? [] : [`It does not name ${counted(files.length, 'file')}.`]),
  ].join(' ')
}
