import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Hono, type Context } from 'hono'
import type { Logger } from 'pino'
import { AspyError } from '../../../shared/contract/errors.ts'
import { closeServer, createBoundedServer, type ServerCertificate } from '../../surfaces/http/bounded-server.ts'
import { errorResponse, unknownRoute } from '../../surfaces/http/error-response.ts'
import { readJsonObject } from '../../surfaces/http/read-body.ts'
import { addWindow } from '../../surfaces/http/window-routes.ts'
import { readTeam } from '../store/callers.ts'
import { assertReady, type Sql } from '../store/connection.ts'
import { onDatabase, toTeamError } from '../store/database-error.ts'
import { Admission } from './admission.ts'
import { addDeviceRoutes } from './device-routes.ts'
import { DeviceSessions } from './device-sessions.ts'
import { addReadRoutes } from './read-routes.ts'
import { Room } from './room.ts'
import { readHealth } from './team-health.ts'
import { metricsText, type TeamCounts } from './team-metrics.ts'

/** Batches and reads that run at once. The pool has 10 connections: batches leave some for reads, which are shorter. */
const MAX_BATCHES = 8
const MAX_READS = 24
const RETRY_SECONDS = '2'

export interface TeamServerOptions {
  readonly sql: Sql
  readonly host: string
  readonly port: number
  readonly certificate?: ServerCertificate | undefined
  readonly windowDir: string
  readonly logger: Pick<Logger, 'error' | 'info'>
}

/** A running server: its address, and the function that stops it. */
export interface TeamServer {
  readonly url: string
  stop(deadlineMs: number): Promise<void>
}

/**
 * Starts a server of a team. It keeps nothing between requests, so any number may serve one database.
 * @throws AspyError store_unavailable, newer_database, port_taken
 */
export async function startTeamServer(options: TeamServerOptions): Promise<TeamServer> {
  const { sql, host, port, certificate, logger } = options
  const team = await onDatabase(async () => {
    await assertReady(sql)
    return readTeam(sql)
  })
  await onDatabase(() => sql`SELECT 1 FROM devices LIMIT 1`)
  const admission = new Admission(sql, new DeviceSessions(team.tokenKey), certificate !== undefined)
  const counts: TeamCounts = { batches: 0, events: 0, refused: 0, reads: 0 }
  const rooms = { batches: new Room(MAX_BATCHES), reads: new Room(MAX_READS) }
  const app = new Hono()
  app.get('/healthz', async (context) => context.json(await readHealth(sql)))
  app.get('/metrics', async (context) => {
    const { role } = await admission.caller(context)
    if (role !== 'admin') throw new AspyError('forbidden', 'metrics are for admins')
    return context.text(metricsText(counts, rooms, await readHealth(sql)))
  })
  app.post('/login', (context) => logIn(context, admission))
  addDeviceRoutes(app, { sql, team, admission, counts, room: rooms.batches })
  addReadRoutes(app, { sql, admission, counts, room: rooms.reads })
  app.all('/api/*', (context) => {
    throw unknownRoute(context.req.method, context.req.path)
  })
  addWindow(app, options.windowDir)
  app.onError((thrown, context) => {
    const error = toTeamError(thrown)
    // Only the code: a message of the driver may quote data.
    if (!(error instanceof AspyError)) {
      logger.error(
        { path: context.req.path, name: error instanceof Error ? error.name : 'unknown', code: codeOf(error) },
        'a request failed',
      )
      return errorResponse(context, new AspyError('internal', 'the server failed; its log says where'))
    }
    if (error.code === 'busy') context.header('retry-after', RETRY_SECONDS)
    return errorResponse(context, error)
  })
  const server = createBoundedServer(app.fetch, undefined, certificate)
  const address = await listenOn(server, host, port)
  const scheme = certificate === undefined ? 'http' : 'https'
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `${scheme}://${name}:${address.port}`, stop: (deadlineMs) => closeServer(server, deadlineMs) }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Opens the window: trades the session of the printed link for a cookie. */
async function logIn(context: Context, admission: Admission): Promise<Response> {
  const site = context.req.header('sec-fetch-site') ?? 'none'
  if (site !== 'same-origin' && site !== 'none')
    throw new AspyError('forbidden', 'only the page of this server can sign in')
  const { value, problem } = await readJsonObject(context, 10_000)
  if (problem !== null) throw new AspyError('bad_input', problem)
  const key = typeof value['key'] === 'string' ? value['key'] : ''
  if ((await admission.callerOf(key)) === null)
    throw new AspyError('unauthorized', 'the link has expired; open the window with aspy team open')
  context.header('set-cookie', admission.cookie(key))
  return context.body(null, 204)
}

async function listenOn(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new AspyError('port_taken', `cannot listen on ${host}:${port} (${error.code}); choose another with --listen`),
      ),
    )
    server.listen(port, host, () => resolve())
  })
  return server.address() as AddressInfo
}
