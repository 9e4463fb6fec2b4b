import { readFileSync } from 'node:fs'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { isLoopback } from '../../../../shared/loopback.ts'
import { windowFolder } from '../../../base/app-files.ts'
import { createLogger } from '../../../base/log-lines.ts'
import { startTeamServer } from '../../../team/server/team-server.ts'
import { openDatabase } from '../../../team/store/connection.ts'
import type { JsonFlag } from '../../flags.ts'
import { print } from '../../print-all.ts'
import { databaseUrl } from './team-database.ts'

interface ServeFlags extends JsonFlag {
  readonly database?: string
  readonly listen?: string
  readonly cert?: string
  readonly key?: string
  readonly behindProxy?: boolean
}

const DEFAULT_LISTEN = '127.0.0.1:2781'
const STOP_MS = 5000

/** `aspy team serve`: runs until SIGINT or SIGTERM, which lets answers in progress finish. */
export async function serveTeam(flags: ServeFlags): Promise<void> {
  const { host, port } = addressOf(flags.listen ?? DEFAULT_LISTEN)
  const certificate = certificateOf(flags)
  if (certificate === undefined && flags.behindProxy !== true && !isLoopback(host.includes(':') ? `[${host}]` : host))
    throw new AspyError(
      'bad_input',
      `${host} is reachable from other machines: give --cert and --key, or --behind-proxy if a proxy in front ends TLS`,
    )
  const logger = createLogger()
  const sql = openDatabase(databaseUrl(flags.database))
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
  try {
    const server = await startTeamServer({ sql, host, port, certificate, windowDir: windowFolder(), logger })
    print({ json: { ready: true, url: server.url }, text: `Team server   ${server.url}` }, flags.json)
    await stopped
    await server.stop(STOP_MS)
  } finally {
    await sql.end({ timeout: 2 })
  }
}

function addressOf(text: string): { readonly host: string; readonly port: number } {
  const parts = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s]*)):(\d{1,5})$/.exec(text)
  const port = Number(parts?.[3])
  if (parts === null || port > 65_535) throw new AspyError('bad_input', '--listen is HOST:PORT, such as 0.0.0.0:2781')
  return { host: parts[1] ?? (parts[2] || '127.0.0.1'), port }
}

function certificateOf({ cert, key }: ServeFlags): { readonly cert: Buffer; readonly key: Buffer } | undefined {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) throw new AspyError('bad_input', 'give both --cert and --key')
  return { cert: fileOf(cert), key: fileOf(key) }
}

function fileOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new AspyError('bad_input', `${path} cannot be read`, { cause: error })
  }
}
