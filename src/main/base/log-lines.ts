import { pino, type Logger } from 'pino'
import { visibleText } from '../../shared/visible-text.ts'

/** Fields of a log record that a line has in another form, or not at all. */
const APART: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'err', 'thread'])
/** Characters that wait for a pipe that nobody reads; later lines are lost, and nothing else waits for them. */
const MOST_WAITING = 65_536
/** Texts whose repetitions are counted. */
const MOST_KNOWN = 1000

interface LogRecord {
  readonly level: number
  /** In ms since 1970. */
  readonly time: number
  readonly msg: string
  readonly err?: { readonly message?: string; readonly stack?: string }
}

/**
 * Creates the logger of a process that people start: each fault is a line on standard error, and again with its count at
 * the 10th, 100th … time. `ASPY_LOG` sets the level; with `debug`, stacks follow.
 */
export function createLogger(): Logger {
  const level = process.env['ASPY_LOG'] ?? 'warn'
  const lineOf = logLines(level === 'debug')
  const write = (json: string) => {
    const line = lineOf(json)
    if (process.stderr.writableLength < MOST_WAITING) process.stderr.write(line)
  }
  return pino({ level, base: null }, { write })
}

/** Returns what turns a record of the logger, as JSON, into its line; empty for a repetition that is only counted. */
export function logLines(hasStacks = false): (json: string) => string {
  const seen = new Map<string, number>()
  return (json) => {
    const record = JSON.parse(json) as LogRecord
    const { level, time, msg, err } = record
    const facts = Object.entries(record).filter(([name]) => !APART.has(name))
    const details = [
      err?.message,
      ...facts.map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ].filter(Boolean)
    const said = `${pino.levels.labels[level] ?? 'log'}: ${[msg, details.join(', ')].filter(Boolean).join(': ')}`
    const known = [msg, err?.message].join('\n')
    if (seen.size >= MOST_KNOWN) seen.clear()
    const count = (seen.get(known) ?? 0) + 1
    seen.set(known, count)
    if (!/^10*$/.test(String(count))) return ''
    const times = count === 1 ? '' : ` (${count} times)`
    const line = visibleText(`${said}${times}`).replaceAll(/\p{Cc}+/gu, ' ')
    const stack = hasStacks && err?.stack !== undefined ? `\n${err.stack}` : ''
    return `${new Date(time).toLocaleString('sv-SE')} ${line}${stack}\n`
  }
}
