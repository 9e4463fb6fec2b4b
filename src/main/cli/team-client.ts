import { AspyError } from '../../shared/contract/errors.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import { ownTeam } from './commands/team/own-team.ts'
import type { Client } from './client.ts'
import type { RunSettings } from './settings-of-run.ts'

/** Gives a reading command access to the team's history instead of this machine's. */
export function connectToTeam({ dataDir }: RunSettings): Client {
  const { client } = ownTeam(dataDir)
  return {
    app: null,
    async call<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>> {
      return JSON.parse(new TextDecoder().decode(await client.call(name, input))) as OperationOutput<Name>
    },
    stream() {
      throw new AspyError('unsupported', "a team's history is not streamed; ask without --team")
    },
    close: () => Promise.resolve(),
  }
}
