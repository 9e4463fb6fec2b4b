import type { Sentence } from '../../components/sentences.tsx'
import { formatCount, formatShare, plural } from '../../lib/format.ts'

interface Total {
  readonly tool: string
  readonly calls: number
  readonly failed: number
}

/** With fewer calls before, what is usual is not known. */
const LEAST_BEFORE = 20

/**
 * Says how many calls failed, in which share of the same time before, and which tool failed most often. Empty without
 * calls.
 */
export function toolSentences(tools: readonly Total[], before: readonly Total[] | undefined): readonly Sentence[] {
  const [calls, failed] = [sumOf(tools, 'calls'), sumOf(tools, 'failed')]
  if (calls === 0) return []
  if (failed === 0) return [{ text: `None of ${plural(calls, 'call')} failed.` }]
  const past = sumOf(before ?? [], 'calls')
  const usual =
    past < LEAST_BEFORE ? '' : `, ${formatShare(sumOf(before ?? [], 'failed') / past)} in the same time before`
  const all = `${formatCount(failed)} of ${plural(calls, 'call')} failed`
  const [most] = tools.toSorted((one, other) => other.failed - one.failed)
  const sentences: Sentence[] = [
    {
      text: `${all}: ${formatShare(failed / calls)}${usual}.`,
      links: [[all, { to: '/tools', search: (now: object) => ({ ...now, tool: undefined, failed: true }) }]],
    },
  ]
  if (most !== undefined && tools.length > 1 && most.failed > failed / 2)
    sentences.push({
      text: `Most were ${most.tool}: ${formatCount(most.failed)}.`,
      links: [[most.tool, { to: '/tools', search: (now: object) => ({ ...now, tool: most.tool, failed: true }) }]],
    })
  return sentences
}

const sumOf = (totals: readonly Total[], of: 'calls' | 'failed') => totals.reduce((sum, total) => sum + total[of], 0)
