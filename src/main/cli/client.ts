import { AspyError } from '../../shared/contract/errors.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import type { inThisZone } from '../../shared/contract/in-this-zone.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import { readKey } from '../base/data-folder.ts'
import type { RunningApp } from '../base/running-app.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { createRemoteDispatch } from '../dispatch/remote-dispatch.ts'
import type { RunSettings } from './settings-of-run.ts'
import { findApp } from './wake-app.ts'

/** Gives a command access to operations, through the running app or, read-only, through the database file. */
export interface Client {
  /** null if no app is using this data. */
  readonly app: RunningApp | null
  /** Reads a team's history instead of this machine's. */
  readonly isTeam: boolean
  /** The data folder, which a command to type may have to name. */
  readonly dataDir: string
  call<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>>
  stream<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    signal?: AbortSignal,
  ): AsyncIterable<OperationOutput<Name>>
  close(): Promise<void>
}

/** Connects to the running app, or opens the data read-only if no app is running. Days in inputs are of this time zone. */
export async function connect(settings: RunSettings): Promise<Client> {
  const app = await findApp(settings.dataDir)
  // It loads the whole contract, which commands that only write need not.
  const zone = await import('../../shared/contract/in-this-zone.ts')
  if (app !== null) return overHttp(app, settings.dataDir, zone.inThisZone)
  // What reads the file is large, and needless beside an app.
  const { openFile } = await import('./open-file.ts')
  const { dispatch, close } = openFile(settings)
  return clientOf(dispatch, { app: null, dataDir: settings.dataDir }, close, zone.inThisZone)
}

/** Connects to the app over HTTP with the owner's key from the data folder. Inputs are sent as they are. */
export function overHttp(app: RunningApp, dataDir: string, prepare: typeof inThisZone = (_, input) => input): Client {
  const token = readKey(dataDir, 'token')
  if (token === null) throw new AspyError('unauthorized', `the running app's key is missing from ${dataDir}`)
  const dispatch = createRemoteDispatch({ appUrl: app.appUrl, token })
  return clientOf(dispatch, { app, dataDir }, () => Promise.resolve(), prepare)
}

function clientOf(
  dispatch: Dispatch,
  place: Pick<Client, 'app' | 'dataDir'>,
  close: () => Promise<void>,
  prepare: typeof inThisZone,
): Client {
  const decoder = new TextDecoder()
  const context = { access: 'all', project: process.cwd() } as const
  return {
    ...place,
    isTeam: false,
    call: (name, input) => callOperation(dispatch, name, prepare(name, input), context),
    async *stream<Name extends OperationName>(
      name: Name,
      input: OperationInput<Name>,
      signal: AbortSignal = new AbortController().signal,
    ) {
      for await (const { json } of dispatch.stream(name, prepare(name, input), context, signal))
        yield JSON.parse(decoder.decode(json)) as OperationOutput<Name>
    },
    close,
  }
}
