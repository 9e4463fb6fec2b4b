import type { Context, Hono } from 'hono'
import { AspyError } from '../../../shared/contract/errors.ts'
import { OPERATIONS } from '../../../shared/contract/index.ts'
import type { Operation } from '../../../shared/contract/operation.ts'
import { parseInput, refuseBody } from '../../dispatch/parse-input.ts'
import { readJsonObject } from '../../surfaces/http/read-body.ts'
import type { Sql } from '../store/connection.ts'
import { onDatabase } from '../store/database-error.ts'
import type { Admission } from './admission.ts'
import { noteRead } from './audit.ts'
import { handlerOf } from './handlers.ts'
import type { Room } from './room.ts'
import { unanswered } from './unanswered.ts'

const MAX_BODY_BYTES = 1024 * 1024

export interface ReadRoutesOptions {
  readonly sql: Sql
  readonly admission: Admission
  readonly counts: { reads: number }
  /** Bounds the reads that run at once: further reads are refused, not queued. */
  readonly room: Room
}

/** Routes the operations of the contract over the team's history: the same addresses, inputs and answers. */
export function addReadRoutes(app: Hono, options: ReadRoutesOptions): void {
  const promised = OPERATIONS.flatMap((operation: Operation) =>
    operation.http === undefined ? [] : [{ operation, http: operation.http }],
  ).toSorted((one, other) => Number(one.http.path.includes(':')) - Number(other.http.path.includes(':')))
  for (const { operation, http } of promised)
    app.on(http.method, http.path, (context) => run(context, operation, options))
  const byName = new Map<string, Operation>(OPERATIONS.map((operation) => [operation.name, operation]))
  app.post('/api/:operation', async (context) => {
    const operation = byName.get(context.req.param('operation'))
    if (operation !== undefined) return run(context, operation, options)
    await options.admission.caller(context)
    throw new AspyError('not_found', `there is no operation ${context.req.param('operation').slice(0, 100)}`)
  })
}

async function run(context: Context, operation: Operation, options: ReadRoutesOptions): Promise<Response> {
  const { sql, admission, counts, room } = options
  const caller = await admission.caller(context)
  const handler = handlerOf(operation.name)
  if (handler === undefined)
    throw operation.writes
      ? new AspyError('forbidden', "a team's history is read-only; change it on the laptop that recorded it")
      : unanswered(operation.name)
  const input = parseInput(operation, {
    ...queryOf(context),
    ...(context.req.method === 'POST' ? await bodyOf(context, operation) : {}),
    ...partsOf(context, operation),
  })
  counts.reads += 1
  const answer = await room.run(() =>
    onDatabase(() => handler({ sql, caller, note: (name, rows) => noteRead(sql, caller, name, rows) }, input)),
  )
  context.header('cache-control', 'no-store')
  return context.json(answer as object)
}

const queryOf = (context: Context): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(context.req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )

function partsOf(context: Context, { http }: Operation): Record<string, string> {
  const names = [...(http?.path.matchAll(/:(\w+)/g) ?? [])].map((match) => match[1] ?? '')
  const parts = names.map((name) => [name, context.req.param(name)] as const)
  return Object.fromEntries(parts.filter((part): part is readonly [string, string] => part[1] !== undefined))
}

async function bodyOf(context: Context, operation: Operation): Promise<Record<string, unknown>> {
  const { value, problem } = await readJsonObject(context, MAX_BODY_BYTES)
  if (problem !== null) throw refuseBody(operation, problem)
  return value
}
