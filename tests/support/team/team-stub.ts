import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { writeMembership } from '../../../src/main/team/device/membership-file.ts'
import type { Batch, BatchEvent } from '../../../src/main/team/protocol/batch.ts'

/** A server that takes batches as a team's does, without a database: for tests of what a laptop sends. */
export interface TeamStub extends AsyncDisposable {
  readonly url: string
  readonly batches: readonly Batch[]
  events(): readonly BatchEvent[]
  /** Makes a data folder a member of this team. */
  admit(dataDir: string): void
}

export async function startTeamStub(): Promise<TeamStub> {
  const target_id = randomUUID()
  const batches: Batch[] = []
  let positions: { log: string; epoch: number; position: number }[] = []
  const server = createServer(async (request, response) => {
    const body: unknown = request.method === 'POST' ? await json(request) : null
    const answer = (value: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (request.url === '/team/v1/sessions')
      return answer({ token: 'session', expires_at: new Date(Date.now() + 900_000).toISOString() })
    if (request.url === '/team/v1/target')
      return answer({ target_id, schema_version: 3, member: 'ann', role: 'member', devices: [], positions })
    if (request.url === '/team/v1/withdraw') {
      positions = positions.map((one) => ({ ...one, epoch: one.epoch + 1, position: 0 }))
      return answer({ events: 1 })
    }
    const batch = body as Batch
    batches.push(batch)
    positions = [{ log: batch.log, epoch: batch.epoch, position: batch.up_to }]
    return answer({ position: batch.up_to, epoch: batch.epoch, stored: batch.events.length })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    batches,
    events: () => batches.flatMap(({ events }) => events),
    admit: (dataDir) =>
      writeMembership(dataDir, {
        url,
        target_id,
        device_id: randomUUID(),
        device_token: 'token',
        hash_key: Buffer.alloc(32, 5).toString('base64'),
        member: 'ann',
        role: 'member',
        joined_at: '2026-11-20T10:00:00.000Z',
      }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
