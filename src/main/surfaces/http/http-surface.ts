import type { Server } from 'node:http'
import { Hono, type Context } from 'hono'
import type { Logger } from 'pino'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { Operation } from '../../../shared/contract/operation.ts'
import type { Dispatch } from '../../dispatch/dispatch.ts'
import type { Door, Grant } from '../../dispatch/grant.ts'
import { listen as bind, type Listen } from '../../base/listen.ts'
import { isAllowedHost, isOwnOrigin } from '../../base/loopback-guard.ts'
import { isNonce, PROOF_HEADER, PROOF_PATH, proofOf } from '../../base/proof.ts'
import { closeServer, createBoundedServer, type ConnectionLimits } from './bounded-server.ts'
import type { WindowCommands } from './window-files.ts'
import { addWindow } from './window-routes.ts'
import { errorResponse, unknownRoute } from './error-response.ts'
import { describeApi } from './openapi.ts'
import { addOperationRoutes } from './operation-routes.ts'
import { readBody, readJsonObject } from './read-body.ts'
import { createSignIn, type SignIn } from './sign-in.ts'

export interface HttpSurfaceOptions {
  readonly operations: readonly Operation[]
  readonly dispatch: Dispatch
  /** Keys and their access rights. The first is the owner's, which also signs in a browser. */
  readonly grants: readonly Grant[]
  /** Further hosts (with port) to serve. */
  readonly allowedHosts: readonly string[]
  /** Folder of the built window. If it is missing, the page explains how to build it. */
  readonly windowDir: string
  /** Absent if a program starts the app. */
  readonly commands?: WindowCommands | undefined
  /** Answer of `/healthz` to anybody: includes the id of the run, nothing private. */
  readonly health: () => { readonly id: string; readonly [key: string]: unknown }
  /** The page for Prometheus; null if metrics are off. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly text: string } | null>
  /** Serves MCP over Streamable HTTP. */
  readonly mcp?: (request: Request) => Promise<Response>
  readonly version: string
  /** Where its connections come from; absent: it binds its port. */
  readonly listen?: Listen
  readonly logger: Pick<Logger, 'error'>
  /** Bounds the body of a request. */
  readonly maxBodyBytes?: number
  readonly heartbeatMs?: number
  readonly connections?: ConnectionLimits
  /** Called if a body with data to record is too large. */
  readonly onRefusedBody?: (operation: Operation) => void
}

const DEFAULT_MAX_BODY_BYTES = 8 * 1024 * 1024
const DEFAULT_HEARTBEAT_MS = 15_000
const OWNERS_KEY = 'token'
/** Longer addresses cannot exist: names in file systems and of sessions are shorter. */
const MAX_PATH_CHARS = 2048

/** Serves window, API, hooks and MCP on one port. Knows no operation by name. */
export class HttpSurface {
  readonly #options: HttpSurfaceOptions
  readonly #signIn: SignIn
  readonly #maxBodyBytes: number
  readonly #closing = new AbortController()
  readonly #server: Server
  #port = 0

  constructor(options: HttpSurfaceOptions) {
    this.#options = options
    this.#signIn = createSignIn(options.grants)
    this.#maxBodyBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES
    const { fetch } = this.#routes()
    this.#server = createBoundedServer(fetch, options.connections)
  }

  /** Listens on 127.0.0.1. Returns the port. Throws `port_taken`. */
  async start(port: number): Promise<number> {
    const { listen = bind } = this.#options
    this.#port = await listen(this.#server, port, 'choose another with --port or [app] port in config.toml')
    return this.#port
  }

  /** Ends streams and lets other answers finish for at most `deadlineMs`. */
  async stop(deadlineMs: number): Promise<void> {
    const server = this.#server
    this.#closing.abort()
    if (this.#port === 0) return
    await closeServer(server, deadlineMs)
  }

  #routes(): Hono {
    const { operations, dispatch, version, windowDir, commands, health, heartbeatMs, logger } = this.#options
    const app = new Hono()
    app.use(async (context, next) => {
      this.#checkOrigin(context)
      const { method, path, url } = context.req
      if ((url.split('?', 1)[0] ?? '').length > MAX_PATH_CHARS) throw unknownRoute(method, path)
      await next()
    })
    app.get('/healthz', (context) => context.json(health()))
    app.get(PROOF_PATH, (context) => this.#prove(context))
    app.post('/login', (context) => this.#logIn(context))
    app.get('/api/openapi.json', (context) => {
      this.#admit(context, 'description')
      return context.json(describeApi(operations, version) as object)
    })
    addOperationRoutes(app, {
      operations,
      dispatch,
      admit: (context, operation) => this.#admit(context, operation),
      closing: this.#closing.signal,
      heartbeatMs: heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
      maxBodyBytes: this.#maxBodyBytes,
      onRefusedBody: this.#options.onRefusedBody ?? (() => undefined),
    })
    this.#addMetrics(app)
    this.#addMcp(app)
    app.all('/api/*', (context) => {
      this.#admit(context, 'description')
      throw unknownRoute(context.req.method, context.req.path)
    })
    addWindow(app, windowDir, commands)
    app.onError((error, context) => {
      if (!(error instanceof AspyError)) logger.error({ err: error, path: context.req.path }, 'a request failed')
      return errorResponse(context, error)
    })
    return app
  }

  /** Proves to any caller that this is the app: a caller sends no key before that. */
  #prove(context: Context): Response {
    const { key: keyName = '', nonce = '' } = context.req.query()
    const grant = this.#options.grants.find(({ name }) => name !== undefined && name === keyName)
    if (grant === undefined || !isNonce(nonce))
      throw new AspyError('bad_input', 'send key=NAME and nonce=32 random bytes in base64url')
    context.header(PROOF_HEADER, proofOf(grant.key, { keyName, port: this.#port, nonce }))
    return context.body(null, 204)
  }

  #addMetrics(app: Hono): void {
    const { metrics } = this.#options
    if (metrics === undefined) return
    app.get('/metrics', async (context) => {
      this.#admit(context, 'metrics')
      const page = await metrics()
      if (page === null) throw new AspyError('not_found', 'metrics are off; set enabled = true under [metrics]')
      return context.body(page.text, 200, { 'content-type': page.contentType, 'cache-control': 'no-store' })
    })
  }

  #addMcp(app: Hono): void {
    const { mcp } = this.#options
    if (mcp === undefined) return
    app.all('/mcp', async (context) => {
      this.#admit(context, 'mcp')
      return mcp(await plainRequest(context, this.#maxBodyBytes))
    })
  }

  async #logIn(context: Context): Promise<Response> {
    const site = context.req.header('sec-fetch-site') ?? 'none'
    if (site !== 'same-origin' && site !== 'none')
      throw new AspyError('forbidden', 'only the page of this app can sign in; open the link that aspy prints')
    const { value, problem } = await readJsonObject(context, 10_000)
    if (problem !== null) throw new AspyError('bad_input', problem)
    const { key } = value
    const cookie = typeof key === 'string' ? this.#signIn.open(key, this.#port) : null
    if (cookie === null) throw new AspyError('unauthorized', 'the key is wrong; open the link that aspy prints')
    context.header('set-cookie', cookie)
    return context.body(null, 204)
  }

  /** Refuses other hosts (DNS rebinding) and pages of other origins. */
  #checkOrigin(context: Context): void {
    const { allowedHosts } = this.#options
    const host = context.req.header('host')
    if (!isAllowedHost(host, this.#port, allowedHosts))
      throw new AspyError('forbidden', `host "${host}" is not served; [app] allowed_hosts in config.toml can allow it`)
    const origin = context.req.header('origin')
    if (origin !== undefined && !isOwnOrigin(origin, this.#port, allowedHosts))
      throw new AspyError('forbidden', `pages of ${origin} may not use this API`)
  }

  /**
   * Returns the grant of the caller's key. Throws `unauthorized` without a key, `forbidden` if it is not valid for
   * `door`.
   */
  #admit(context: Context, door: Door): Grant {
    const grant = this.#signIn.grantOfRequest(context.req.raw.headers)
    if (grant?.opens(door)) return grant
    // The key with the fewest rights that opens this door.
    const { name = OWNERS_KEY } = this.#options.grants.findLast(({ opens }) => opens(door)) ?? {}
    const file = `the key from the file "${name}" in the data folder`
    const orSignIn = name === OWNERS_KEY ? ', or open the link that aspy prints' : ''
    throw grant === null
      ? new AspyError('unauthorized', `send "Authorization: Bearer KEY" with ${file}${orSignIn}`)
      : new AspyError('forbidden', `this key is not valid for this address; use ${file}`)
  }
}

/** Returns the request as the platform's own class: the server's substitute cannot be cloned. */
async function plainRequest(context: Context, maxBodyBytes: number): Promise<Request> {
  const { method, url, headers, signal } = context.req.raw
  const body = method === 'GET' || method === 'HEAD' ? null : await readBody(context, maxBodyBytes)
  return new Request(url, { method, headers, body, signal })
}
