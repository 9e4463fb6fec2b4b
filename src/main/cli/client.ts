import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { OPERATIONS } from '../../shared/contract/index.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import { inThisZone } from '../../shared/contract/in-this-zone.ts'
import { budgetStatuses } from '../budgets/budget-statuses.ts'
import { spendingView } from '../budgets/spending-view.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import { describeConfig } from '../config/describe-config.ts'
import { readKey } from '../base/data-folder.ts'
import type { RunningApp } from '../base/running-app.ts'
import { createDispatch } from '../dispatch/dispatch.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import type { MainHandlers } from '../dispatch/handlers.ts'
import { createAdviceHandlers } from '../operations/main/advice-handlers.ts'
import { createFileHandlers } from '../operations/main/restore-file.ts'
import { createTeamHandlers } from '../operations/main/team-handlers.ts'
import { ReaderPool } from '../readers/host/pool.ts'
import { createRemoteDispatch } from '../dispatch/remote-dispatch.ts'
import type { RunSettings } from './settings-of-run.ts'
import { findApp } from './wake-app.ts'

/** Gives a command access to operations, through the running app or, read-only, through the database file. */
export interface Client {
  /** null if no app is using this data. */
  readonly app: RunningApp | null
  /** Reads a team's history instead of this machine's. */
  readonly isTeam: boolean
  call<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>>
  stream<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    signal?: AbortSignal,
  ): AsyncIterable<OperationOutput<Name>>
  close(): Promise<void>
}

/** Connects to the running app, or opens the data read-only if no app is running. */
export async function connect(settings: RunSettings): Promise<Client> {
  const app = await findApp(settings.dataDir)
  return app === null ? overFile(settings) : overHttp(app, settings.dataDir)
}

/** Connects to the app over HTTP with the owner's key from the data folder. */
export function overHttp(app: RunningApp, dataDir: string): Client {
  const token = readKey(dataDir, 'token')
  if (token === null) throw new AspyError('unauthorized', `the running app's key is missing from ${dataDir}`)
  return clientOf(createRemoteDispatch({ appUrl: app.appUrl, token }), app, () => Promise.resolve())
}

function overFile({ dataDir, loaded }: RunSettings): Client {
  const databasePath = resolve(dataDir, loaded.config.lifestats.db_path)
  if (!existsSync(databasePath)) {
    const message = `nothing is recorded in ${dataDir} yet; start the app with aspy`
    throw new AspyError('store_unavailable', message)
  }
  const readers = new ReaderPool({ databasePath, prices: loaded.config.pricing.models, size: 1 })
  const notRunning = (): never => {
    throw new AspyError('store_unavailable', 'this command needs a running app; start it with aspy')
  }
  const spent = async (input: OperationInput<'costs.spent'>) =>
    JSON.parse(new TextDecoder().decode(await readers.call('costs.spent', input))) as OperationOutput<'costs.spent'>
  const projects = async () => {
    const bytes = await readers.call('team.projects', {})
    return (JSON.parse(new TextDecoder().decode(bytes)) as OperationOutput<'team.projects'>).items
  }
  const read = <Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>> =>
    callOperation(dispatch, name, input, { access: 'read' })
  const dispatch: Dispatch = createDispatch({
    readers,
    recorder: { call: async () => notRunning() },
    main: {
      ...allOfMain(notRunning),
      'budgets.status': async () => ({
        items: [...(await budgetStatuses(loaded.config, spent, new Date()))],
      }),
      'budgets.forecast': (input) => spendingView(loaded.config, spent, input),
      'config.get': () => describeConfig(loaded),
      ...createAdviceHandlers(read, dataDir),
      ...createFileHandlers(read),
      ...createTeamHandlers({ dataDir, settings: () => loaded.config.team, sessions: projects }),
    },
  })
  return clientOf(dispatch, null, () => readers.close())
}

/** Returns a handler for every operation of the main process. */
const allOfMain = (handler: () => never): MainHandlers =>
  Object.fromEntries(
    OPERATIONS.flatMap(({ name, place }) => (place === 'main' ? [[name, handler]] : [])),
  ) as unknown as MainHandlers

function clientOf(dispatch: Dispatch, app: RunningApp | null, close: () => Promise<void>): Client {
  const decoder = new TextDecoder()
  const context = { access: 'all', project: process.cwd() } as const
  return {
    app,
    isTeam: false,
    call: (name, input) => callOperation(dispatch, name, inThisZone(name, input), context),
    async *stream<Name extends OperationName>(
      name: Name,
      input: OperationInput<Name>,
      signal: AbortSignal = new AbortController().signal,
    ) {
      for await (const { json } of dispatch.stream(name, inThisZone(name, input), context, signal)) {
        yield JSON.parse(decoder.decode(json)) as OperationOutput<Name>
      }
    },
    close,
  }
}
