import { randomUUID } from 'node:crypto'
import { createKeyedIds, type KeyedIds } from '../../../src/main/team/protocol/keyed-ids.ts'

/** A device that speaks the protocol by hand, so that a test can send what no laptop would. */
export interface TeamDevice {
  readonly token: string
  readonly deviceId: string
  readonly targetId: string
  readonly ids: KeyedIds
  session(): Promise<string>
  /** Calls the server with this device's session. */
  call(path: string, body?: unknown, method?: string): Promise<{ readonly status: number; readonly body: unknown }>
}

/** Joins with a code and returns the device. */
export async function joinByHand(url: string, code: string, name = 'by hand'): Promise<TeamDevice> {
  const joined = (await (
    await fetch(`${url}/team/v1/join`, {
      method: 'POST',
      body: JSON.stringify({ code, device_name: name }),
    })
  ).json()) as { device_token: string; device_id: string; target_id: string; hash_key: string }
  const session = async () => {
    const response = await fetch(`${url}/team/v1/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${joined.device_token}` },
    })
    return ((await response.json()) as { token: string }).token
  }
  return {
    token: joined.device_token,
    deviceId: joined.device_id,
    targetId: joined.target_id,
    ids: createKeyedIds(Buffer.from(joined.hash_key, 'base64')),
    session,
    call: async (path, body, method = body === undefined ? 'GET' : 'POST') =>
      request(url + path, await session(), body, method),
  }
}

/** Calls an address with a token; a string is sent as it is. */
export async function request(
  url: string,
  token: string | null,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(url, {
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text }
}

/** Fields of an event that a test may change. */
type Fields = Readonly<Record<string, unknown>>

/** Returns an event of the policy `full`: a prompt, unless the fields say otherwise. */
export function fullEvent(device: TeamDevice, fields: Fields = {}): Record<string, unknown> {
  const uuid = typeof fields['uuid'] === 'string' ? fields['uuid'] : randomUUID()
  const session = typeof fields['session_id'] === 'string' ? fields['session_id'] : 'a-session'
  return {
    level: 'full',
    uuid,
    keys: [device.ids.id('event', uuid)],
    session_id: session,
    session_key: device.ids.id('session', session),
    turn_id: 1,
    seq: 0,
    agent_id: null,
    parent_uuid: null,
    parent_key: null,
    root_uuid: null,
    depth: 0,
    kind: 'user_prompt',
    source: 'wire',
    ts: '2026-11-20T10:00:00.000Z',
    duration_ms: null,
    success: null,
    position: 1,
    project: 'shop',
    shared: false,
    is_prompt: true,
    tool_name: null,
    outcome: null,
    usage: null,
    error_message: null,
    payload: { text: 'a prompt' },
    contents: [],
    text: 'a prompt',
    ...fields,
  }
}

/** Returns a batch with these events, and their sessions. */
export function batchOf(device: TeamDevice, events: readonly Fields[], fields: Fields = {}): Record<string, unknown> {
  const sessions = new Map(
    events.map((event) => [
      event['session_key'],
      {
        session_key: event['session_key'],
        session_id: event['session_id'],
        level: event['level'],
        shared: event['shared'],
        project: event['project'],
        git_branch: null,
        title: event['level'] === 'full' ? `title of ${String(event['session_id'])}` : null,
        client: 'claude-code',
        client_version: null,
        source: 'first_seen',
        active_ms: 0,
        ended_at: null,
      },
    ]),
  )
  return {
    target_id: device.targetId,
    log: 'log',
    epoch: 0,
    after: 0,
    up_to: events.length + 1,
    events,
    sessions: [...sessions.values()],
    contents: [],
    removed: [],
    tombstones: [],
    ...fields,
  }
}
