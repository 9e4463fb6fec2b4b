import { shortened } from '../../shared/cut-text.ts'
import { columnUsd } from '../../shared/usd.ts'
import { escaped } from './html-text.ts'
import type { PageFacts } from './page-facts.ts'
import type { PageTimes } from './page-times.ts'
import { agentName, idOf } from './transcript.ts'
import { type Row, titleOf, type Turn } from './turns-of.ts'

/** Lists the turns of a page by their prompts, with the agents and compactions in them. */
export function outline(turns: readonly Turn[], facts: PageFacts, times: PageTimes): string {
  if (turns.length === 0) return ''
  const write = columnUsd(facts.turns.map(({ cost_usd: cost }) => cost))
  const entries = turns.map((turn) => {
    const figures = facts.turns.find(({ turn_id: id }) => id === turn.id)
    const failed = (figures?.api_errors ?? 0) + (figures?.failed_tools ?? 0)
    const notes = [
      figures?.cost_usd == null ? '' : escaped(write(figures.cost_usd)),
      failed === 0 ? '' : `<span class="bad">${failed} failed</span>`,
    ].filter((one) => one !== '')
    const first = turn.rows[0]
    const time = first === undefined ? '' : times.clock(first.item.event.ts_wall)
    return (
      `<li><a href="#turn-${turn.id}"><span class="title" dir="auto">${escaped(brief(titleOf(turn)))}</span>` +
      `<small>${[time, ...notes].join(' · ')}</small></a>${within(turn.rows)}</li>`
    )
  })
  return `<nav aria-label="Outline"><h2>Outline</h2><ol>${entries.join('')}</ol></nav>\n`
}

/** Lists agents by name and compactions; neither has an entry of its own among the turns. */
function within(rows: readonly Row[]): string {
  const entries = entriesOf(rows)
  return entries.length === 0 ? '' : `<ul>${entries.join('')}</ul>`
}

function entriesOf(rows: readonly Row[]): readonly string[] {
  return rows.flatMap((row) => {
    if (row.kind === 'agent') {
      const link = `#agent-${escaped(encodeURIComponent(row.id))}`
      return [`<li><a href="${link}" class="agent">${escaped(brief(agentName(row)))}</a></li>`, ...entriesOf(row.rows)]
    }
    return row.kind === 'event' && row.item.event.kind === 'compaction'
      ? `<li><a href="#${idOf(row.item)}" class="compaction">Context compacted</a></li>`
      : []
  })
}

const brief = (text: string): string => shortened(text.trim().slice(0, 500).replaceAll(/\s+/g, ' '), 90)
