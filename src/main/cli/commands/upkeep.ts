import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { connect, type Client } from '../client.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count } from '../table.ts'
import { tellProgress, withApp } from '../with-app.ts'

/** Hits that a search of archives shows. */
const MOST_HITS = 100

/** `aspy delete ID`: returns when the session's words are in no byte of the data folder. */
export async function deleteSession(settings: RunSettings, sessionId: string, asJson: boolean): Promise<void> {
  await withApp(settings, async (client) => {
    const deleted = await client.call('sessions.delete', { session_id: sessionId })
    const text = `${count(deleted.events)} events of session ${deleted.session_id} are gone for good; backups made before still hold them.`
    process.stdout.write(`${asJson ? JSON.stringify(deleted) : text}\n`)
  })
}

/** `aspy rebuild`: the tables that are drawn from the log, made anew; `only`: these of them. */
export async function rebuild(settings: RunSettings, only: readonly string[], asJson: boolean): Promise<void> {
  await withApp(settings, async (client) => {
    const last = await rebuilt(client, only, asJson)
    const text = `${count(last.projections)} projections made anew from ${count(last.events)} events.`
    process.stdout.write(`${asJson ? JSON.stringify(last) : text}\n`)
  })
}

/** `aspy archive`: what runs once a day when idle, now. */
export async function archive(settings: RunSettings, asJson: boolean): Promise<void> {
  await withApp(settings, async (client) => {
    let last: OperationOutput<'store.archive'> | null = null
    for await (const progress of client.stream('store.archive', {})) {
      last = progress
      if (!asJson) tellProgress(`${count(progress.events_moved)} events moved`)
    }
    if (!asJson) tellProgress(null)
    if (last === null || !last.done) throw new AspyError('internal', 'archiving ended before it was done: run it again')
    const { events_moved, bytes_moved, archives_removed, sessions_forgotten } = last
    const lines = [
      `The payloads of ${count(events_moved)} events (${count(bytes_moved)} bytes) moved to archives.`,
      ...(archives_removed > 0 ? [`${count(archives_removed)} archives were removed: their time was over.`] : []),
      ...(sessions_forgotten > 0
        ? [`${count(sessions_forgotten)} sessions were deleted for good: they are that old.`]
        : []),
    ]
    process.stdout.write(`${asJson ? JSON.stringify(last) : lines.join('\n')}\n`)
  })
}

/** `aspy archive --search`: tool calls and results that lie in archives. */
export async function searchArchives(settings: RunSettings, query: string, asJson: boolean): Promise<void> {
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
    } while (cursor !== null && items.length < MOST_HITS)
    const lines = items.map(
      ({ timestamp, kind, session_id: session, uuid, content }) =>
        `${timestamp.slice(0, 16)} ${kind} session ${session} uuid ${uuid}\n  ${content.replaceAll(/\s+/g, ' ')}`,
    )
    const text = lines.length === 0 ? 'No archive holds these words.' : lines.join('\n')
    process.stdout.write(`${asJson ? JSON.stringify({ items, next: cursor }) : text}\n`)
  } finally {
    await client.close()
  }
}

/** The projections that say what things cost; the log itself holds tokens alone. */
const PRICED = ['api_usage', 'sessions', 'turns', 'rollups']

/** `aspy reprice`: what everything cost, by the prices that were in force when it was used, as they are known now. */
export async function reprice(settings: RunSettings, asJson: boolean): Promise<void> {
  await withApp(settings, async (client) => {
    const before = await client.call('stats.summary', {})
    await rebuilt(client, PRICED, asJson)
    const after = await client.call('stats.summary', {})
    const unpriced = after.by_model.filter(({ cost_usd: cost }) => cost === null).map(({ model }) => model)
    const answer = {
      cost_usd_before: before.total_cost_usd,
      cost_usd: after.total_cost_usd,
      unpriced_calls: after.unpriced_calls,
      unpriced_models: unpriced,
    }
    const rest = unpriced.length === 0 ? '' : ` Without a price: ${unpriced.join(', ')}.`
    const text = `$${after.total_cost_usd.toFixed(2)} in all, $${before.total_cost_usd.toFixed(2)} before.${rest}`
    process.stdout.write(`${asJson ? JSON.stringify(answer) : text}\n`)
  })
}

async function rebuilt(
  client: Client,
  only: readonly string[],
  asJson: boolean,
): Promise<OperationOutput<'store.rebuild'>> {
  let last: OperationOutput<'store.rebuild'> | null = null
  for await (const progress of client.stream('store.rebuild', only.length === 0 ? {} : { only: [...only] })) {
    last = progress
    if (!asJson) tellProgress(`${count(progress.events_done)} of ${count(progress.events)} events`)
  }
  if (!asJson) tellProgress(null)
  if (last === null || !last.done) throw new AspyError('internal', 'the rebuild ended before it was done')
  return last
}
