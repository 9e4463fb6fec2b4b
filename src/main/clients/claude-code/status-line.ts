import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf, findApp, isRecord, send } from './ask-app.ts'

interface StatusLine {
  /** What Claude Code wrote to the command's stdin. */
  readonly body: string
  readonly dataDir: string
  /** Where the client that asks sends its requests (ANTHROPIC_BASE_URL), where that is set. */
  readonly baseUrl: string | undefined
  readonly signal: AbortSignal
}

/** What is known of a session; null: not known. */
export interface SessionFigures {
  readonly captured: boolean
  readonly cost_usd: number | null
  readonly tokens: number | null
  /** Share of the context window that is used, in percent. */
  readonly context_percent: number | null
}

/**
 * The line that Claude Code shows below its prompt: whether this session is recorded, what it cost, its tokens, how full its
 * context is. What the record does not know comes from the client's own account. Rejects where the input is no JSON, the app
 * does not answer as it should, or `signal` aborts.
 */
export async function statusLine({ body, dataDir, baseUrl, signal }: StatusLine): Promise<string> {
  const { session_id, cost, context_window: context } = fieldsOf(body)
  const client = {
    cost_usd: numberIn(cost, 'total_cost_usd'),
    context_percent: numberIn(context, 'used_percentage'),
  }
  const app = await findApp(dataDir, signal)
  if (app === null || typeof session_id !== 'string') return sayFigures({ captured: false, tokens: null, ...client })
  const key = readFileSync(join(dataDir, 'token'), 'utf8').trim()
  const asked = JSON.stringify({ session_id })
  const known = fieldsOf(await send({ port: app.port, path: '/api/sessions.status', key, body: asked, signal }))
  // A session that has not asked anything yet has left nothing here: then its address tells.
  const isOnItsWay = app.proxyPort !== null && leadsTo(baseUrl, app.proxyPort)
  return sayFigures({
    captured: app.isWell && (known['captured'] === true || isOnItsWay),
    cost_usd: numberIn(known, 'cost_usd') ?? client.cost_usd,
    tokens: numberIn(known, 'tokens'),
    context_percent: client.context_percent,
  })
}

/** One short line. */
export function sayFigures({ captured, cost_usd: cost, tokens, context_percent: context }: SessionFigures): string {
  const parts = [
    captured ? 'aspy ● recorded' : 'aspy ○ not captured',
    ...(cost === null ? [] : [`$${cost.toFixed(2)}`]),
    ...(tokens === null || tokens === 0 ? [] : [`${short(tokens)} tokens`]),
    ...(context === null ? [] : [`context ${Math.round(context)} %`]),
  ]
  return parts.join(' · ')
}

/** 950, 12k, 3.4M. */
function short(count: number): string {
  if (count < 1000) return String(count)
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`
}

function numberIn(value: unknown, field: string): number | null {
  const found = isRecord(value) ? value[field] : null
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

function leadsTo(baseUrl: string | undefined, port: number): boolean {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return false
  const { hostname, port: named } = new URL(baseUrl)
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && named === String(port)
}
