import { startAspy, type RunningCommand } from '../app/aspy-command.ts'
import { aspyHere } from '../app/aspy-here.ts'
import { freePort } from '../runner/free-port.ts'
import { startPostgres, type PostgresServer } from './postgres-server.ts'

/** A team of a test: a PostgreSQL server, a database with the store, and the team's server as its own process. */
export interface TeamWorld extends AsyncDisposable {
  readonly postgres: PostgresServer
  readonly database: string
  /** The address of the team's server; stays the same when it is started again. */
  readonly url: string
  /** Runs `aspy team …` with the database. Throws if it fails. */
  admin(...args: readonly string[]): Promise<string>
  /** Invites a member; returns the code. */
  invite(name: string, role?: string): Promise<string>
  /** Invites a member and joins with a data folder, at the server's address unless there is a network in between. */
  join(dataDir: string, name: string, through?: { readonly url: string }): Promise<void>
  readonly port: number
  /** Ends the server's process at once. */
  killServer(): Promise<void>
  startServer(): Promise<void>
  /** Runs SQL in the team's database. */
  sql(text: string, role?: string): Promise<string>
}

/** `prepare` runs before the database is created. */
export async function startTeam(prepare?: (postgres: PostgresServer) => Promise<void>): Promise<TeamWorld> {
  const postgres = await startPostgres()
  await prepare?.(postgres)
  const database = await postgres.createDatabase('team')
  const port = await freePort()
  let server: RunningCommand | null = null

  async function admin(...args: readonly string[]): Promise<string> {
    return must(['team', ...args, '--database', database])
  }

  async function startServer(): Promise<void> {
    server = startAspy(['team', 'serve', '--database', database, '--listen', `127.0.0.1:${port}`, '--json'])
    await server.firstLine
  }

  async function killServer(): Promise<void> {
    server?.child.kill('SIGKILL')
    await server?.finished
    server = null
  }

  await admin('init')
  await startServer()
  const url = `http://127.0.0.1:${port}`
  const invite = async (name: string, role?: string) =>
    (await admin('invite', name, ...(role === undefined ? [] : ['--role', role]))).split('\n').at(-1) ?? ''
  return {
    postgres,
    database,
    url,
    admin,
    invite,
    port,
    async join(dataDir, name, through = { url }) {
      await must(['team', 'join', through.url, await invite(name), '--data', dataDir, '--name', `${name}'s laptop`])
    },
    killServer,
    startServer,
    sql: (text, role) => postgres.psql('team', text, role),
    async [Symbol.asyncDispose]() {
      await killServer()
      await postgres[Symbol.asyncDispose]()
    },
  }
}

/** Runs a command; returns its output. Throws if it fails. */
export async function must(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await aspyHere(args)
  if (code !== 0) throw new Error(`aspy ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout.trim()
}
