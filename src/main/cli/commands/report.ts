import { writeFileSync } from 'node:fs'
import { arch, platform, release } from 'node:os'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { errorCode } from '../../../shared/error-text.ts'
import { packageVersion } from '../../base/app-files.ts'
import { findApp } from '../wake-app.ts'
import { describeConfig } from '../../config/describe-config.ts'
import { overHttp, type Client } from '../client.ts'
import { canAsk, confirm } from '../confirm.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { sayAside } from '../wrap.ts'

interface ReportFlags {
  /** Writes the report to this file, without a question. */
  readonly out?: string
}

const ERRORS_SHOWN = 20
const SESSIONS_LOOKED_AT = 50
/** Names that are no text of anybody: types of errors, names and versions of clients. */
const IS_NAME = /^[\w.+-]{1,40}$/

/**
 * `aspy report`: prints what a bug report needs and nothing that was said, typed or configured: versions, names of changed
 * settings, figures of Health, and the kinds of the last errors. On a terminal it then asks for a file.
 */
export async function report({ dataDir, loaded, fault }: RunSettings, { out }: ReportFlags): Promise<void> {
  const app = await findApp(dataDir)
  const { items } = describeConfig(loaded)
  const written = {
    written_at: new Date().toISOString(),
    aspy: packageVersion(),
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    // Without what it says, which may be a value of a setting.
    ...(fault === undefined ? {} : { config_file: 'cannot be read: the defaults are below; aspy doctor says why' }),
    changed_settings: items.flatMap(({ key, origin }) => (origin === 'default' ? [] : [`${key} (${origin})`])),
    app: app === null ? 'not running' : await ofApp(overHttp(app, dataDir)),
  }
  const text = `${JSON.stringify(written, null, 2)}\n`
  process.stdout.write(text)
  if (out !== undefined) return write(out, text)
  const file = `aspy-report-${written.written_at.slice(0, 10)}.json`
  if (canAsk() && (await confirm(`Write this to ${file}?`))) write(file, text)
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const why = errorCode(error) === 'EEXIST' ? 'it exists already; name another one with --out' : String(error)
    throw new AspyError('bad_input', `${file} was not written: ${why}`)
  }
  sayAside(`Wrote ${file}.`)
}

async function ofApp(client: Client): Promise<object> {
  const health = await client.call('health.get', {})
  const [errors, sessions] = await Promise.all([
    client.call('errors.list', { limit: ERRORS_SHOWN }).catch(() => null),
    client.call('sessions.list', { limit: SESSIONS_LOOKED_AT }).catch(() => null),
  ])
  return {
    health: figuresOf(health),
    clients: [
      ...new Set(
        sessions?.items.map(({ client: name, client_version: of }) =>
          [named(name), named(of)].filter((part) => part !== null).join(' '),
        ),
      ),
    ],
    last_errors: errors?.items.map(({ timestamp, origin, type, status }) => ({
      timestamp,
      origin,
      type: named(type),
      status,
    })),
  }
}

/** Returns the figures of Health, without names, paths and messages. */
function figuresOf(health: OperationOutput<'health.get'>): object {
  const { processors, sinks, warnings, unknown, redacted, unpriced_models: unpriced } = health
  const figures = Object.entries(health).filter(([, value]) => typeof value === 'number')
  return {
    status: health.status,
    recorder: health.recorder,
    started_at: health.started_at,
    ...Object.fromEntries(figures),
    dropped: health.dropped,
    unknown: sumOf(unknown),
    redacted: sumOf(redacted),
    unpriced_models: unpriced.length,
    processors: processors.length,
    sinks: sinks.map(({ name, delivered, waiting, dropped }) => ({ name, delivered, waiting, dropped })),
    warnings: warnings.map(({ code }) => code),
  }
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

const named = (name: string | null): string | null => (name === null || IS_NAME.test(name) ? name : 'another')
