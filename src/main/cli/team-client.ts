import { AspyError } from '../../shared/contract/errors.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import { ownTeam } from '../team/device/own-team.ts'
import type { Client } from './client.ts'
import type { RunSettings } from './settings-of-run.ts'

/** Gives a reading command access to the team's history instead of this machine's. */
export function connectToTeam({ dataDir }: RunSettings): Client {
  const { client } = ownTeam(dataDir)
  const call: Client['call'] = async <Name extends OperationName>(name: Name, input: OperationInput<Name>) =>
    JSON.parse(new TextDecoder().decode(await client.call(name, input))) as OperationOutput<Name>
  return {
    app: null,
    isTeam: true,
    dataDir,
    call,
    async *stream<Name extends OperationName>(name: Name, input: OperationInput<Name>) {
      if (name !== 'events.replay')
        throw new AspyError('unsupported', "a team's history is not streamed; ask without --team")
      const pages = replay(call, input as OperationInput<'events.replay'>)
      for await (const page of pages) yield page as OperationOutput<Name>
    },
    close: () => Promise.resolve(),
  }
}

/** Pages through the events of a session, in the order of its turns. */
async function* replay(call: Client['call'], { session_id, turn_id, limit }: OperationInput<'events.replay'>) {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: OperationOutput<'events.list'> = await call('events.list', {
      session_id,
      turn_id,
      limit: limit ?? 200,
      cursor: cursor ?? undefined,
    })
    yield page
    cursor = page.next
  }
}
