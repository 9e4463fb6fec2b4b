import { workerData } from 'node:worker_threads'
import {
  CUSTOM_SIGNS,
  type CustomAnswer,
  type CustomModule,
  type CustomStart,
  type FromCustom,
  type LogLevel,
  type ToCustom,
} from '../custom-protocol.ts'
import { matchPatterns } from './match-patterns.ts'
import type { Processor, ProcessorLogger } from '../../processor.ts'
import { errorMessage } from '../../../../shared/error-text.ts'

/** Limits of a processor's log per event; more is dropped. */
const MAX_LOG_LINES = 20
const MAX_LOG_CHARACTERS = 2000

const { patterns, modules, signs: shared, port } = workerData as CustomStart
const signs = new Int32Array(shared)
const expressions = patterns.map(({ source, flags }) => new RegExp(source, flags))
const processors: (Processor | null)[] = []
let linesLeft = MAX_LOG_LINES

const workOn = (what: number) => void Atomics.store(signs, CUSTOM_SIGNS.at, what)

function post(message: FromCustom): void {
  port.postMessage(message)
  Atomics.add(signs, CUSTOM_SIGNS.answers, 1)
  Atomics.notify(signs, CUSTOM_SIGNS.answers)
}

async function load({ url }: CustomModule): Promise<Processor | null> {
  if (url === null) return null
  const { default: processor } = (await import(url)) as { default?: Partial<Processor> }
  if (typeof processor?.process !== 'function') throw new TypeError('its default export has no process function')
  return processor as Processor
}

function loggerOf(module: number): ProcessorLogger {
  const log = (level: LogLevel) => (details: object | string, message?: string) => {
    if (linesLeft <= 0) return
    linesLeft -= 1
    const shown = typeof details === 'string' ? details : JSON.stringify(details)
    const text = [shown, message].filter(Boolean).join(' ').slice(0, MAX_LOG_CHARACTERS)
    port.postMessage({ type: 'log', module, level, text } satisfies FromCustom)
  }
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}

async function runProcessor(request: Extract<ToCustom, { type: 'process' }>): Promise<CustomAnswer> {
  const { id, module, event, context } = request
  linesLeft = MAX_LOG_LINES
  // A change in place would have no effect, so freezing turns it into an error that the author sees.
  const frozen = freeze(event)
  const config = modules[module]?.options ?? {}
  const result = await processors[module]?.process(frozen, { ...context, config, logger: loggerOf(module) })
  if (result === 'drop') return { type: 'dropped', id }
  if (result === undefined || result === frozen) return { type: 'same', id }
  return { type: 'changed', id, event: result }
}

function match({ id, text }: Extract<ToCustom, { type: 'match' }>): CustomAnswer {
  const start = performance.now()
  const spans = matchPatterns(text, expressions, workOn)
  return { type: 'spans', id, spans, ms: performance.now() - start }
}

async function answer(request: ToCustom): Promise<CustomAnswer> {
  const { id } = request
  switch (request.type) {
    case 'match':
      return match(request)
    case 'process':
      workOn(request.module + 1)
      return runProcessor(request)
    case 'shutdown':
      workOn(request.module + 1)
      await processors[request.module]?.shutdown?.()
      return { type: 'same', id }
  }
}

async function receive(request: ToCustom): Promise<void> {
  try {
    post(await answer(request))
  } catch (error) {
    post({ type: 'failed', id: request.id, message: messageOf(error) })
  }
  workOn(0)
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) freeze(inner)
  return Object.freeze(value) as T
}

const nameOf = (processor: Processor | null) =>
  typeof processor?.name === 'string' && processor.name !== '' ? processor.name.slice(0, 60) : null

const messageOf = (error: unknown) => errorMessage(error).slice(0, 2000)

process.on('exit', () => {
  Atomics.store(signs, CUSTOM_SIGNS.dead, 1)
  Atomics.add(signs, CUSTOM_SIGNS.answers, 1)
  Atomics.notify(signs, CUSTOM_SIGNS.answers)
})

const faults: (string | null)[] = []
for (const [index, module] of modules.entries()) {
  workOn(index + 1)
  try {
    processors.push(await load(module))
    faults.push(null)
  } catch (error) {
    processors.push(null)
    faults.push(messageOf(error))
  }
}
workOn(0)
port.on('message', (request: ToCustom) => void receive(request))
post({ type: 'ready', faults, names: processors.map((processor) => nameOf(processor)) })
