import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { AspyError } from '../../../shared/contract/errors.ts'
import { readBody, readJsonObject } from '../../surfaces/http/read-body.ts'
import { batch, MAX_BATCH_BYTES } from '../protocol/batch.ts'
import { createKeyedIds } from '../protocol/keyed-ids.ts'
import type { TeamIdentity } from '../store/callers.ts'
import type { Sql } from '../store/connection.ts'
import { leave, ownState, withdraw } from '../store/devices.ts'
import { createIngest } from '../store/ingest.ts'
import { join } from '../store/members.ts'
import { sharedProjects, unshare } from '../store/unshare.ts'
import type { Admission } from './admission.ts'
import type { Room } from './room.ts'

const MAX_SMALL_BYTES = 256 * 1024

const joining = z.strictObject({ code: z.string().min(1).max(200), device_name: z.string().min(1).max(200) })
const unsharing = z.strictObject({ sessions: z.array(z.uuid()).max(2000) })
const withdrawal = z.strictObject({ sessions: z.array(z.uuid()).max(2000).nullable() })

export interface DeviceRoutesOptions {
  readonly sql: Sql
  readonly team: TeamIdentity
  readonly admission: Admission
  readonly counts: { batches: number; events: number; refused: number }
  /** Bounds the batches that are stored at once. */
  readonly room: Room
}

/** Routes of devices: join, open a session, send batches, withdraw, unshare, leave. */
export function addDeviceRoutes(app: Hono, { sql, team, admission, counts, room }: DeviceRoutesOptions): void {
  const ids = createKeyedIds(team.hashKey)
  const ingest = createIngest(sql)

  app.post('/team/v1/join', async (context) => {
    const { code, device_name } = parse(joining, await jsonOf(context))
    const joined = await join(sql, code, device_name)
    return context.json({
      target_id: team.id,
      device_id: joined.deviceId,
      device_token: joined.deviceToken,
      hash_key: team.hashKey.toString('base64'),
      member: joined.member,
      role: joined.role,
    })
  })
  app.post('/team/v1/sessions', async (context) => context.json(await admission.open(context)))
  app.get('/team/v1/target', async (context) => {
    const caller = await admission.caller(context)
    const { member, role } = caller
    const state = await ownState(sql, caller)
    return context.json({
      target_id: team.id,
      schema_version: team.schemaVersion,
      can_unshare: true,
      member,
      role,
      ...state,
    })
  })
  app.post('/team/v1/batches', async (context) => {
    const caller = await admission.caller(context)
    if (caller.role === 'reader') throw new AspyError('forbidden', 'a reader cannot send; ask for the role member')
    try {
      const receipt = await room.run(async () => {
        const parsed = parse(batch, parseJson(await readBody(context, MAX_BATCH_BYTES)))
        return ingest.take(caller, parsed, ids.contentHash)
      })
      counts.batches += 1
      counts.events += receipt.stored
      return context.json(receipt)
    } catch (error) {
      counts.refused += 1
      throw error
    }
  })
  app.post('/team/v1/withdraw', async (context) => {
    const caller = await admission.caller(context)
    const { sessions } = parse(withdrawal, await jsonOf(context))
    return context.json({ events: await withdraw(sql, caller, { sessions }) })
  })
  app.get('/team/v1/shared', async (context) =>
    context.json({ shared: await sharedProjects(sql, await admission.caller(context)) }),
  )
  app.post('/team/v1/unshare', async (context) => {
    const caller = await admission.caller(context)
    const { sessions } = parse(unsharing, await jsonOf(context))
    return context.json({ events: await unshare(sql, caller, sessions) })
  })
  app.post('/team/v1/leave', async (context) => {
    await leave(sql, await admission.caller(context))
    return context.body(null, 204)
  })
}

async function jsonOf(context: Context): Promise<unknown> {
  const { value, problem } = await readJsonObject(context, MAX_SMALL_BYTES)
  if (problem !== null) throw new AspyError('bad_input', problem)
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new AspyError('bad_input', 'the body is not JSON', { cause: error })
    throw error
  }
}

/** Parses input of a device. Throws `bad_input`, which names the field and quotes no value. */
function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new AspyError('bad_input', `${issue?.path.map(String).join('.') || 'body'}: ${issue?.message ?? 'not valid'}`)
}
