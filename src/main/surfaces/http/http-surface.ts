import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { Operation } from '../../../shared/contract/operation.ts'
import type { Dispatch } from '../../dispatch/dispatch.ts'
import { isAllowedHost, isOwnOrigin } from '../../base/loopback-guard.ts'
import { readWindowFile } from './window-files.ts'
import { errorResponse, unknownRoute } from './error-response.ts'
import { listen } from './listen.ts'
import { describeApi } from './openapi.ts'
import { addOperationRoutes } from './operation-routes.ts'
import { readBody, readJsonObject } from './read-body.ts'
import { createSignIn } from './sign-in.ts'
import type { Door, Grant } from '../../dispatch/grant.ts'

export interface HttpSurfaceOptions {
  readonly operations: readonly Operation[]
  readonly dispatch: Dispatch
  /** Keys and what they open; the first is the owner's, which also signs a browser in. */
  readonly grants: readonly Grant[]
  /** Further hosts (with port) that may be asked for. */
  readonly allowedHosts: readonly string[]
  /** The built window; where it is missing the page says how to build it. */
  readonly windowDir: string
  /** What `/healthz` answers to anybody: the run's id among it, nothing private. */
  readonly health: () => { readonly id: string; readonly [key: string]: unknown }
  /** The page for Prometheus; null: it is switched off. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly text: string } | null>
  /** Serves MCP over Streamable HTTP. */
  readonly mcp?: (request: Request) => Promise<Response>
  readonly version: string
  readonly logger: Pick<Logger, 'error'>
  /** The longest body that is taken, in bytes. */
  readonly maxBodyBytes?: number
  readonly heartbeatMs?: number
}

export interface HttpSurface {
  /** Listens on 127.0.0.1; gives the port. Throws `port_taken`. */
  start(port: number): Promise<number>
  /** Ends streams, lets answers finish for at most `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>
}

/** Window, API, hooks and MCP on one port: an adapter that knows no operation by name. */
export function createHttpSurface(options: HttpSurfaceOptions): HttpSurface {
  const { operations, dispatch, grants, windowDir, version, logger } = options
  const signIn = createSignIn(grants)
  const maxBodyBytes = options.maxBodyBytes ?? 32 * 1024 * 1024
  const closing = new AbortController()
  let port = 0

  function guard(context: Context): void {
    const host = context.req.header('host')
    if (!isAllowedHost(host, port, options.allowedHosts)) {
      throw new AspyError('forbidden', `host "${host}" is not served; [app] allowed_hosts in config.toml can allow it`)
    }
    const origin = context.req.header('origin')
    if (origin !== undefined && !isOwnOrigin(origin, port, options.allowedHosts)) {
      throw new AspyError('forbidden', `pages of ${origin} may not use this API`)
    }
  }

  function admit(context: Context, door: Door): Grant {
    const grant = signIn.whoAsks(context.req.raw.headers)
    if (grant === null) {
      throw new AspyError(
        'unauthorized',
        'send "Authorization: Bearer KEY" with the key in the file "token" of the data folder, or open the link that aspy prints',
      )
    }
    if (!grant.opens(door))
      throw new AspyError(
        'forbidden',
        'this key does not open this address; that of the file "token" in the data folder opens all',
      )
    return grant
  }

  const app = new Hono()
  app.use(async (context, next) => {
    guard(context)
    await next()
  })
  app.get('/healthz', (context) => context.json(options.health()))
  app.post('/login', async (context) => {
    const site = context.req.header('sec-fetch-site') ?? 'none'
    if (site !== 'same-origin' && site !== 'none')
      throw new AspyError('forbidden', 'only the page of this app signs in: open the link that aspy prints')
    const { key } = await readJsonObject(context, 10_000)
    const cookie = typeof key === 'string' ? signIn.open(key, port) : null
    if (cookie === null) throw new AspyError('unauthorized', 'the key is wrong: open the link that aspy prints')
    context.header('set-cookie', cookie)
    return context.body(null, 204)
  })
  app.get('/api/openapi.json', (context) => {
    admit(context, 'description')
    return context.json(describeApi(operations, version) as object)
  })
  addOperationRoutes(app, {
    operations,
    dispatch,
    admit,
    closing: closing.signal,
    heartbeatMs: options.heartbeatMs ?? 15_000,
    maxBodyBytes,
  })
  const { mcp, metrics } = options
  if (metrics !== undefined) {
    app.get('/metrics', async (context) => {
      admit(context, 'metrics')
      const page = await metrics()
      if (page === null)
        throw new AspyError('not_found', 'metrics are switched off: set enabled = true under [metrics]')
      return context.body(page.text, 200, { 'content-type': page.contentType, 'cache-control': 'no-store' })
    })
  }
  if (mcp !== undefined) {
    app.all('/mcp', async (context) => {
      admit(context, 'mcp')
      return mcp(await plainRequest(context, maxBodyBytes))
    })
  }
  app.all('/api/*', (context) => {
    admit(context, 'description')
    throw unknownRoute(context.req.method, context.req.path)
  })
  app.get('*', async (context) => {
    const file = await readWindowFile(windowDir, context.req.path)
    return new Response(file.body, { status: file.status, headers: file.headers })
  })
  app.notFound((context) => errorResponse(context, unknownRoute(context.req.method, context.req.path)))
  app.onError((error, context) => {
    if (!(error instanceof AspyError)) logger.error({ err: error, path: context.req.path }, 'a request failed')
    return errorResponse(context, error)
  })

  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server

  return {
    async start(wanted) {
      port = await listen(server, wanted, 'choose another with --port or [app] port in config.toml')
      return port
    },
    async stop(deadlineMs) {
      closing.abort()
      if (!server.listening) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), deadlineMs)
        server.close(() => {
          clearTimeout(timer)
          resolve()
        })
        server.closeIdleConnections()
      })
    },
  }
}

/** The request as the platform's own class: the server's stands in for it, and cannot be cloned. */
async function plainRequest(context: Context, maxBodyBytes: number): Promise<Request> {
  const { method, url, headers, signal } = context.req.raw
  const body = method === 'GET' || method === 'HEAD' ? null : await readBody(context, maxBodyBytes)
  return new Request(url, { method, headers, body, signal })
}
