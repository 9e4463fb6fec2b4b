import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchedPackage, fetchPackage } from '../client/fetched-package.ts'
import { freePort } from '../runner/free-port.ts'
import { until } from '../runner/until.ts'

/** An npm registry of this machine. Packages that it lacks come from the machine's own registry. */
export interface Registry {
  readonly url: string
  /** Lets its only user publish. */
  readonly token: string
  close(): Promise<void>
}

const VERDACCIO = {
  ...fetchedPackage('verdaccio', '6.10.4', (modules) => {
    const program = join(modules, 'verdaccio', 'bin', 'verdaccio')
    return existsSync(program) ? program : null
  }),
  // It asks for a tag of node-fetch, which not every registry keeps.
  overrides: { 'node-fetch': '2.7.0' },
}

/** Starts Verdaccio with an empty storage in `folder`. */
export async function startRegistry(folder: string, upstream: string): Promise<Registry> {
  const why = await fetchPackage(VERDACCIO)
  const program = VERDACCIO.find()
  if (program === null) throw new Error(`verdaccio could not be fetched from npm: ${why ?? 'it is not there'}`)
  const config = join(folder, 'config.yaml')
  // YAML reads JSON.
  const access = { access: '$all', publish: '$authenticated' }
  writeFileSync(
    config,
    JSON.stringify({
      storage: join(folder, 'storage'),
      auth: { htpasswd: { file: join(folder, 'htpasswd') } },
      // After two failures it would answer "no such package" for five minutes.
      uplinks: { npm: { url: upstream, cache: false, max_fails: 100, fail_timeout: '1s' } },
      packages: { aspy: access, '**': { ...access, proxy: 'npm' } },
      max_body_size: '100mb',
      log: { type: 'stdout', level: 'error' },
    }),
  )
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const child = spawn(process.execPath, [program, '--config', config, '--listen', `127.0.0.1:${port}`], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit')
  const isUp = () =>
    fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('the registry answers', isUp)
  return {
    url,
    token: await makeUser(url),
    async close() {
      child.kill()
      await ended
    },
  }
}

async function makeUser(url: string): Promise<string> {
  const answer = await fetch(`${url}-/user/org.couchdb.user:releaser`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'releaser', password: 'a password for this test' }),
  })
  const { token } = (await answer.json()) as { token?: string }
  if (token === undefined) throw new Error(`the registry made no user: ${answer.status}`)
  return token
}
