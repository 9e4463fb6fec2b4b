import { z } from 'zod'
import { jsonOrNull } from '../../../shared/json-fields.ts'
import { ERROR_STATUS, AspyError, type ErrorCode } from '../../../shared/contract/errors.ts'
import { isLoopback } from '../../../shared/loopback.ts'
import {
  deviceSession,
  membership,
  receipt,
  sharedProjects,
  target,
  type Batch,
  type SharedProject,
} from '../protocol/batch.ts'
import type { TeamMembership } from './membership-file.ts'
import { errorCode } from '../../../shared/error-text.ts'

/** Calls the server of a team as a device. Opens a session with the device's token when one is needed. */
export type TeamClient = ReturnType<typeof createTeamClient>

/** Time in ms for one call. A batch of many long texts takes seconds. */
const TIMEOUT_MS = 60_000
/** A session is renewed this long before it ends. */
const SPARE_MS = 60_000

const errorAnswer = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/**
 * Checks the address of a team: https, or http to this machine.
 * @throws AspyError bad_input
 */
export function teamAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new AspyError('bad_input', 'the address of a team begins with https://')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new AspyError('bad_input', 'a device token must not travel unencrypted: use https:// for other machines')
  if (url.username !== '' || url.password !== '')
    throw new AspyError('bad_input', 'the address must not contain a password')
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** Exchanges a code for a membership. Throws `unauthorized` if the code is not valid, `gone` if the server does not answer. */
export async function joinTeam(url: string, code: string, deviceName: string): Promise<TeamMembership> {
  const base = teamAddress(url)
  const response = await post(`${base}/team/v1/join`, { body: { code, device_name: deviceName } })
  const joined = membership.parse(await response.json())
  const { target_id, device_id, device_token, hash_key, member, role } = joined
  return { url: base, target_id, device_id, device_token, hash_key, member, role, joined_at: new Date().toISOString() }
}

export function createTeamClient({ url, device_token }: TeamMembership) {
  let session: { readonly token: string; readonly until: number } | null = null

  async function token(): Promise<string> {
    if (session !== null && session.until > Date.now()) return session.token
    const response = await post(`${url}/team/v1/sessions`, { token: device_token, body: {} })
    const opened = deviceSession.parse(await response.json())
    session = { token: opened.token, until: Date.now() + Math.max(0, lifeOf(response, opened.expires_at) - SPARE_MS) }
    return opened.token
  }

  async function ask(path: string, options: Omit<Call, 'token'>): Promise<Response> {
    try {
      return await post(url + path, { ...options, token: await token() })
    } catch (error) {
      // The session may have ended early by the server's clock, so this tries once with a new one. It also retries if
      // the server closed an idle connection just as it was reused: every call may be repeated.
      if (!(error instanceof AspyError) || (error.code !== 'unauthorized' && !wasClosed(error))) throw error
      if (error.code === 'unauthorized') session = null
      return post(url + path, { ...options, token: await token() })
    }
  }

  return {
    target: async () => target.parse(await (await ask('/team/v1/target', { method: 'GET' })).json()),
    send: async (batch: Batch, signal: AbortSignal) =>
      receipt.parse(await (await ask('/team/v1/batches', { body: batch, signal })).json()),
    /** Returns how many events were deleted. `null` deletes everything this device sent. */
    async withdraw(sessions: readonly string[] | null): Promise<number> {
      const response = await ask('/team/v1/withdraw', { body: { sessions } })
      return z.object({ events: z.number() }).parse(await response.json()).events
    },
    /** Returns the projects with sessions of this member that other members can read in part. */
    async shared(): Promise<readonly SharedProject[]> {
      const response = await ask('/team/v1/shared', { method: 'GET' })
      return sharedProjects.parse(await response.json()).shared
    },
    /** Ends other members' access to sessions. */
    unshare: async (sessions: readonly string[]) => void (await ask('/team/v1/unshare', { body: { sessions } })),
    leave: async () => void (await ask('/team/v1/leave', { body: {} })),
    /** Calls an operation of the contract; returns its JSON. */
    async call(name: string, input: unknown, signal?: AbortSignal): Promise<Uint8Array> {
      const response = await ask(`/api/${encodeURIComponent(name)}`, { body: input ?? {}, signal })
      return new Uint8Array(await response.arrayBuffer())
    },
    /** Returns a session's token, for the link that opens the window. */
    session: token,
  }
}

/** Returns the life of a session in ms by the server's own clock, which may differ from this one. */
function lifeOf(response: Response, expiresAt: string): number {
  const now = Date.parse(response.headers.get('date') ?? '')
  return Date.parse(expiresAt) - (Number.isFinite(now) ? now : Date.now())
}

interface Call {
  readonly method?: 'GET' | 'POST'
  readonly token?: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

async function post(url: string, { method = 'POST', token, body, signal }: Call): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch((error: unknown) => {
    throw new AspyError('gone', `the team's server at ${new URL(url).origin} ${reasonOf(error)}`, { cause: error })
  })
  if (response.ok) return response
  const text = (await response.text()).slice(0, 10_000)
  const parsed = errorAnswer.safeParse(jsonOrNull(text))
  if (!parsed.success)
    throw new AspyError('gone', `${new URL(url).origin} answered ${response.status}; is it a team's server?`)
  const { code, message } = parsed.data.error
  throw new AspyError(Object.hasOwn(ERROR_STATUS, code) ? (code as ErrorCode) : 'internal', message)
}

/** True if a connection was lost before an answer arrived. */
function wasClosed({ cause }: AspyError): boolean {
  const reason = cause instanceof Error ? cause.cause : undefined
  return reason instanceof Error && 'code' in reason && CLOSED.has(String(reason.code))
}

const CLOSED: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET'])

const REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has an expired certificate; its administrator must renew it',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet; check the clocks',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a self-signed certificate; set NODE_EXTRA_CA_CERTS to the file of its authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an unknown authority; set NODE_EXTRA_CA_CERTS to its file',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate of an unknown authority; set NODE_EXTRA_CA_CERTS to its file',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate of an unknown authority; set NODE_EXTRA_CA_CERTS to its file',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name; check the address',
  ECONNREFUSED: 'does not answer (connection refused); check that aspy team serve runs',
  ENOTFOUND: 'has no address; check the name',
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = errorCode(cause) ?? ''
  return REASONS[code] ?? `does not answer${code === '' ? '' : ` (${code})`}`
}
