import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count } from '../table.ts'
import { tellProgress, withApp } from '../with-app.ts'

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
