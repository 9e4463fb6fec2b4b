import { fieldsOf, findApp, send } from './ask-app.ts'
import { isObject } from '../../../shared/json-fields.ts'
import { percentOf } from '../../../shared/percent.ts'

interface StatusLine {
  /** The JSON that Claude Code wrote to the command's stdin. */
  readonly body: string
  readonly dataDir: string
  /** The client's ANTHROPIC_BASE_URL, if set. */
  readonly baseUrl: string | undefined
  readonly signal: AbortSignal
}

/** Figures of a session; null means unknown. */
export interface SessionFigures {
  readonly captured: boolean
  /** Its requests reach the app, which may not record them: it is starting, or something is wrong. */
  readonly isTroubled?: boolean
  readonly cost_usd: number | null
  readonly tokens: number | null
  /** Percentage of the context window in use. */
  readonly context_percent: number | null
  /** Used share of each limit, 0 to 1, of windows that have not ended, and of each budget that is spent, or nearly. */
  readonly limits?: readonly { readonly name: string; readonly used: number }[]
}

/**
 * Returns the status line that Claude Code shows below its prompt: recording state, cost, tokens, context use and limits. Figures
 * that are not recorded come from the client. Rejects if the input is not JSON, the app fails, or `signal` aborts.
 */
export async function statusLine({ body, dataDir, baseUrl, signal }: StatusLine): Promise<string> {
  const { session_id, cost, context_window: context } = fieldsOf(body)
  const client = {
    cost_usd: numberIn(cost, 'total_cost_usd'),
    context_percent: numberIn(context, 'used_percentage'),
  }
  const app = findApp(dataDir)
  if (app === null || typeof session_id !== 'string') return formatFigures({ captured: false, tokens: null, ...client })
  const input = JSON.stringify({ session_id })
  const [health, known, latest, budgets] = await Promise.all([
    send({ app, path: '/healthz', keyName: 'token', signal }),
    send({ app, path: '/api/sessions.status', keyName: 'token', body: input, signal }),
    // Those of the account that the session uses.
    send({ app, path: '/api/limits.latest', keyName: 'token', body: input, signal }),
    send({ app, path: '/api/budgets.status', keyName: 'token', body: '{}', signal }),
  ]).then((answers) => answers.map(fieldsOf))
  // Before its first request, a session is unknown to the app. Then its base URL shows that it will be recorded.
  const usesProxy = app.proxyPort !== null && pointsTo(baseUrl, app.proxyPort)
  return formatFigures({
    captured: known?.['captured'] === true || usesProxy,
    isTroubled: health?.['status'] !== 'ok',
    cost_usd: numberIn(known, 'cost_usd') ?? client.cost_usd,
    tokens: numberIn(known, 'tokens'),
    context_percent: client.context_percent,
    limits: [...limitsIn(latest, Date.now()), ...budgetsIn(budgets)],
  })
}

/** Reads the windows that have not ended from the answer of `limits.latest`. */
function limitsIn(latest: unknown, now: number): { readonly name: string; readonly used: number }[] {
  const windows = isObject(latest) ? latest['windows'] : null
  if (!Array.isArray(windows)) return []
  return windows.flatMap((window: unknown) => {
    const used = numberIn(window, 'utilization')
    if (!isObject(window) || typeof window['name'] !== 'string' || used === null) return []
    const resets = window['resets_at']
    const hasEnded = typeof resets === 'string' && Date.parse(resets) <= now
    return hasEnded ? [] : [{ name: window['name'], used }]
  })
}

/** Reads the budgets that have reached a mark from the answer of `budgets.status`. */
function budgetsIn(status: unknown): { readonly name: string; readonly used: number }[] {
  const items = isObject(status) ? status['items'] : null
  if (!Array.isArray(items)) return []
  return items.flatMap((budget: unknown) => {
    const [spent, limit] = [numberIn(budget, 'spent_usd'), numberIn(budget, 'limit_usd')]
    if (!isObject(budget) || typeof budget['mark'] !== 'number' || spent === null || limit === null) return []
    return [{ name: `budget of this ${String(budget['period'])}`, used: spent / limit }]
  })
}

/** Formats the figures as one short line. */
export function formatFigures(figures: SessionFigures): string {
  const { captured, isTroubled = false, cost_usd: cost, tokens, context_percent: context, limits = [] } = figures
  const parts = [
    captured ? (isTroubled ? 'aspy ◐ captured; see aspy status' : 'aspy ● recorded') : 'aspy ○ not captured',
    ...(cost === null ? [] : [`$${cost.toFixed(2)}`]),
    ...(tokens === null || tokens === 0 ? [] : [`${short(tokens)} tokens`]),
    ...(context === null ? [] : [`context ${Math.round(context)}%`]),
    ...limits.map(({ name, used }) => `${name} ${percentOf(used)}%`),
  ]
  return parts.join(' · ')
}

/** Formats a count as 950, 12k or 3.4M. */
function short(count: number): string {
  if (count < 1000) return String(count)
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`
}

function numberIn(value: unknown, field: string): number | null {
  const found = isObject(value) ? value[field] : null
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

function pointsTo(baseUrl: string | undefined, port: number): boolean {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return false
  const { hostname, port: named } = new URL(baseUrl)
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && named === String(port)
}
