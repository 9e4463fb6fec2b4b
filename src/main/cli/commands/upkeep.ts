import type { OperationOutput } from '../../../shared/contract/index.ts'
import { connect, type Client } from '../client.ts'
import type { JsonFlag } from '../flags.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count, counted } from '../table.ts'
import { followed, showProgress, withApp } from '../with-app.ts'
import { unpricedOf, withoutPrice } from '../../../shared/spend.ts'
import { print } from '../print-all.ts'

/** Maximum number of hits that an archive search shows. */
const MAX_HITS = 100

/** `aspy rebuild`: rebuilds derived tables from the event log. `only` names projections; empty means all. */
export async function rebuild(
  settings: RunSettings,
  { only = [], json: asJson = false }: JsonFlag & { readonly only?: readonly string[] },
): Promise<void> {
  await withApp(settings, async (client) => {
    const last = await rebuilt(client, only, asJson)
    const text = `Rebuilt ${counted(last.projections, 'projection')} from ${counted(last.events, 'event')}.`
    print({ json: last, text: text }, asJson)
  })
}

/** `aspy vacuum`: rewrites the database file, which the app also does once a night after a deletion. */
export async function vacuum(settings: RunSettings, { json: asJson = false }: JsonFlag): Promise<void> {
  await withApp(settings, async (client) => {
    if (!asJson) showProgress('Rewriting the database file')
    const rewritten = await client.call('store.vacuum', {}).finally(() => asJson || showProgress(null))
    const { bytes_before: before, bytes_after: after } = rewritten
    const text = `Rewrote the database file: ${counted(before, 'byte')} before, ${count(after)} after. No deleted text is left in it.`
    print({ json: rewritten, text: text }, asJson)
  })
}

/** `aspy archive`: archives now, which the app also does once a day when idle; with `--search`, searches archives. */
export async function archive(
  settings: RunSettings,
  { search, json: asJson = false }: JsonFlag & { readonly search?: string },
): Promise<void> {
  if (search !== undefined) return searchArchives(settings, search, asJson)
  await withApp(settings, async (client) => {
    const line = (moved: OperationOutput<'store.archive'>) => `${counted(moved.events_moved, 'event')} moved`
    const last = await followed('archiving', client.stream('store.archive', {}), asJson ? null : line)
    const { events_moved, bytes_moved, archives_removed, sessions_forgotten } = last
    const lines = [
      `Moved the payloads of ${counted(events_moved, 'event')} (${counted(bytes_moved, 'byte')}) to archives.`,
      ...(archives_removed > 0 ? [`Removed ${counted(archives_removed, 'archive')} older than archive_days.`] : []),
      ...(sessions_forgotten > 0
        ? [`Deleted ${counted(sessions_forgotten, 'session')} older than delete_days permanently.`]
        : []),
    ]
    print({ json: last, text: lines.join('\n') }, asJson)
  })
}

/** Searches archived tool calls and results. */
async function searchArchives(settings: RunSettings, query: string, asJson: boolean): Promise<void> {
  const client = await connect(settings)
  try {
    const items: OperationOutput<'store.search_archives'>['items'] = []
    let cursor: string | null = null
    do {
      const page: OperationOutput<'store.search_archives'> = await client.call('store.search_archives', {
        query,
        ...(cursor === null ? {} : { cursor }),
      })
      items.push(...page.items)
      cursor = page.next
    } while (cursor !== null && items.length < MAX_HITS)
    const lines = items.map(
      ({ timestamp, kind, session_id: session, uuid, content }) =>
        `${timestamp.slice(0, 16)} ${kind} session ${session} uuid ${uuid}\n  ${content.replaceAll(/\s+/g, ' ')}`,
    )
    const text = lines.length === 0 ? 'No matches in archives. Try fewer words.' : lines.join('\n')
    print({ json: { items, next: cursor }, text: text }, asJson)
  } finally {
    await client.close()
  }
}

/** The projections that contain costs; the log itself contains only tokens. */
const PRICED = ['api_usage', 'sessions', 'turns', 'rollups']

/** `aspy reprice`: recalculates costs. Each call is charged the price of its own day, from the current price list. */
export async function reprice(settings: RunSettings, { json: asJson = false }: JsonFlag): Promise<void> {
  await withApp(settings, async (client) => {
    const before = await client.call('stats.summary', {})
    await rebuilt(client, PRICED, asJson)
    const after = await client.call('stats.summary', {})
    const unpriced = after.by_model.filter(({ cost_usd: cost }) => cost === null).map(({ model }) => model)
    const answer = {
      cost_usd_before: before.total_cost_usd,
      cost_usd: after.total_cost_usd,
      ...withoutPrice(unpricedOf(after)),
      unpriced_models: unpriced,
    }
    const rest = unpriced.length === 0 ? '' : ` No price known for: ${unpriced.join(', ')}.`
    const text = `Total cost: $${after.total_cost_usd.toFixed(2)} (before: $${before.total_cost_usd.toFixed(2)}).${rest}`
    print({ json: answer, text: text }, asJson)
  })
}

type Rebuilt = OperationOutput<'store.rebuild'>

function rebuilt(client: Client, only: readonly string[], asJson: boolean): Promise<Rebuilt> {
  const reports = client.stream('store.rebuild', only.length === 0 ? {} : { only: [...only] })
  const line = ({ events, events_done }: Rebuilt) => `${count(events_done)} of ${counted(events, 'event')}`
  return followed('the rebuild', reports, asJson ? null : line)
}
