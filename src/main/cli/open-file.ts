import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import {
  OPERATIONS,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from '../../shared/contract/index.ts'
import { isLogGone, keepLogGone } from '../base/running-note.ts'
import { budgetStatuses } from '../budgets/budget-statuses.ts'
import { spendingView } from '../budgets/spending-view.ts'
import { describeConfig } from '../config/describe-config.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import { createDispatch, type Dispatch } from '../dispatch/dispatch.ts'
import type { MainHandlers } from '../dispatch/handlers.ts'
import { createAdviceHandlers } from '../operations/main/advice-handlers.ts'
import { createFileHandlers } from '../operations/main/restore-file.ts'
import { createTeamHandlers } from '../operations/main/team-handlers.ts'
import { ReaderPool } from '../readers/host/pool.ts'
import { assertOwnLog } from '../store/database/foreign.ts'
import type { RunSettings } from './settings-of-run.ts'
import { sayAside } from './wrap.ts'

const LOG_REMOVED =
  'Aspy was ended without closing its database, whose -wal was removed since: what was recorded last may be missing'

/** Opens the database file read-only, in the place of a running app. Throws store_unavailable if nothing is recorded. */
export function openFile({ dataDir, loaded, isJson }: RunSettings): {
  readonly dispatch: Dispatch
  readonly close: () => Promise<void>
} {
  const databasePath = resolve(dataDir, loaded.config.lifestats.db_path)
  if (!existsSync(databasePath)) {
    const message = `nothing is recorded in ${dataDir} yet; start the app with aspy`
    throw new AspyError('store_unavailable', message)
  }
  assertOwnLog(databasePath)
  if (isLogGone(dataDir, databasePath)) {
    keepLogGone(dataDir, databasePath)
    if (isJson !== true) sayAside(`aspy: ${LOG_REMOVED}`)
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
      'budgets.status': async () => ({ items: [...(await budgetStatuses(loaded.config, spent, new Date()))] }),
      'budgets.forecast': (input) => spendingView(loaded.config, spent, input),
      'config.get': () => describeConfig(loaded),
      ...createAdviceHandlers(read, dataDir),
      ...createFileHandlers(read),
      ...createTeamHandlers({ dataDir, settings: () => loaded.config.team, sessions: projects }),
    },
  })
  return { dispatch, close: () => readers.close() }
}

/** Returns a handler for every operation of the main process. */
const allOfMain = (handler: () => never): MainHandlers =>
  Object.fromEntries(
    OPERATIONS.flatMap(({ name, place }) => (place === 'main' ? [[name, handler]] : [])),
  ) as unknown as MainHandlers
