import { knownCost, knownTokens } from '../../shared/known-figures.ts'
import { projectFolder } from '../../shared/project-name.ts'
import { clientLabel, modelName } from '../../shared/vendors.ts'
import { count, dollars, duration } from './figures.ts'
import { escaped } from './html-text.ts'
import type { PageFacts, PageTurn } from './page-facts.ts'
import type { PageTimes } from './page-times.ts'
import { brief, foldedAs, row, section, table } from './page-tables.ts'
import { titleOf, type Turn } from './turns-of.ts'
import { pricedCost } from '../../shared/spend.ts'
import { columnUsd } from '../../shared/usd.ts'

/** Returns the head of the page: what the session was, and its figures. */
export function head({ session }: PageFacts, times: PageTimes): string {
  const where = [projectFolder(session.project), session.git_branch]
    .filter((one) => one !== null)
    .map((one) => escaped(one))
  const client = `${clientLabel(session.client)} ${session.client_version ?? ''}`.trim()
  const cost = knownCost(session)
  const tokens = knownTokens(session)
  const figures = [
    ['Cost at list price', cost === null ? 'unknown' : dollars(cost)],
    [session.prompts === 1 ? 'Prompt' : 'Prompts', count(session.prompts)],
    ['Tool calls', count(session.tool_calls)],
    ['Tools failed', count(session.failed_tools)],
    ['API errors', count(session.api_errors)],
    ['Agents', count(session.agents)],
    ['Tokens', tokens === null ? 'unknown' : count(tokens)],
    ['Active time', duration(session.active_ms)],
  ].filter(([name, value]) => !ONLY_IF_ANY.has(name ?? '') || value !== '0')
  const place = times.zone === 'UTC' ? 'UTC' : `${times.zone} (${times.offset(session.started_at)})`
  return (
    `<header><p class="kicker">Recorded session of ${escaped(client)}</p>\n` +
    `<h1 dir="auto">${escaped(session.title ?? session.id)}</h1>\n` +
    `<p class="soft">${[...where, `${escaped(span(session, times))} · times in ${escaped(place)}`].join(' · ')}</p>\n` +
    `<dl class="figures">${figures.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>${session.source === 'transcript' ? AT_LEAST : ''}</header>\n`
  )
}

const AT_LEAST =
  '<p class="soft">Read from a transcript, which lacks the final count of output tokens: cost and tokens are at least this.</p>'

/** Figures that are left out if they are 0. */
const ONLY_IF_ANY: ReadonlySet<string> = new Set(['Tools failed', 'API errors', 'Agents'])

/** Formats when a session began and ended, the day once. */
function span({ started_at: from, last_event_at: until }: PageFacts['session'], times: PageTimes): string {
  const [start, end] = [times.moment(from), times.moment(until)].map((one) => one.replace(/:\d\d UTC.*$/, ''))
  const sameDay = times.day(from) === times.day(until)
  return `${start ?? ''} – ${sameDay ? (end ?? '').slice(-5) : (end ?? '')}`
}

/** Returns what the session cost by model and by turn, and when it worked. */
export const overview = (facts: PageFacts, turns: readonly Turn[], times: PageTimes): string =>
  byModel(facts) + byTurn(facts, turns) + timeline(facts.turns, times)

function byModel({ models }: PageFacts): string {
  if (models.length === 0) return ''
  const write = columnUsd(models.map(pricedCost))
  const rows = models.map((model) =>
    row(
      `<td><code title="${escaped(model.model)}">${escaped(modelName(model.model))}</code></td>`,
      [model.calls, model.input_tokens, model.cache_read_tokens, model.cache_write_tokens, model.output_tokens].map(
        count,
      ),
      pricedCost(model) === null ? 'unknown' : escaped(write(model.cost_usd)),
    ),
  )
  return section(
    'Cost by model',
    table(['Model', 'Calls', 'Input', 'Cache read', 'Cache write', 'Output', 'Cost'], rows),
  )
}

function byTurn({ turns: figures }: PageFacts, turns: readonly Turn[]): string {
  if (figures.length === 0) return ''
  const titles = new Map(turns.map((turn) => [turn.id, titleOf(turn)]))
  const most = figures.reduce((sum, { cost_usd: cost }) => Math.max(sum, cost ?? 0), 0)
  const top = figures.find(({ cost_usd: cost }) => most > 0 && cost === most)
  const write = columnUsd([most])
  const rows = figures.map((turn) =>
    row(
      `<td><span class="soft">${turn.turn_id}</span> <a href="#turn-${turn.turn_id}" dir="auto">${escaped(brief(titles.get(turn.turn_id) ?? 'no prompt'))}</a></td>`,
      [count(turn.calls), count(turn.tokens), duration(Date.parse(turn.ended_at) - Date.parse(turn.began_at))],
      `${bar(turn, most)}<span class="cost">${turn.cost_usd === null ? 'unknown' : escaped(write(turn.cost_usd))}</span>`,
    ),
  )
  const all = table(['Turn', 'Calls', 'Tokens', 'Time', 'Cost'], rows)
  const folded = foldedAs(figures.length, 'turn')
  const highest = folded === '' || top === undefined ? '' : `, most in turn ${top.turn_id}: ${escaped(dollars(most))}`
  return section('Cost by turn', all, folded + highest)
}

const bar = ({ cost_usd: cost }: PageTurn, most: number): string =>
  `<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${(most === 0 ? 0 : (100 * (cost ?? 0)) / most).toFixed(1)}" height="8"/></svg>`

/** One bar a turn along the time of the session. */
function timeline(turns: readonly PageTurn[], times: PageTimes): string {
  const all = turns.map((turn) => ({ turn, from: Date.parse(turn.began_at), to: Date.parse(turn.ended_at) }))
  const first = all.reduce((least, { from }) => Math.min(least, from), Infinity)
  const last = all.reduce((most, { to }) => Math.max(most, to), -Infinity)
  if (all.length < 2 || !(last > first)) return ''
  const share = (ms: number) => ((1000 * ms) / (last - first)).toFixed(1)
  const bars = all.map(
    ({ turn, from, to }) =>
      `<rect x="${share(from - first)}" y="4" width="${Math.max(2, Number(share(to - from)))}" height="20">` +
      `<title>Turn ${turn.turn_id}: ${escaped(duration(to - from))}</title></rect>`,
  )
  const [start, end] = [first, last].map((at) => times.clock(new Date(at).toISOString()))
  return section(
    'Timeline',
    `<svg class="timeline" viewBox="0 0 1002 28" preserveAspectRatio="none" role="img" aria-label="Timeline of turns">${bars.join('')}</svg>` +
      `<p class="ends">${start}<span>one bar a turn</span>${end}</p>`,
  )
}
