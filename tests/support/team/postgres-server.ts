import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { freePort } from '../runner/free-port.ts'
import { lacks } from '../runner/lacks.ts'
import { until } from '../runner/until.ts'

const run = promisify(execFile)

/** A PostgreSQL server of the test's own, in a temporary folder. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  /** The folder of the cluster. */
  readonly folder: string
  /** Creates a database and returns its address, of the superuser or of another role. */
  createDatabase(name: string): Promise<string>
  url(database: string, role?: string): string
  /** Runs SQL; returns the output of `psql -A -t`. */
  psql(database: string, sql: string, role?: string): Promise<string>
  /** Runs a program of PostgreSQL, such as pg_dump, against a database. */
  program(name: string, args: readonly string[]): Promise<string>
  /** Ends the server as a crash would. */
  kill(): Promise<void>
  start(): Promise<void>
}

/** A single question without a role is asked over a connection: tests repeat it while they wait, and psql is a process. */
const QUESTION = /^\s*SELECT\b[^;]*$/
/** Types that the driver would parse: bytea, int8, int2, int4, json, float4, float8, date, timestamps, jsonb. */
const AS_PRINTED = { to: 25, from: [16, 17, 20, 21, 23, 114, 700, 701, 1082, 1114, 1184, 3802], serialize: String }

const FOLDERS = ['/usr/lib/postgresql', '/usr/local/opt', '/opt/homebrew/opt']

/** Returns the folder of PostgreSQL's programs, version 15 or newer; null if there is none. */
function findPrograms(): string | null {
  const found = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name, 'bin')),
  )
  return (
    found
      .filter((folder) => existsSync(join(folder, 'initdb')))
      .sort()
      .at(-1) ?? null
  )
}

/** Clusters as initdb makes them, one of each version: each server starts from a copy. */
const MADE = join(import.meta.dirname, '../../../node_modules/.cache/postgres')

async function keepMade(data: string, made: string): Promise<void> {
  const own = `${made}.${process.pid}`
  mkdirSync(MADE, { recursive: true })
  await run('cp', ['-a', data, own])
  try {
    renameSync(own, made)
  } catch {
    // Another test was first.
    rmSync(own, { recursive: true })
  }
}

export const lacksPostgres = lacks(findPrograms() !== null)

export async function startPostgres(): Promise<PostgresServer> {
  const programs = findPrograms()
  if (programs === null) throw new Error('install postgresql 15 or newer: .ci/run does')
  const folder = mkdtempSync('/tmp/aspy-postgres-')
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const prefix = isRoot ? ['runuser', '-u', 'postgres', '--'] : []
  if (isRoot) {
    const { stdout } = await run('id', ['-u', 'postgres'])
    const { stdout: group } = await run('id', ['-g', 'postgres'])
    chownSync(folder, Number(stdout), Number(group))
  }
  const asUser = (program: string, args: readonly string[]) => {
    const [command = '', ...rest] = [...prefix, join(programs, program), ...args]
    return { command, rest }
  }
  const data = join(folder, 'data')
  const made = join(MADE, basename(dirname(programs)))
  if (existsSync(made)) await run('cp', ['-a', made, data])
  else {
    const options = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync', '--locale=C.UTF-8']
    const init = asUser('initdb', ['-D', data, ...options])
    await run(init.command, init.rest, { cwd: folder })
    await keepMade(data, made)
  }
  const port = await freePort()
  let child: ChildProcess | null = null
  const url = (database: string, role = 'postgres') => `postgres://${role}@127.0.0.1:${port}/${database}`
  const env = { PATH: process.env['PATH'] ?? '', HOME: userInfo().homedir }

  async function program(name: string, args: readonly string[]): Promise<string> {
    const { stdout } = await run(join(programs ?? '', name), [...args], { env, maxBuffer: 512 * 1024 * 1024 })
    return stdout
  }

  const connections = new Map<string, postgres.Sql>()
  async function closeConnections(): Promise<void> {
    const open = [...connections.values()]
    connections.clear()
    await Promise.all(open.map((connection) => connection.end({ timeout: 0 })))
  }

  async function question(database: string, sql: string): Promise<string> {
    let connection = connections.get(database)
    if (connection === undefined) {
      const types = { printed: { ...AS_PRINTED, parse: (text: string) => text } }
      connection = postgres(url(database), { max: 2, fetch_types: false, types, onnotice: () => undefined })
      connections.set(database, connection)
    }
    const rows = await connection.unsafe(sql).values()
    return rows.map((row) => row.map((value) => value ?? '').join('|')).join('\n')
  }

  async function psql(database: string, sql: string, role?: string): Promise<string> {
    if (QUESTION.test(sql) && role === undefined) return (await question(database, sql)).trim()
    const args = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-d', url(database, role), '-c', sql]
    return (await program('psql', args)).trim()
  }

  async function start(): Promise<void> {
    const args = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off']
    const { command, rest } = asUser('postgres', args)
    child = spawn(command, rest, { cwd: folder, stdio: 'ignore' })
    await until('PostgreSQL answers', async () => {
      try {
        await program('psql', ['-X', '-d', url('postgres'), '-c', 'SELECT 1'])
        return true
      } catch {
        return false
      }
    })
  }

  async function end(mode: 'immediate' | 'fast'): Promise<void> {
    await closeConnections()
    if (child === null) return
    const ended = new Promise<void>((resolve) => child?.once('exit', () => resolve()))
    const { command, rest } = asUser('pg_ctl', ['-D', data, 'stop', '-m', mode])
    await run(command, rest, { cwd: folder })
    await ended
    child = null
  }

  await start()
  return {
    port,
    folder,
    url,
    psql,
    program,
    async createDatabase(name) {
      await psql('postgres', `CREATE DATABASE ${name}`)
      return url(name)
    },
    kill: () => end('immediate'),
    start,
    async [Symbol.asyncDispose]() {
      await end('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
