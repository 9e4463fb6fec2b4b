import { constants } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { AspyError } from '../../shared/contract/errors.ts'
import { Keeper } from './keeper.ts'

/** Signals that end an app or its keeper in order. A terminal that is closed sends the last one. */
export const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** The flag of a service: it never gives up. */
const WAIT = '--wait'
/** Setup gives it to each service. */
const DATA = '--data'

/**
 * Makes this process the keeper of an app that is started with the same command. Ends as the app ends, once nothing is left
 * to keep. SIGINT, SIGTERM and SIGHUP end both in order; a second signal ends them immediately.
 */
export async function keep(): Promise<void> {
  const entry = process.argv[1]
  if (entry === undefined) throw new AspyError('internal', 'cannot find the path of the aspy command')
  const ended = Promise.withResolvers<number>()
  const flags = process.argv.slice(2)
  const keeper = new Keeper({
    command: [entry, ...flags],
    isPatient: flags.includes(WAIT),
    dataDir: flags.includes(WAIT) ? (flags[flags.indexOf(DATA) + 1] ?? null) : null,
    onEnd: ({ code, signal }) => ended.resolve(signal === null ? (code ?? 1) : 1),
  })
  // Its young objects never need the 48 MB that V8 would take for them once requests pass by.
  setFlagsFromString('--semi-space-growth-factor=1')
  let isEnding = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEnding) process.exit(128 + constants.signals[signal])
    isEnding = true
    keeper.end()
  }
  for (const name of ENDING) process.on(name, onSignal)
  process.on('SIGTSTP', () => {
    if (process.stderr.isTTY) process.stderr.write('aspy: not stopped, since clients would wait; Ctrl+C ends it\n')
  })
  keeper.start()
  process.exit(await ended.promise)
}
