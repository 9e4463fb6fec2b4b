import type { OperationOutput } from '../../shared/contract/index.ts'
import { knownCost } from '../../shared/known-figures.ts'
import type { Exported } from './exported.ts'
import { count, counted, dollars, duration } from './figures.ts'
import { escaped } from './html-text.ts'

interface Turn {
  readonly from: number
  readonly to: number
}

/** Returns the head of the page: the session's cost by model, and the times of its turns. */
export function overview(session: OperationOutput<'sessions.get'>, items: readonly Exported[]): string {
  const project = session.project === null ? '' : ` · ${escaped(session.project)}`
  const cost = knownCost(session)
  return (
    `<h1 dir="auto">${escaped(session.title ?? session.id)}</h1>\n` +
    `<p>${escaped(session.started_at)}${project} · ${counted(session.prompts, 'prompt')} · ` +
    `${count(session.tool_calls)} tool calls · ${cost === null ? 'cost unknown' : `${escaped(dollars(cost))} at list price`} · ` +
    `${escaped(duration(session.active_ms))} active</p>\n${tokens(items)}${timeline(items)}`
  )
}

const TOKENS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'] as const

function tokens(items: readonly Exported[]): string {
  const models = new Map<string, number[]>()
  for (const { event } of items) {
    if (event.kind !== 'api_usage') continue
    const usage = (event.payload['usage'] ?? {}) as { readonly [key: string]: unknown }
    const model = String(event.payload['model'])
    const sum = models.get(model) ?? [0, 0, 0, 0, 0]
    models.set(model, [(sum[0] ?? 0) + 1, ...TOKENS.map((name, at) => (sum[at + 1] ?? 0) + (Number(usage[name]) || 0))])
  }
  if (models.size === 0) return ''
  const rows = [...models].map(
    ([model, sums]) => `<tr><td>${escaped(model)}</td>${sums.map((sum) => `<td>${count(sum)}</td>`).join('')}</tr>`,
  )
  const head = ['Model', 'Calls', 'Input', 'Cache read', 'Cache write', 'Output'].map((title) => `<th>${title}</th>`)
  return `<table><tr>${head.join('')}</tr>${rows.join('')}</table>\n`
}

/** One bar a turn along the time of the session. */
function timeline(items: readonly Exported[]): string {
  const turns = new Map<number, Turn>()
  for (const { event } of items) {
    const at = Date.parse(event.ts_wall)
    if (Number.isNaN(at)) continue
    const known = turns.get(event.turn_id)
    turns.set(event.turn_id, { from: Math.min(at, known?.from ?? at), to: Math.max(at, known?.to ?? at) })
  }
  const all = [...turns]
  const first = all.reduce((least, [, { from }]) => Math.min(least, from), Infinity)
  const last = all.reduce((most, [, { to }]) => Math.max(most, to), -Infinity)
  if (all.length === 0 || last <= first) return ''
  const share = (ms: number) => ((1000 * ms) / (last - first)).toFixed(1)
  const bars = all.map(
    ([turn, { from, to }]) =>
      `<rect x="${share(from - first)}" y="4" width="${Math.max(2, Number(share(to - from)))}" height="20">` +
      `<title>Turn ${turn}: ${escaped(duration(to - from))}</title></rect>`,
  )
  return `<svg viewBox="0 0 1002 28" preserveAspectRatio="none" role="img" aria-label="Timeline of turns">${bars.join('')}</svg>\n`
}
